// Measures uploads of each format, and copies from each kind of source into the mirror, against a bare COPY of the same rows in the same
// run.
// `npm run bench -- mirror [--source postgres,mysql,parquet,clickhouse] [--rows 1000000] [--trials 3]`
import { createReadStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { pipeline } from 'node:stream/promises';
import pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { median, report, round, timed } from './figures.mjs';
import { databaseUrl, logIn, startService } from './service.mjs';
import { sources } from './sources.mjs';
import { columnTypes, writeTables } from './wide-rows.mjs';

const formats = [
  ['csv', 'csv', 'text/csv'],
  ['ndjson', 'json', 'application/x-ndjson'],
  ['parquet', 'parquet', 'application/vnd.apache.parquet'],
];
const table = 'bench_lines';

/** `asked`: the options source, rows and trials. */
export async function benchMirror(folder, { source: names, rows: [rows], trials }) {
  const [directory, files] = [`${folder}/mirror`, `${folder}/files`];
  await mkdir(files);
  const service = await startService(directory, { environment: { DUCKDB_DIR: files, WAREHOUSE_ALLOWED_ADDRESSES: '127.0.0.1' } });
  const database = await databaseUrl(directory);
  const client = new pg.Client(database);
  await client.connect();
  const figures = [];
  try {
    const api = await logIn(service.url);
    const written = {};
    for (const [, format] of formats) written[format] = (await writeTables(`${folder}/uploads`, rows, format))[table];
    const measure = async (name, load) => {
      const [ours, bare] = [[], []];
      for (let trial = 0; trial < trials; trial++) {
        bare.push(await bareCopy(client, written.csv));
        ours.push((await timed(load)).ms);
      }
      const figure = { name, rows_per_s: Math.round((rows * 1000) / median(ours)), bare: Math.round((rows * 1000) / median(bare)) };
      figures.push({ ...figure, ratio: round(median(bare) / median(ours)) });
    };
    for (const [name, format, type] of formats) {
      await measure(`upload of ${name}`, () => upload(api, written[format], type));
    }
    for (const name of names.filter(each => each !== 'pg_mirror')) {
      const source = await sources[name]({ folder, files, api, database });
      if (source === null) console.error(`${name}: skipped, its engine is not on this machine`);
      else await measureCopies(api, source, rows, measure);
    }
    for (const figure of figures) report('into the mirror', { ...figure, unit: 'rows/s', reference: 'bare COPY FROM STDIN of CSV', rows });
    console.error(tableOf(figures));
  } finally {
    await client.end();
    await service.stop();
  }
}

async function measureCopies(api, source, rows, measure) {
  try {
    await source.load(rows);
    const tables = [{ table, as: `copy_of_${source.connection}` }];
    const { items } = await api.send('GET', '/api/warehouse/connections');
    const { id } = items.find(({ name }) => name === source.connection);
    let copy = null;
    await measure(`copy from ${source.connection}`, async () => {
      if (copy) await api.send('POST', `/api/warehouse/mirror-copies/${copy}/run`);
      else copy = (await api.send('POST', `/api/warehouse/connections/${id}/mirror`, { tables })).id;
      for (;;) {
        const { status, error } = await api.send('GET', `/api/warehouse/mirror-copies/${copy}`);
        if (status === 'succeeded') return;
        if (status !== 'queued' && status !== 'running') throw new Error(JSON.stringify(error));
        await sleep(20);
      }
    });
  } finally {
    await source.close();
  }
}

function upload(api, file, type) {
  const types = columnTypes[table].replace(/\s+/g, ' ').split(/, (?=[a-z])/).map(column => column.replace(' ', ':')).join(','); // prettier-ignore
  const body = createReadStream(file, { highWaterMark: 1 << 20 });
  const path = `/api/warehouse/connections/1/tables/uploaded?mode=replace&types=${encodeURIComponent(types)}`;
  return api.send('PUT', path, body, { 'content-type': type });
}

/** Copies the file into a new table. Returns the milliseconds of the COPY. */
async function bareCopy(client, file) {
  await client.query(`DROP TABLE IF EXISTS public.bench_bare; CREATE TABLE public.bench_bare (${columnTypes[table]})`);
  const copy = 'COPY public.bench_bare FROM STDIN (FORMAT csv, HEADER true)';
  const { ms } = await timed(() => pipeline(createReadStream(file, { highWaterMark: 1 << 20 }), client.query(copyFrom(copy))));
  await client.query('DROP TABLE public.bench_bare');
  return ms;
}

function tableOf(figures) {
  const line = cells => cells.map((cell, index) => (index === 0 ? String(cell).padEnd(24) : String(cell).padStart(12))).join('');
  return [['', 'rows/s', 'COPY rows/s', 'ratio'], ...figures.map(Object.values)].map(line).join('\n');
}
