// Compares metrics of each pattern with the best SQL by hand, which the bare driver sends to the same server in the same run. The results
// must be equal.
// `npm run bench -- metrics [--source mirror,postgres,duckdb] [--rows 1000000] [--trials 5]`
import { DuckDBInstance } from '@duckdb/node-api';
import autocannon from 'autocannon';
import { mkdir } from 'node:fs/promises';
import pg from 'pg';
import { median, quantile, report, round, timed } from './figures.mjs';
import { startBareNest } from './http.mjs';
import { columns, questions, range, tablesOf } from './metric-questions.mjs';
import { databaseUrl, logIn, startService } from './service.mjs';
import { sources } from './sources.mjs';

const smallRows = 1_000;
const samples = 400;

/** `asked`: the options source, rows and trials. */
export async function benchMetrics(folder, { source: names, rows: [rows], trials }) {
  const directory = `${folder}/metrics`;
  await mkdir(`${folder}/files`);
  const service = await startService(directory, {
    environment: { WAREHOUSE_ALLOWED_ADDRESSES: '127.0.0.1', WAREHOUSE_TIMEOUT_MS: '300000', DUCKDB_DIR: `${folder}/files` },
  });
  try {
    const api = await logIn(service.url);
    const world = { folder, api, service, database: await databaseUrl(directory), trials };
    for (const name of names) await benchSource(world, await places[name](world), rows);
  } finally {
    await service.stop();
  }
}

const places = {
  mirror: async ({ api, database }) => {
    const client = await connect(database);
    return {
      name: 'mirror',
      schema: 'mirror',
      connection: null,
      ask: (text, values) => client.query({ text, values, rowMode: 'array' }).then(({ rows }) => rows),
      vacuum: table => client.query(`VACUUM ANALYZE mirror.${table}`),
      create: async (table, insert) => {
        const types = encodeURIComponent(columns[table]);
        const header = columns[table].replace(/:\w+/g, '');
        await api.send('PUT', `/api/warehouse/connections/1/tables/${table}?mode=replace&types=${types}`, `${header}\n`);
        await client.query(insert);
        await client.query(`UPDATE public.mirror_tables SET version = DEFAULT WHERE name = '${table}'`);
      },
      close: () => client.end(),
    };
  },
  postgres: async world => {
    const source = await sources.postgres(world);
    const { items } = await world.api.send('GET', '/api/warehouse/connections');
    const client = await connect(source.dsn);
    return {
      name: 'postgres',
      schema: 'public',
      connection: items.find(({ name }) => name === source.connection).id,
      ask: (text, values) => client.query({ text, values, rowMode: 'array' }).then(({ rows }) => rows),
      create: async (table, insert) => {
        const list = columns[table].replace(/:/g, ' ');
        await source.query(`DROP TABLE IF EXISTS ${table}; CREATE TABLE ${table} (${list})`);
        await source.query(insert);
      },
      vacuum: table => source.query(`VACUUM ANALYZE public.${table}`),
      close: async () => {
        await client.end();
        await source.close();
      },
    };
  },
  duckdb: async ({ folder, api }) => {
    const file = `${folder}/files/bench.duckdb`;
    const open = async access_mode => {
      const instance = await DuckDBInstance.create(file, { access_mode });
      const connection = await instance.connect();
      const close = () => {
        connection.closeSync();
        instance.closeSync();
      };
      return { connection, close };
    };
    /** The connection stays open between questions, as in the service's own DuckDB process. */
    let reader = null;
    const write = async (...statements) => {
      reader?.close();
      reader = null;
      const { connection, close } = await open('READ_WRITE');
      for (const statement of statements) await connection.run(statement);
      close();
    };
    await write();
    const { id } = await api.send('POST', '/api/warehouse/connections', { name: 'duckdb', type: 'duckdb', dsn: 'duckdb:///bench.duckdb' });
    return {
      name: 'duckdb',
      schema: 'main',
      connection: id,
      ask: async text => {
        reader ??= await open('READ_ONLY');
        return (await reader.connection.runAndReadAll(text)).getRowsJson();
      },
      create: async (table, insert) => {
        const list = columns[table].replace(/:/g, ' ').replace('amount numeric', 'amount decimal(12,2)');
        const text = insert
          .replaceAll('hashint8(', 'hash(')
          .replace(/& (1048575|1023)\)/g, '& $1)::int')
          .replace(') AS i', ') AS t (i)');
        await write(`CREATE OR REPLACE TABLE ${table} (${list})`, text);
      },
      vacuum: () => undefined,
      close: async () => reader?.close(),
    };
  },
};

