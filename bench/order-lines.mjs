// Loads the demo's order lines into a graph, for the query figures.
import { readFile } from 'node:fs/promises';
import { sampleTables, toCsv } from '../examples/demo/sample-data.mjs';
import { runJob } from './runs.mjs';

const linesPerOrder = 3;

/** Returns the id of the loaded graph. */
export async function loadOrderLines(api, lines) {
  for (const table of sampleTables(lines / linesPerOrder / 1000)) {
    await api.send('PUT', `/api/warehouse/connections/1/tables/${table.name}`, csvStream(table));
  }
  const mapping = await readFile(new URL('../examples/demo/mapping.yaml', import.meta.url), 'utf8');
  const graph = await api.send('POST', '/api/graphs', { name: 'bench' });
  await runJob(api, graph.id, mapping);
  return graph.id;
}

async function* csvStream(table) {
  for (const chunk of toCsv(table)) yield Buffer.from(chunk);
}
