// Measures what the gates cost: requests per second with each credential and each storage of the limiter, against a bare Nest route
// and a bare node:http server in the same run; the time of each guard; and GET /auth/me during a flood of logins.
import { spawn, spawnSync } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import http from 'node:http';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import autocannon from 'autocannon';
import { createCallers, tokenSecret } from './callers.mjs';
import { median, quantile, report, round } from './figures.mjs';
import { startBareNest } from './http.mjs';
import { databaseUrl, freePort, logIn, startService } from './service.mjs';

const seconds = 4;
const trials = 5;
const connections = 50;
const callers = 4_000;
/** The default limits. No caller reaches them, so a refusal is a fault of the bench. */
const environment = { JWT_SECRET_KEY: tokenSecret, TRUST_PROXY: '1', RATE_LIMIT_SCALE: '1' };

export async function benchGates(folder) {
  const bareNest = await startBareNest();
  const onOurAdapter = await startBareNest('ours');
  const bareNode = await startBareNode();
  const bare = { nest: bareNest.url, ourAdapter: onOurAdapter.url, node: bareNode.url };
  const storages = { memory: {}, postgresql: await startPostgres(folder), redis: await startRedis() };
  try {
    for (const [storage, place] of Object.entries(storages)) {
      if (place) await benchStorage(`${folder}/gates-${storage}`, storage, place.environment ?? {}, bare);
      else report(`gates: ${storage}`, { skipped: 'redis-server is not installed' });
    }
    await benchGuards(`${folder}/gates-guards`);
    await benchFlood(`${folder}/gates-flood`);
  } finally {
    bareNest.stop();
    onOurAdapter.stop();
    bareNode.stop();
    for (const place of Object.values(storages)) await place?.stop?.();
  }
}

async function benchStorage(directory, storage, place, bare) {
  const service = await startService(directory, { environment: { ...environment, ...place } });
  try {
    const { tokens, keys } = await createCallers(place.DATABASE_URL ?? (await databaseUrl(directory)), callers);
    const me = `${service.url}/api/auth/me`;
    const addresses = Array.from({ length: callers }, (_, index) => `10.0.${index >> 8}.${index & 255}`);
    const cases = {
      'bare node:http': { url: bare.node, status: 200 },
      'bare Nest route': { url: bare.nest, status: 200 },
      'bare Nest route on our adapter': { url: bare.ourAdapter, status: 200 },
      health: { url: `${service.url}/health`, status: 200 },
      'GET /auth/me with JWT': { url: me, status: 200, headers: tokens.map(token => ({ authorization: `Bearer ${token}` })) },
      'GET /auth/me with API key': { url: me, status: 200, headers: keys.map(key => ({ 'x-api-key': key })) },
      401: { url: me, status: 401, headers: addresses.map(address => ({ authorization: 'Bearer a.b.c', 'x-forwarded-for': address })) },
    };
    const rates = Object.fromEntries(Object.keys(cases).map(name => [name, []]));
    // The first round is a warm-up and is not counted: Node goes on compiling hot code during the first thousands of requests.
    for (let trial = 0; trial <= trials; trial++) {
      for (const [name, asked] of Object.entries(cases)) rates[name][trial] = await load(asked);
    }
    const rateOf = name => median(rates[name].slice(1));
    for (const name of Object.keys(cases).filter(name => !name.startsWith('bare'))) {
      report(`gates: ${name}`, {
        unit: 'requests/s',
        storage,
        value: round(rateOf(name), 0),
        reference: 'bare Nest route',
        reference_value: round(rateOf('bare Nest route'), 0),
        our_adapter_value: round(rateOf('bare Nest route on our adapter'), 0),
        node_http_value: round(rateOf('bare node:http'), 0),
        ratio: round(rateOf(name) / rateOf('bare Nest route')),
        ...(name.endsWith('JWT') && storage === 'memory' ? { aim: 'ratio >= 0.65' } : {}),
      });
    }
  } finally {
    await service.stop();
  }
}

/** Returns requests per second. The connections start with different callers. */
async function load({ url, status, headers = [{}] }) {
  let connection = 0;
  const result = await autocannon({
    url,
    connections,
    duration: seconds,
    setupClient(client) {
      const first = Math.floor((connection++ / connections) * headers.length);
      client.setRequests([...headers.slice(first), ...headers.slice(0, first)].map(shown => ({ headers: shown })));
    },
  });
  const statuses = Object.keys(result.statusCodeStats);
  if (result.errors > 0 || statuses.some(seen => Number(seen) !== status)) throw new Error(`${url}: ${statuses}, ${result.errors} errors`);
  return result.requests.average;
}