async function connect(url) {
  const client = new pg.Client(url);
  await client.connect();
  return client;
}

async function benchSource(world, place, rows) {
  try {
    await fill(place, rows);
    const large = await define(world.api, place, 'large');
    for (const name of Object.keys(questions)) await benchPattern(world, place, name, large[name], rows);
    await fill(place, smallRows);
    const small = await define(world.api, place, 'small');
    await benchOverhead(world, place, small.aggregate);
    await benchCompiling(world, place, small);
    if (place.name === 'mirror') await benchKept(world, small.aggregate);
  } finally {
    await place.close();
  }
}

async function fill(place, rows) {
  for (const [table, insert] of tablesOf(place.schema, rows)) {
    const { ms } = await timed(() => place.create(table, insert));
    await place.vacuum(table);
    console.error(`${place.name}: ${table} for ${rows} rows is filled after ${round(ms / 1000)} s`);
  }
}

/** Creates a graph with the metrics. Returns the ids of the metrics by pattern. */
async function define(api, { name, connection }, size) {
  const graph = await api.send('POST', '/api/graphs', { name: `bench ${name} ${size}` });
  const on = table => ({
    connection_id: connection,
    relation: { table },
    time: { column: 'day' },
    entities: [{ name: 'customer', column: 'customer_id' }],
  });
  const make = async (called, formula, table = 'bench_sales') =>
    (await api.send('POST', '/api/metrics', { graph_id: graph.id, name: called, formula, binding: on(table) })).id;
  await make('amount', 'SUM(amount)');
  await make('quantity', 'SUM(quantity)');
  await make('visits', 'COUNT(*)', 'bench_visits');
  await make('buys', 'COUNT(*)', 'bench_buys');
  const ids = {};
  for (const [pattern, { formula }] of Object.entries(questions)) ids[pattern] = await make(pattern, formula);
  return ids;
}

const execute = (api, id, request) =>
  api.send('POST', `/api/metrics/${id}/execute`, { limit: 10_000, cache: { max_age_s: 0 }, ...request });

/**
 * Returns a function that sends the statement as the service does, with its parameters and settings. Null for DuckDB, to which the service
 * sends several statements.
 */
async function asCompiled({ ask, schema, name }, { sql, params }) {
  if (name === 'duckdb') return null;
  await ask("SET TimeZone = 'UTC'");
  await ask(`SET search_path = pg_catalog, ${schema}`);
  return () => ask(sql, params);
}

async function benchPattern({ api, trials }, place, pattern, id, rows) {
  const { request, sql } = questions[pattern];
  const byEngine = place.name === 'duckdb' ? sql.replace('ORDER BY amount)', 'ORDER BY amount::double)') : sql;
  const text = byEngine.replace(
    /\b([TVB])\b/g,
    (_, letter) => `${place.schema}.${{ T: 'bench_sales', V: 'bench_visits', B: 'bench_buys' }[letter]}`,
  );
  const ours = () => execute(api, id, request);
  const answer = await ours().catch(error => error);
  if (answer instanceof Error && answer.message.includes('not_in_dialect')) {
    report(`metric: ${pattern}`, { source: place.name, rows, refused: 'not_in_dialect' });
    return;
  }
  if (answer instanceof Error) throw answer;
  const compiled = await asCompiled(place, answer);
  const byHand = () => place.ask(text);
  requireEqual(pattern, answer.rows, await byHand());
  await compiled?.();
  const times = { ours: [], compiled: [], byHand: [] };
  for (let trial = 0; trial < trials; trial++) {
    times.byHand.push((await timed(byHand)).ms);
    if (compiled) times.compiled.push((await timed(compiled)).ms);
    times.ours.push((await timed(ours)).ms);
  }
  const [all, sent, hand] = [times.ours, times.compiled, times.byHand].map(each => (each.length > 0 ? median(each) : null));
  report(`metric: ${pattern}`, {
    source: place.name,
    rows,
    unit: 'ms',
    value: round(all),
    reference: 'SQL by hand, bare driver',
    reference_value: round(hand),
    ratio: round(hand / all),
    ...(sent !== null && { compiled: round(sent), ratio_compiled: round(hand / sent), aim: 'ratio_compiled >= 0.91' }),
  });
}

