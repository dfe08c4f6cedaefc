// Starts the built service on its own data directory, as a user would, and sends requests to it.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, rm } from 'node:fs/promises';
import net from 'node:net';
import path from 'node:path';

const root = path.dirname(import.meta.dirname);
const firstPassword = 'admin@Graph123';
const password = 'bench-Graph-2026';

export async function freePort() {
  const server = net.createServer().listen(0, '127.0.0.1');
  await new Promise(resolve => server.once('listening', resolve));
  const { port } = server.address();
  await new Promise(resolve => server.close(resolve));
  return port;
}

/** Resolves when the service prints its address. `readyMs` is the time from the command to that line. */
export async function startService(
  dataDirectory,
  { command = ['node', ['--enable-source-maps', 'dist/src/main.js']], environment = {}, ipc = false } = {},
) {
  const port = await freePort();
  const startedAt = performance.now();
  const child = spawn(...command, {
    cwd: root,
    env: {
      ...process.env,
      DATABASE_URL: '',
      LOG_LEVEL: 'warn',
      RATE_LIMIT_SCALE: '1000000',
      ...environment,
      DATA_DIR: dataDirectory,
      PORT: String(port),
      HOST: '127.0.0.1',
    },
    stdio: ['ignore', 'pipe', 'inherit', ...(ipc ? ['ipc'] : [])],
  });
  const exited = new Promise(resolve => child.once('exit', resolve));
  await new Promise((resolve, reject) => {
    let output = '';
    child.stdout.on('data', chunk => {
      output += chunk;
      if (output.includes(`:${port}`)) resolve();
    });
    exited.then(code => reject(new Error(`The service exited with code ${code}: ${output}`)));
  });
  const readyMs = performance.now() - startedAt;
  return {
    url: `http://127.0.0.1:${port}`,
    readyMs,
    pid: child.pid,
    /** Returns the times that `time-guards.mjs` has measured since the last call. */
    async takeTimes() {
      child.kill('SIGUSR2');
      return (await once(child, 'message'))[0];
    },
    async stop() {
      child.kill('SIGTERM');
      await exited;
    },
  };
}

/** URL of the embedded database. The bench measures its bare reference there. */
export async function databaseUrl(dataDirectory) {
  const secret = await readFile(path.join(dataDirectory, 'postgres.password'), 'utf8');
  return `postgresql://graph:${secret}@/graph_service?host=${encodeURIComponent(path.join(dataDirectory, 'run'))}`;
}

/** Logs in as the first admin and changes the password. Returns a client with the new token. */
export async function logIn(url) {
  const { token: first } = await send(url, 'POST', '/api/auth/login', { username: 'admin', password: firstPassword });
  const change = { old_password: firstPassword, new_password: password };
  return clientOf(url, (await send(url, 'PUT', '/api/auth/password', change, { authorization: `Bearer ${first}` })).token);
}

/** Logs in with the changed password, after the service was started again. */
export async function logInAgain(url) {
  return clientOf(url, (await send(url, 'POST', '/api/auth/login', { username: 'admin', password })).token);
}

function clientOf(url, token) {
  return {
    token,
    send: (method, route, body, headers) => send(url, method, route, body, { authorization: `Bearer ${token}`, ...headers }),
  };
}

async function send(url, method, route, body, headers = {}) {
  const raw = body !== undefined && (typeof body === 'string' || Symbol.asyncIterator in body);
  const response = await fetch(`${url}${route}`, {
    method,
    headers: { 'content-type': raw ? 'text/csv' : 'application/json', ...headers },
    body: body === undefined ? undefined : raw ? body : JSON.stringify(body),
    duplex: 'half',
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${route}: ${response.status} ${text}`);
  return text === '' ? undefined : JSON.parse(text);
}

export async function removeDirectory(directory) {
  await rm(directory, { recursive: true, force: true });
}