/** Measures the time that each guard adds to a request, including its queries. One request runs at a time. */
async function benchGuards(directory) {
  const command = ['node', ['--enable-source-maps', '--import', './bench/time-guards.mjs', 'dist/src/main.js']];
  const service = await startService(directory, { command, ipc: true, environment: { ...environment, RATE_LIMIT_SCALE: '1000' } });
  try {
    const api = await logIn(service.url);
    const graph = await api.send('POST', '/api/graphs', { name: 'bench' });
    const { raw_key } = await api.send('POST', '/api/api-keys', { name: 'bench', graph_ids: [graph.id], rate_limit: 600 });
    const routes = {
      'GET /graphs/{id} with JWT': { authorization: `Bearer ${api.token}` },
      'GET /graphs/{id} with API key': { 'x-api-key': raw_key },
    };
    for (const [route, headers] of Object.entries(routes)) {
      const ask = amount => autocannon({ url: `${service.url}/api/graphs/${graph.id}`, headers, connections: 1, amount });
      await ask(3_000);
      await service.takeTimes();
      await ask(3_000);
      const times = await service.takeTimes();
      const medians = Object.entries(times).map(([guard, values]) => [guard, round(median(values) * 1000, 0)]);
      report(`gates: guards of ${route}`, { unit: 'µs at p50', storage: 'memory', ...Object.fromEntries(medians) });
    }
  } finally {
    await service.stop();
  }
}

/**
 * Returns the p99 of GET /auth/me, asked up to 50 times a second, during a flood of logins. Each login comes from another address, and the
 * logins come ten times as fast as the service can hash their passwords.
 */
async function benchFlood(directory) {
  const service = await startService(directory, { environment: { TRUST_PROXY: '1' } });
  try {
    const api = await logIn(service.url);
    const idle = await sampleMe(service.url, api.token, 10);
    const startedAt = performance.now();
    await login(service.url, 0);
    const perSecond = (2 * 1000) / (performance.now() - startedAt);
    const answers = {};
    let sent = 0;
    const flood = setInterval(
      () => {
        sent++;
        void login(service.url, sent).then(status => (answers[status] = (answers[status] ?? 0) + 1));
      },
      1000 / (perSecond * 10),
    );
    const flooded = await sampleMe(service.url, api.token, 20);
    clearInterval(flood);
    await sleep(1000);
    report('gates: GET /auth/me under a flood of logins', {
      unit: 'ms',
      p99: round(quantile(flooded, 0.99)),
      reference: 'idle',
      reference_p99: round(quantile(idle, 0.99)),
      aim: 'p99 <= 2 x idle + 50 ms',
      logins_per_second: round(perSecond * 10, 0),
      hashing_capacity: round(perSecond, 1),
      login_answers: answers,
    });
  } finally {
    await service.stop();
  }
}

async function sampleMe(url, token, forSeconds) {
  const times = [];
  for (const end = Date.now() + forSeconds * 1000; Date.now() < end; await sleep(20)) {
    const startedAt = performance.now();
    const response = await fetch(`${url}/api/auth/me`, { headers: { authorization: `Bearer ${token}` } });
    await response.arrayBuffer();
    if (response.status !== 200) throw new Error(`GET /auth/me answered ${response.status}`);
    times.push(performance.now() - startedAt);
  }
  return times;
}

async function login(url, index) {
  const address = `10.${(index >> 16) & 255}.${(index >> 8) & 255}.${index & 255}`;
  const response = await fetch(`${url}/api/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-forwarded-for': address },
    body: JSON.stringify({ username: 'admin', password: 'wrong-password' }),
  }).catch(() => ({ status: 'cut', arrayBuffer: () => undefined }));
  await response.arrayBuffer();
  return response.status;
}

async function startBareNode() {
  const body = JSON.stringify({ user_id: 1, username: 'admin', is_admin: true, must_change_password: false });
  const child = spawn(
    process.execPath,
    [
      '-e',
      `require('node:http').createServer((q,r)=>{r.setHeader('content-type','application/json');r.end('${body}')}).listen(0,'127.0.0.1',function(){console.log(this.address().port)})`,
    ],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const port = await new Promise(resolve => child.stdout.once('data', chunk => resolve(Number(chunk))));
  await new Promise(resolve => http.get(`http://127.0.0.1:${port}/`, response => response.resume().once('end', resolve)));
  return { url: `http://127.0.0.1:${port}/`, stop: () => child.kill() };
}

/** Starts a PostgreSQL for the bench, so that the limiter counts in a shared database, as it does for several processes of the service. */
async function startPostgres(folder) {
  const { EmbeddedPostgres } = await import('../dist/src/database/embedded/embedded-postgres.js');
  const dataDirectory = `${folder}/gates-database`;
  await mkdir(dataDirectory, { mode: 0o711 });
  const server = await EmbeddedPostgres.start({ dataDirectory });
  return { environment: { DATABASE_URL: await server.createDatabase('gates') }, stop: () => server.stop() };
}

async function startRedis() {
  if (spawnSync('redis-server', ['--version']).status !== 0) return null;
  const port = await freePort();
  const child = spawn('redis-server', ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--dir', path.resolve('/tmp')], {
    stdio: 'ignore',
  });
  await sleep(500);
  return { environment: { REDIS_URL: `redis://127.0.0.1:${port}` }, stop: () => child.kill() };
}
