// Runs queries at the same time in one thread, with the code of the retrieval process. Sends for each query the code of its error, or the
// values of its first row as text.
import { createRequire } from 'node:module';
import path from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';

const require = createRequire(import.meta.url);
const product = name => require(path.resolve(import.meta.dirname, '..', '..', 'dist', 'src', `${name}.js`));
const { executeInMemory } = product('retrieval/process/execute-in-memory');
const { parseCypher } = product('cypher/syntax/parse-cypher');
const { emptyGraph } = product('cypher/prepare-cypher');
const { Pace } = product('common/turns/pace');

const request = { timeZone: 'UTC', limit: 100, timeoutMs: 600_000, profile: false };

async function run(text) {
  const prepared = { query: parseCypher(text), parameters: new Map() };
  try {
    const { rows } = await executeInMemory(emptyGraph, prepared, request, 1e7, new Pace());
    return String(rows[0].values);
  } catch (error) {
    return error.code;
  }
}

parentPort.postMessage(await Promise.all(workerData.queries.map(run)));
