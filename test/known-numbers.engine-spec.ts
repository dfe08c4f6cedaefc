import { createHash } from 'node:crypto';
import { mkdir, readFile } from 'node:fs/promises';
import { graphTables } from '../src/database/graph-tables.js';
import { startTestApp, type TestApp } from './support/app.js';
import { DuckdbFiles } from './support/duckdb-files.js';
import { describeOnClickHouse, ForeignClickHouse } from './support/foreign-clickhouse.js';
import { ForeignPostgres } from './support/foreign-postgres.js';
import { aForeignConnection, contentOf, copyFromMirror } from './support/foreign-tables.js';
import { counts, ingest, rejectedRows, shared, tablesPath, uploadRequest } from './support/ingestion.js';
import { divisions, flights, knownNumbers, knownTables, columnsOf, writeKnownTables } from './support/known-tables.js';
import { MariaDb, mariaDbIsThere } from './support/mariadb.js';
import { copyToEnd } from './support/mirror-copies.js';
import { describeWhere, describeWithShared } from './support/shared-data.js';

const names = Object.keys(knownTables);
const every = ['northwind', 'flights', 'divisions'] as const;

interface Loaded {
  graphId: number;
  rejected: any[];
}

describeWithShared('The known numbers of Northwind, OpenFlights and the divisions of China', 'data/openflights', () => {
  let app: TestApp;
  let files: DuckdbFiles;
  let foreign: ForeignPostgres;
  let far: number;
  const expected = new Map<string, string>();

  beforeAll(async () => {
    files = await DuckdbFiles.create();
    for (const folder of ['csv', 'tsv', 'json', 'parquet']) await mkdir(files.path(folder));
    [app, foreign] = await Promise.all([
      startTestApp({ DUCKDB_DIR: files.directory }),
      ForeignPostgres.start(),
      writeKnownTables(files.path('csv'), 'csv', 'FORMAT csv, HEADER'),
      writeKnownTables(files.path('json'), 'ndjson', 'FORMAT json'),
      writeKnownTables(files.path('parquet'), 'parquet', 'FORMAT parquet'),
    ]);
    await uploadAll('csv', 'text/csv');
  });
  afterAll(async () => {
    await Promise.all([app.close(), foreign.remove(), files.remove()]);
  });

  const file = (folder: string, name: string): Promise<Buffer> => readFile(files.path(folder, name));

  async function uploadAll(ending: string, type: string, folder = ending): Promise<void> {
    for (const table of names) {
      const content = await file(folder, `${table}.${ending}`);
      const types = columnsOf(table, await csvOf(table)).map(([name, type]) => `${name}:${type === 'TEXT' ? 'text' : uploaded(type)}`);
      const query: Record<string, string> = ending === 'parquet' ? {} : { types: types.join(',') };
      const { status, body } = await uploadRequest(app.admin, table, content, query, type);
      if (status >= 300) throw new Error(`${table}: ${JSON.stringify(body)}`);
    }
  }
  const csvOf = async (table: string): Promise<string> => (await file('csv', `${table}.csv`)).toString();
  const uploaded = (type: string): string => (type.startsWith('DECIMAL') ? 'numeric' : type.toLowerCase());

  async function connect(name: string, type: string, dsn: string): Promise<string> {
    const { status, body } = await app.admin.post('/api/warehouse/connections').send({ name, type, dsn });
    if (status !== 201) throw new Error(JSON.stringify(body));
    return name;
  }

  /** Loads data sets from a connection and expects the known numbers, and the same graph and rejected rows as from the first source. */
  async function expectKnown(
    connection: string,
    sets: readonly (keyof typeof knownNumbers)[],
    edited = (mapping: string) => mapping,
  ): Promise<Loaded[]> {
    const loaded: Loaded[] = [];
    const northwind = shared('data/northwind/mapping_example.yaml').toString();
    for (const set of sets) {
      const mapping = { northwind, flights, divisions }[set].replace('connection: pg_mirror', `connection: ${connection}`);
      const { graphId, run } = await ingest(app, edited(mapping));
      expect([set, run.error, counts(run)]).toEqual([set, null, knownNumbers[set]]);
      const rows = await rejectedRows(app, run.id);
      loaded.push({ graphId, rejected: rows });
      const rejected = rows.map(({ source_key, reasons }) => JSON.stringify([source_key, reasons])).sort();
      const content = JSON.stringify([await contentOf(app, graphId), rejected]);
      const hash = createHash('sha256').update(content).digest('hex');
      expect([set, hash]).toEqual([set, expected.get(set) ?? hash]);
      expected.set(set, hash);
    }
    return loaded;
  }

  it('come from CSV in the mirror, with the lines of rejected rows and codes as text', async () => {
    const [, routes, codes] = await expectKnown('pg_mirror', every);
    const lines = shared('data/openflights/routes.dat').toString().split('\n');
    expect(routes!.rejected).toHaveLength(469);
    for (const row of routes!.rejected) {
      const [airline, , , source, , destination] = lines[row.row_no - 1]!.split(',');
      expect(row.source_key).toContain(`"${airline}"`);
      expect(row.sample).toMatchObject({ source_id: source, destination_id: destination });
      expect(row.reasons[0]).toMatchObject({ rule: 'on_missing', en: expect.stringMatching(/^(from|to): no node 机场 with key '\d+'$/) });
    }
    const { nodes } = graphTables(codes!.graphId);
    const { rows } = await app.pool.query(`SELECT properties->'code' AS code FROM ${nodes} WHERE key = '110101'`);
    expect(rows).toEqual([{ code: '110101' }]);
  });

  it('come from a second PostgreSQL', async () => {
    for (const table of names) await copyFromMirror(app, foreign, table);
    far = await aForeignConnection(app, foreign);
    await expectKnown('far', every);
  });

  it('come from copies of a second PostgreSQL in the mirror', async () => {
    for (const table of names) await app.admin.delete(`${tablesPath}/${table}?force=true`).expect(204);
    const copy = await copyToEnd(app, far, names.map(table => ({ table }))); // prettier-ignore
    expect(copy.error).toBeNull();
    await expectKnown('pg_mirror', every);
    await app.admin.delete(`/api/warehouse/mirror-copies/${copy.id}`).expect(204);
    for (const table of names) await app.admin.delete(`${tablesPath}/${table}?force=true`).expect(204);
  });

  it.each([
    ['NDJSON', 'ndjson', 'application/x-ndjson', 'json'],
    ['Parquet', 'parquet', 'application/vnd.apache.parquet', 'parquet'],
  ])('come from %s in the mirror', async (_name, ending, type, folder) => {
    await uploadAll(ending, type, folder);
    await expectKnown('pg_mirror', every);
  }); // prettier-ignore

  it('come from Parquet files', async () => {
    await expectKnown(await connect('parquet', 'duckdb', 'duckdb:///parquet/'), every);
  });

  it('come from JSON files', async () => {
    await expectKnown(await connect('json', 'duckdb', 'duckdb:///json/'), every);
  });

  it('come from CSV files, with decimals as texts', async () => {
    const cast = (mapping: string): string => mapping.replace('unit_price * quantity * (1 - discount)', 'unit_price::numeric * quantity * (1 - discount::numeric)'); // prettier-ignore
    await expectKnown(await connect('csv', 'duckdb', 'duckdb:///csv/'), every, cast);
  });

  describeWhere(mariaDbIsThere, 'with MariaDB', 'apt-get install mariadb-server-core mariadb-client-core', () => {
    let db: MariaDb;
    beforeAll(async () => {
      [db] = await Promise.all([
        MariaDb.start(),
        writeKnownTables(files.path('tsv'), 'tsv', "FORMAT csv, HEADER false, FORCE_QUOTE *, NULLSTR 'NULL'"),
      ]);
      for (const table of names) {
        const columns = columnsOf(table, await csvOf(table)).map(([name, type]) => `\`${name}\` ${type}`);
        await db.run(`CREATE TABLE ${table} (${columns.join(', ')})`);
        await db.run(
          `LOAD DATA INFILE '${files.path('tsv', `${table}.tsv`)}' INTO TABLE ${table} CHARACTER SET utf8mb4 FIELDS TERMINATED BY ',' OPTIONALLY ENCLOSED BY '"' ESCAPED BY ''`,
        );
      }
    });
    afterAll(() => db.remove());

    it('come from its tables', async () => {
      await expectKnown(await connect('maria', 'mysql', db.dsn()), every);
    });
  });

  describeOnClickHouse('with ClickHouse', () => {
    let db: ForeignClickHouse;
    beforeAll(async () => {
      db = await ForeignClickHouse.start();
      for (const table of names) {
        const parquet = files.path('parquet', `${table}.parquet`);
        await db.run(`CREATE TABLE ${table} ENGINE = MergeTree ORDER BY tuple() AS SELECT * FROM file('${parquet}', Parquet)`);
      }
    });
    afterAll(() => db.remove());

    it('come from its tables', async () => {
      await expectKnown(await connect('click', 'clickhouse', db.dsn()), every);
    });
  });
});