/**
 * Throws unless the rows are equal. The last value of a row may be of another type in the SQL by hand, so it is compared to nine digits.
 */
function requireEqual(pattern, ours, byHand) {
  const key = value =>
    value instanceof Date ? new Date(value.getTime() - value.getTimezoneOffset() * 60_000).toISOString().slice(0, 10) : value;
  const sorted = rows => rows.map(row => [row.slice(0, -1).map(key).join('|'), Number(row.at(-1))]).sort(([a], [b]) => (a < b ? -1 : 1));
  const [a, b] = [sorted(ours), sorted(byHand)];
  const at = a.findIndex(([name, value], index) => name !== b[index]?.[0] || Math.abs(value - b[index][1]) > Math.abs(value) * 1e-9);
  if (a.length !== b.length || at >= 0) throw new Error(`${pattern}: ${a.length} rows, ${b.length} by hand; ${a[at]} against ${b[at]}`);
  if (a.length === 0) throw new Error(`${pattern}: no rows`);
}

const smallByHand = `SELECT region, sum(amount) FROM bench_sales WHERE day >= date '${range.from}' AND day < date '${range.to}' GROUP BY 1 ORDER BY 1`;

/** Measures the time that the service adds to the statement it sends, for an answer of a few rows. */
async function benchOverhead({ api }, place, id) {
  const request = { time: range, dimensions: ['region'] };
  const compiled = (await asCompiled(place, await execute(api, id, request))) ?? (() => place.ask(smallByHand));
  const times = { ours: [], bare: [] };
  for (let index = -40; index < samples; index++) {
    const [bare, ours] = [await timed(compiled), await timed(() => execute(api, id, request))];
    if (index < 0) continue;
    times.bare.push(bare.ms);
    times.ours.push(ours.ms);
  }
  const of = share => [times.ours, times.bare].map(each => quantile(each, share));
  const [[ours50, bare50], [ours99, bare99]] = [of(0.5), of(0.99)];
  report('metric: overhead', {
    source: place.name,
    unit: 'ms',
    p50: round(ours50 - bare50),
    p99: round(ours99 - bare99),
    ours_p50: round(ours50),
    reference: place.name === 'duckdb' ? 'SQL by hand, bare driver' : 'the same statement, bare driver',
    reference_p50: round(bare50),
    reference_p99: round(bare99),
    aim: 'p50 < 3',
  });
}

async function benchCompiling({ api }, place, ids) {
  for (const [pattern, { request }] of Object.entries(questions)) {
    if (place.name === 'duckdb' && pattern === 'conversion') continue;
    const parts = { parse: [], compile: [] };
    for (let index = 0; index < 60; index++) {
      const { timing_ms } = await execute(api, ids[pattern], { ...request, cache: undefined, limit: 1000 + index, dry_run: true });
      if (index >= 10) for (const part of Object.keys(parts)) parts[part].push(timing_ms[part]);
    }
    const figures = Object.fromEntries(Object.entries(parts).map(([part, times]) => [part, round(median(times), 3)]));
    report(`metric: compiling ${pattern}`, { source: place.name, unit: 'ms', ...figures });
  }
}

/** Measures requests per second of a kept result, against a bare Nest route. */
async function benchKept({ api, service }, id) {
  const bare = await startBareNest();
  const body = JSON.stringify({ time: range, dimensions: ['region'] });
  const headers = { authorization: `Bearer ${api.token}`, 'content-type': 'application/json' };
  const load = async target => {
    const result = await autocannon({ ...target, connections: 20, duration: 5 });
    if (result.non2xx > 0 || result.errors > 0) throw new Error(`${target.url}: ${result.non2xx} refused, ${result.errors} errors`);
    return result.requests.average;
  };
  const rates = { ours: [], bare: [] };
  try {
    for (let trial = 0; trial < 3; trial++) {
      rates.bare.push(await load({ url: bare.url }));
      rates.ours.push(await load({ url: `${service.url}/api/metrics/${id}/execute`, method: 'POST', headers, body }));
    }
  } finally {
    bare.stop();
  }
  const [ours, reference] = [rates.ours, rates.bare].map(median);
  report('metric: kept results', {
    unit: 'requests/s',
    value: round(ours, 0),
    reference: 'bare Nest route',
    reference_value: round(reference, 0),
    ratio: round(ours / reference),
  });
}
