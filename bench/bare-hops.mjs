// Measures the least time that a query on a loaded graph can take. A bare route reads three rows one after the other, as the service
// reads the account, the limit and the stored answer. It then calls another process, where a thread runs one statement for the answer.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import http from 'node:http';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import pg from 'pg';
import { quantile, timed } from './figures.mjs';

const file = fileURLToPath(import.meta.url);
const oneRow = { name: 'row', text: 'SELECT $1::int AS id', values: [1] };
/** About as many rows as the evidence of a one-hop query on the social graph. */
const evidence = { name: 'rows', text: "SELECT id, repeat('x', 60) AS properties FROM generate_series(1, 50) id" };

/** @returns the median time of one request, in ms */
export async function benchBareHops(databaseUrl, directory, trials) {
  const socket = path.join(directory, 'bare-hops.sock');
  const api = fork(file, ['api', databaseUrl, socket]);
  try {
    const [port] = await once(api, 'message');
    const body = JSON.stringify({ cypher: 'x'.repeat(100) });
    const times = [];
    for (let i = 0; i < trials; i++) times.push((await timed(() => ask(port, body))).ms);
    return quantile(times, 0.5);
  } finally {
    api.kill();
  }
}

async function ask(port, body) {
  const answer = await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body, headers: { 'Content-Type': 'application/json' } });
  return answer.json();
}

async function serveApi([databaseUrl, socket]) {
  const pool = new pg.Pool({ connectionString: databaseUrl });
  const retrieval = fork(file, ['retrieval', databaseUrl, socket]);
  process.once('SIGTERM', () => {
    retrieval.kill();
    process.exit();
  });
  await once(retrieval, 'message');
  const agent = new http.Agent({ keepAlive: true });
  const server = http.createServer(async (request, response) => {
    const body = await read(request);
    for (let i = 0; i < 3; i++) await pool.query(oneRow);
    const sent = http.request({ agent, socketPath: socket, method: 'POST' }).end(body);
    const [answer] = await once(sent, 'response');
    response.end(JSON.stringify(JSON.parse(await read(answer))));
  });
  server.listen(0, '127.0.0.1', () => process.send(server.address().port));
}

function serveRetrieval([databaseUrl, socket]) {
  const thread = new Worker(file, { workerData: databaseUrl });
  const server = http.createServer(async (request, response) => {
    thread.postMessage(await read(request));
    const [bytes] = await once(thread, 'message');
    response.end(bytes);
  });
  server.listen(socket, () => process.send('ready'));
}

function serveThread(databaseUrl) {
  const pool = new pg.Pool({ connectionString: databaseUrl });
  parentPort.on('message', async () => {
    const { rows } = await pool.query(evidence);
    parentPort.postMessage(Buffer.from(JSON.stringify(rows)));
  });
}

async function read(stream) {
  const chunks = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

if (!isMainThread) serveThread(workerData);
else if (process.argv[1] === file && process.argv[2] === 'api') await serveApi(process.argv.slice(3));
else if (process.argv[1] === file && process.argv[2] === 'retrieval') serveRetrieval(process.argv.slice(3));
