// Measures ingestion runs of wide edges from each kind of source, against a bare load of the same edges and the build of their indexes.
// `npm run bench -- ingestion [--source pg_mirror,postgres,mysql,parquet,clickhouse] [--rows 1000000,5000000] [--trials 3]
// [--parts first,incremental,rules,growth] [--growth 10000,100000,1000000,10000000]`
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import pg from 'pg';
import { from as copyFrom, to as copyTo } from 'pg-copy-streams';
import { median, report, round, timed } from './figures.mjs';
import { rerun, runJob, watchMemory } from './runs.mjs';
import { databaseUrl, logIn, startService } from './service.mjs';
import { sources } from './sources.mjs';
import { edgesMapping, nodesMapping } from './wide-rows.mjs';

/** `asked`: the options source, rows, trials, parts and growth. */
export async function benchIngestion(folder, asked) {
  const [directory, files] = [`${folder}/ingestion`, `${folder}/files`];
  await mkdir(files);
  const environment = { DUCKDB_DIR: files, WAREHOUSE_ALLOWED_ADDRESSES: '127.0.0.1' };
  const service = await startService(directory, { environment });
  try {
    const api = await logIn(service.url);
    const world = { folder, files, api, service, database: await databaseUrl(directory), figures: [] };
    for (const name of asked.source) await benchSource(world, name, asked);
    printTable(world.figures);
  } finally {
    await service.stop();
  }
}

async function benchSource(world, name, { rows, trials, parts, growth }) {
  const source = await sources[name](world);
  if (source === null) return progress(`${name}: skipped, its engine is not on this machine; npm run test:engines installs it`);
  try {
    const bench = { ...world, source, trials };
    for (const size of rows) {
      if (!['first', 'incremental', 'rules'].some(part => parts.includes(part))) break;
      await loadSource(bench, size);
      if (parts.includes('first')) await benchFirst(bench, size);
      if (parts.includes('rules')) await benchRules(bench, size);
      if (parts.includes('incremental')) await benchIncremental(bench, size);
    }
    if (parts.includes('growth')) await benchGrowth(bench, growth);
  } finally {
    await source.close();
  }
}

async function loadSource({ source }, rows) {
  const { ms } = await timed(() => source.load(rows));
  progress(`${source.connection}: ${rows} rows are in the source after ${seconds(ms)}`);
}

/** Measures the first run, a bare load of the edges that it wrote, and a second run of the same job without changes in the source. */
async function benchFirst(bench, rows) {
  const { source, trials } = bench;
  const [firsts, bares, agains] = [[], [], []];
  for (let trial = 0; trial < trials; trial++) {
    const graph = await withNodes(bench);
    const first = await watchedRun(bench, 'first load', () => runJob(bench.api, graph, edgesMapping(source.connection)));
    bares.push(await bareLoads(bench, graph));
    const again = await watchedRun(bench, 'unchanged', () => rerun(bench.api, first.jobId));
    firsts.push(first);
    agains.push(again);
    await bench.api.send('DELETE', `/api/graphs/${graph}`);
  }
  const [first, again] = [firsts, agains].map(timesOf).map(median);
  const [copy, insert] = ['copy', 'insert'].map(kind => median(bares.map(times => times[kind])));
  add(bench, rows, {
    figure: 'first load',
    ...perSecond(rows, first),
    ...against('bare COPY and indexes', rows, copy, first),
    aim: 0.6,
    ratio_insert_select: round(insert / first),
    ...costs(firsts),
  });
  add(bench, rows, {
    figure: 'unchanged run',
    ...perSecond(rows, again),
    ...against('the first load', rows, first, again),
    aim: 3,
    ...costs(agains),
  });
}

async function benchIncremental(bench, rows) {
  const { source } = bench;
  const graph = await withNodes(bench);
  const first = await watchedRun(bench, 'first load, incremental', () =>
    runJob(bench.api, graph, edgesMapping(source.connection, { incremental: true })),
  );
  await source.change();
  const next = await watchedRun(bench, '1 % changed', () => rerun(bench.api, first.jobId));
  const { updated } = next.run.report.totals;
  if (updated !== Math.floor((rows + 92) / 100)) throw new Error(`${updated} of ${rows} rows were updated`);
  add(bench, rows, {
    figure: 'incremental, 1 %',
    ...perSecond(updated, next.ms),
    ...against('the first load', rows, first.ms, next.ms),
    ...costs([next]),
  });
  await bench.api.send('DELETE', `/api/graphs/${graph}`);
}

