import { clickHouseColumns, clickHouseOthers, clickHouseUnreadable } from './foreign-values/clickhouse-columns.js';
import { differencesOf, type Source } from './foreign-values/differential.js';
import { duckdbColumns, duckdbOthers, duckdbUnreadable } from './foreign-values/duckdb-columns.js';
import { mysqlColumns, mysqlOthers, mysqlUnreadable } from './foreign-values/mysql-columns.js';
import { postgresColumns, postgresOthers } from './foreign-values/postgres-columns.js';
import { type Column, type Unreadable } from './foreign-values/values.js';
import { type TestApp, startTestApp } from './support/app.js';
import { DuckdbFiles } from './support/duckdb-files.js';
import { describeOnClickHouse, ForeignClickHouse } from './support/foreign-clickhouse.js';
import { ForeignPostgres } from './support/foreign-postgres.js';
import { aGraph, aJob, runToEnd } from './support/ingestion.js';
import { hasMariaDb, MariaDb } from './support/mariadb.js';

// Not more: among a thousand rows there would be days that PostgreSQL refuses (4712-02-29 BC), and too many rejected rows for one run.
const rows = 20;
const seed = Number(process.env.VALUES_SEED ?? 20_260_101);

let app: TestApp;
let files: DuckdbFiles;

beforeAll(async () => {
  files = await DuckdbFiles.create();
  app = await startTestApp({ DUCKDB_DIR: files.directory });
});
afterAll(async () => {
  await app.close();
  await files.remove();
});

interface Started {
  dsn: string;
  run: Source['run'];
  remove: () => Promise<void>;
}

function inTurn(run: (sql: string) => Promise<unknown>): Source['run'] {
  return async (...statements) => {
    for (const sql of statements) await run(sql);
  };
}

interface Engine {
  type: string;
  start: () => Promise<Started>;
  create: Source['create'];
  columns: Column[];
  others: [native: string, before: string | null][];
  unreadable: Unreadable[];
}

const withoutSteps = (natives: string[]): [string, null][] => natives.map(native => [native, null]);

function valuesOf({ type, start, create, columns, others, unreadable }: Engine): () => void {
  return () => {
    let started: Started;
    let source: Source;
    let tables = 0;

    beforeAll(async () => {
      started = await start();
      await app.admin.post('/api/warehouse/connections').send({ name: type, type, dsn: started.dsn, options: {} }).expect(201);
      source = { connection: type, run: started.run, create };
    });
    afterAll(() => started.remove());

    const mappingOf = (table: string): string =>
      `version: 1\nsource: {connection: ${type}}\nnodes: [{id: a, label: A, table: ${table}, key: [id], columns: [{column: id}, {column: v}]}]`;

    it('arrive as they were written, or their rows are rejected by the name of the column and the value', async () => {
      const { differences, compared } = await differencesOf(app, source, columns, { rows, seed });
      expect(differences).toEqual([]);
      expect(compared).toBe(rows * columns.length);
    }, 600_000);

    it.each(others)('cannot be mapped if their type is %s, and the check says so', async (native, before) => {
      const table = `other${++tables}`;
      if (before !== null) await source.run(before);
      await source.run(create(table, native));
      const sent = app.admin.post('/api/ingestion/mappings/validate').send({ mapping_yaml: mappingOf(table) });
      const { body } = await sent.expect(422);
      expect(body.detail.errors).toEqual([expect.objectContaining({ type: 'unreadable_column' })]);
      expect(body.detail.errors[0].msg).toContain("'v' cannot be read");
    });

    if (unreadable.length === 0) return;
    it.each(unreadable.map(({ native, sql }) => [native, sql]))(
      'end the run by their name if their type is %s and they are %s',
      async (native, sql) => {
        const table = `odd${++tables}`;
        await source.run(create(table, native), `INSERT INTO ${table} VALUES (1, ${sql})`);
        const run = await runToEnd(app, await aJob(app, await aGraph(app), mappingOf(table)));
        expect(run.error).toMatchObject({ detail: expect.stringContaining("'v'"), context: { column: 'v', table } });
        expect(run.error.code).toBe('source_value_unreadable');
      },
    );
  };
}

describe('Values of PostgreSQL', valuesOf({
  type: 'postgres',
  start: async () => {
    const foreign = await ForeignPostgres.start();
    return { dsn: foreign.dsn(), run: inTurn(sql => foreign.run(sql)), remove: () => foreign.remove() };
  },
  create: (table, native) => `CREATE TABLE ${table} (id int, v ${native})`,
  columns: postgresColumns,
  others: postgresOthers,
  unreadable: [],
})); // prettier-ignore

(hasMariaDb() ? describe : describe.skip)('Values of MariaDB', valuesOf({
  type: 'mysql',
  start: async () => {
    const maria = await MariaDb.start();
    // This mode lets the test write days such as 2024-02-00.
    await maria.run(`SET SESSION sql_mode = 'ALLOW_INVALID_DATES'`);
    return { dsn: maria.dsn(), run: inTurn(sql => maria.run(sql)), remove: () => maria.remove() };
  },
  create: (table, native) => `CREATE TABLE ${table} (id int, v ${native})`,
  columns: mysqlColumns,
  others: withoutSteps(mysqlOthers),
  unreadable: mysqlUnreadable,
})); // prettier-ignore

describeOnClickHouse('Values of ClickHouse', valuesOf({
  type: 'clickhouse',
  start: async () => {
    const foreign = await ForeignClickHouse.start();
    return { dsn: foreign.dsn(), run: inTurn(sql => foreign.run(sql)), remove: () => foreign.remove() };
  },
  create: (table, native) => `CREATE TABLE ${table} (id Int32, v ${native}) ENGINE = MergeTree ORDER BY id`,
  columns: clickHouseColumns,
  others: withoutSteps(clickHouseOthers),
  unreadable: clickHouseUnreadable,
})); // prettier-ignore

describe('Values of DuckDB', valuesOf({
  type: 'duckdb',
  start: async () => {
    await files.run('values.duckdb', 'SELECT 1');
    return { dsn: 'duckdb:///values.duckdb', run: (...statements) => files.run('values.duckdb', ...statements), remove: () => Promise.resolve() };
  },
  create: (table, native) => `CREATE TABLE ${table} (id INTEGER, v ${native})`,
  columns: duckdbColumns,
  others: withoutSteps(duckdbOthers),
  unreadable: duckdbUnreadable,
})); // prettier-ignore
