// Loads a million order lines into edges, against INSERT … SELECT of the same rows into a bare copy of the same table.
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { sampleTables, toCsv } from '../examples/demo/sample-data.mjs';
import { report, round, timed } from './figures.mjs';

const linesPerOrder = 3;

/** Returns the id of the loaded graph, for the query figures. */
export async function benchIngestion(api, database, lines) {
  const scale = lines / linesPerOrder / 1000;
  for (const table of sampleTables(scale)) {
    await api.send('PUT', `/api/warehouse/connections/1/tables/${table.name}`, csvStream(table));
  }
  const mapping = await readFile(new URL('../examples/demo/mapping.yaml', import.meta.url), 'utf8');
  const split = mapping.indexOf('  - type: 包含');
  const graph = await api.send('POST', '/api/graphs', { name: 'bench' });
  // Loads nodes and the small edges first, so that the second run writes only the order lines.
  await runJob(api, graph.id, mapping.slice(0, split));
  const byLabel =
    mapping.slice(0, mapping.indexOf('nodes:')) +
    'nodes: []\nedges:\n' +
    mapping.slice(split).replace('node: order,', "node: 'label:订单',").replace('node: product,', "node: 'label:产品',");
  const ours = await timed(() => runJob(api, graph.id, byLabel));

  const client = new pg.Client(database);
  await client.connect();
  const edges = `graph_data.edges_${graph.id}`;
  const bare = {};
  for (const [name, including] of [
    ['same indexes', 'INCLUDING ALL'],
    ['no index', 'INCLUDING DEFAULTS'],
  ]) {
    await client.query(`DROP TABLE IF EXISTS bench_edges; CREATE TABLE bench_edges (LIKE ${edges} ${including})`);
    const { ms, result } = await timed(() => client.query(`INSERT INTO bench_edges SELECT * FROM ${edges} WHERE type = '包含'`));
    bare[name] = { ms, rows: result.rowCount };
  }
  await client.query('DROP TABLE bench_edges');
  await client.end();
  const { rows, ms } = bare['same indexes'];
  const perSecond = time => round(rows / (time / 1000), 0);
  report('ingestion of order lines into edges', {
    unit: 'rows/s',
    value: perSecond(ours.ms),
    reference: 'INSERT … SELECT into a copy with the same indexes',
    reference_value: perSecond(ms),
    ratio: round(ms / ours.ms),
    without_index_value: perSecond(bare['no index'].ms),
    ratio_without_index: round(bare['no index'].ms / ours.ms),
    aim: 'ratio >= 0.4',
    rows,
  });
  return graph.id;
}

async function* csvStream(table) {
  for (const chunk of toCsv(table)) yield Buffer.from(chunk);
}

async function runJob(api, graphId, mapping) {
  const job = await api.send('POST', '/api/ingestion/jobs', { graph_id: graphId, name: 'bench', mapping_yaml: mapping });
  let run = await api.send('POST', `/api/ingestion/jobs/${job.id}/run`);
  while (run.status === 'queued' || run.status === 'running') {
    await sleep(50);
    run = await api.send('GET', `/api/ingestion/runs/${run.id}`);
  }
  if (run.status !== 'succeeded') throw new Error(`The run ended as ${run.status}: ${JSON.stringify(run.error)}`);
  return run;
}