async function benchRules(bench, rows) {
  const { source, trials } = bench;
  const [without, within] = [[], []];
  for (let trial = 0; trial < trials; trial++) {
    for (const [rules, runs] of [
      [false, without],
      [true, within],
    ]) {
      const graph = await withNodes(bench);
      const name = rules ? '10 rules a column' : 'no rules';
      runs.push(await watchedRun(bench, name, () => runJob(bench.api, graph, edgesMapping(source.connection, { rules }))));
      await bench.api.send('DELETE', `/api/graphs/${graph}`);
    }
  }
  const [bare, ours] = [without, within].map(timesOf).map(median);
  add(bench, rows, {
    figure: '10 rules a column',
    ...perSecond(rows, ours),
    ...against('no rules', rows, bare, ours),
    aim: 0.8,
    ...costs(within),
  });
}

async function benchGrowth(bench, sizes) {
  let before = null;
  for (const rows of sizes) {
    await loadSource(bench, rows);
    const graph = await withNodes(bench);
    const first = await watchedRun(bench, 'first load', () => runJob(bench.api, graph, edgesMapping(bench.source.connection)));
    const reference = before && against(`${before.rows} rows`, before.rows, before.ms, (first.ms / rows) * before.rows);
    add(bench, rows, { figure: 'growth', ...perSecond(rows, first.ms), ...reference, aim: reference ? 1 : null, ...costs([first]) });
    before = { rows, ms: first.ms };
    await bench.api.send('DELETE', `/api/graphs/${graph}`);
  }
}

/** Makes a graph and loads its nodes by another job, so that the measured run writes only edges. */
async function withNodes({ api, source }) {
  const graph = await api.send('POST', '/api/graphs', { name: `bench ${source.connection}` });
  await runJob(api, graph.id, nodesMapping(source.connection));
  return graph.id;
}

async function watchedRun({ service, source }, name, work) {
  const { result, risenMb } = await watchMemory(service.pid, work);
  const phases = Object.entries(result.phases).map(([phase, ms]) => `${phase} ${seconds(ms)}`);
  progress(`${source.connection}: ${name} took ${seconds(result.ms)} (${phases.join(', ')}), ${risenMb} MB above idle`);
  return { ...result, risenMb };
}

/** Loads the same edges into tables without indexes, by COPY and by INSERT, and builds the indexes. Returns the milliseconds of both. */
async function bareLoads({ folder, database, source }, graph) {
  const client = new pg.Client(database);
  await client.connect();
  const edges = `graph_data.edges_${graph}`;
  const file = `${folder}/edges.copy`;
  const load = async fill => {
    const { ms } = await timed(async () => {
      await client.query(`BEGIN; CREATE TABLE bench_edges (LIKE ${edges} INCLUDING DEFAULTS)`);
      await fill();
      await client.query('CREATE UNIQUE INDEX ON bench_edges (source_id, type, target_id, key)');
      await client.query('CREATE INDEX ON bench_edges (target_id, type)');
      await client.query('COMMIT');
    });
    await client.query('DROP TABLE bench_edges');
    return ms;
  };
  try {
    await pipeline(client.query(copyTo(`COPY ${edges} TO STDOUT`)), createWriteStream(file));
    const bytes = () => createReadStream(file, { highWaterMark: 1 << 20 });
    const copy = await load(() => pipeline(bytes(), client.query(copyFrom('COPY bench_edges FROM STDIN'))));
    const insert = await load(() => client.query(`INSERT INTO bench_edges SELECT * FROM ${edges}`));
    progress(`${source.connection}: with indexes, bare COPY took ${seconds(copy)}, bare INSERT … SELECT ${seconds(insert)}`);
    return { copy, insert };
  } finally {
    await client.end();
    await rm(file, { force: true });
  }
}

const timesOf = runs => runs.map(({ ms }) => ms);
const perSecond = (rows, ms) => ({ unit: 'rows/s', value: round((rows / ms) * 1000, 0) });
const against = (reference, rows, referenceMs, ms) => ({
  reference,
  reference_value: round((rows / referenceMs) * 1000, 0),
  ratio: round(referenceMs / ms),
});
const costs = runs => ({
  memory_mb: Math.max(...runs.map(({ risenMb }) => risenMb)),
  phases: Object.fromEntries(Object.keys(runs[0].phases).map(name => [name, median(runs.map(({ phases }) => phases[name] ?? 0))])),
});

function add({ figures, source }, rows, { figure, ...values }) {
  figures.push({ source: source.connection, rows, figure, ...values });
  report(`ingestion: ${figure}`, { source: source.connection, rows, ...values });
}

function progress(line) {
  process.stderr.write(`${line}\n`);
}

const seconds = ms => `${round(ms / 1000, ms < 10_000 ? 2 : 1)} s`;

function printTable(figures) {
  const shown = ({ source, rows, figure, value, reference, reference_value: bare, ratio, aim, memory_mb: memory }) => ({
    source, rows, figure, 'rows/s': value, reference, 'reference, rows/s': bare, ratio, aim, 'memory, MB': memory,
  }); // prettier-ignore
  console.table(figures.map(shown));
}
