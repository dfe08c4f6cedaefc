import { mkdir } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import fc from 'fast-check';
import { from as copyFrom } from 'pg-copy-streams';
import { quoteIdentifier } from '../src/sql/quote-identifier.js';
import { type WarehouseClient } from '../src/warehouse/clients/warehouse.client.js';
import { startTestApp, type TestApp } from './support/app.js';
import { DuckdbFiles } from './support/duckdb-files.js';
import { describeWarehouseTables, noteLiterals, type TablesWorld } from './support/warehouse-tables.contract.js';
import { connectTo, copyAgain, copyToEnd, mirroredRows, mirroredTable } from './support/mirror-copies.js';
import { expectWorkOnlyAfterChange } from './support/unchanged-rows.js';
import { allowAnyStatement } from './support/statement-check.js';

allowAnyStatement();

let test: TestApp;
let files: DuckdbFiles;
beforeAll(async () => {
  files = await DuckdbFiles.create();
  test = await startTestApp({ DUCKDB_DIR: files.directory });
});
afterAll(async () => {
  await files.remove();
  await test.close();
});

let client: WarehouseClient;
let table = 0;

beforeAll(async () => {
  await files.run('values.duckdb', 'SELECT 1');
  client = await files.connect('duckdb:///values.duckdb');
});

/** Loads a table as a run does. Returns its values as PostgreSQL writes them. */
async function load(from: WarehouseClient, name: string): Promise<{ types: string[]; rows: (string | null)[][] }> {
  const { columns } = (await from.catalog({ caller: 1 }).describe(name))!;
  const reading = await from.openReading({ claim: { caller: 1 }, timeoutMs: 20_000 });
  try {
    return await test.pool.transaction(async own => {
      const typed = columns.map(column => `${quoteIdentifier(column.name)} ${column.type}`).join(', ');
      await own.query(`SET LOCAL TimeZone = 'UTC'; CREATE TEMP TABLE loaded (at serial, ${typed}) ON COMMIT DROP`);
      const names = columns.map(column => column.name);
      const copy = `COPY loaded (${names.map(quoteIdentifier).join(', ')}) FROM STDIN`;
      await pipeline(reading.rows({ table: name, columns: names }), own.query(copyFrom(copy)));
      const texts = names.map(column => `${quoteIdentifier(column)}::text`).join(', ');
      const { rows } = await own.query({ text: `SELECT ${texts} FROM loaded ORDER BY at`, rowMode: 'array' });
      return { types: columns.map(column => column.type), rows: rows as (string | null)[][] };
    });
  } finally {
    await reading.close();
  }
}

/** Loads literals of these DuckDB types, and returns them in PostgreSQL's text. They share one table: each reading starts a process. */
async function values(...columns: [type: string, ...literals: string[]][]): Promise<[type: string, ...values: (string | null)[]][]> {
  const name = `t${++table}`;
  const height = Math.max(...columns.map(([, ...literals]) => literals.length));
  const row = (at: number): string => `(${columns.map(([type, ...literals]) => `${literals[at] ?? 'NULL'}::${type}`).join(', ')})`;
  const lines = Array.from({ length: height }, (_, at) => row(at)).join(', ');
  await files.run(
    'values.duckdb',
    `CREATE TABLE ${name} AS SELECT * FROM (VALUES ${lines}) t(${columns.map((_, at) => `v${at}`).join(', ')})`,
  );
  const { types, rows } = await load(client, name);
  return columns.map(([, ...literals], at) => [types[at]!, ...literals.map((_, index) => rows[index]![at]!)]);
}

describe('values of DuckDB', () => {
  it('come as the smallest type of PostgreSQL that holds all of them', async () => {
    const largest = '170141183460469231731687303715884105727';
    const found = await values(
      ['UTINYINT', '255'],
      ['UINTEGER', '4294967295'],
      ['UBIGINT', '18446744073709551615'],
      ['HUGEINT', largest, `-${largest}`],
      ['DECIMAL(38,10)', "'1234567890123456789012345678.0123456789'"],
      ['DOUBLE', "'nan'", "'inf'", "'-inf'", '0.1', '5e-324', '1.7976931348623157e308', 'NULL'],
      ['UUID', "'A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11'"],
      ['BLOB', "'\\x00\\xFF\\x5C'", "''"],
      ['BIT', "'010110'"],
      ["ENUM('a\tb', 'c')", "'a\tb'"],
      ['JSON', `'{"a": [1, "x\\\\y"]}'`],
    );
    expect(found).toEqual([
      ['smallint', '255'],
      ['bigint', '4294967295'],
      ['numeric(20,0)', '18446744073709551615'],
      ['numeric(39,0)', largest, `-${largest}`],
      ['numeric(38,10)', '1234567890123456789012345678.0123456789'],
      ['double precision', 'NaN', 'Infinity', '-Infinity', '0.1', '5e-324', '1.7976931348623157e+308', null],
      ['uuid', 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'],
      ['bytea', '\\x00ff5c', '\\x'],
      ['bit varying', '010110'],
      ['text', 'a\tb'],
      ['json', '{"a": [1, "x\\\\y"]}'],
    ]);
  });

  it('keep their moments, also before Christ and at the ends of time', async () => {
    const found = await values(
      ['DATE', "'0044-03-15 (BC)'", "'infinity'", "'12024-01-01'", "'1500-02-29'::VARCHAR".replace('29', '28')],
      ['TIMESTAMP', "'0044-03-15 (BC) 10:00:00.000001'", "'-infinity'", "'9999-12-31 23:59:59.999999'"],
      ['TIMESTAMPTZ', "'2024-01-01 00:00:00+08'", "'1500-01-01 00:00:00+00'", "'0044-03-15 (BC) 10:00:00+00'"],
      ['TIMESTAMP_NS', "'2024-01-01 00:00:00.123456'", "'infinity'"],
      ['TIMESTAMP_S', "'2024-01-01 00:00:01'"],
      ['TIME', "'24:00:00'", "'23:59:59.999999'"],
      ['TIMETZ', "'12:00:00+05:30'"],
      ['INTERVAL', "'-14 months 3 days -04:05:06.5'", "'0 days'"],
    );
    expect(found).toEqual([
      ['date', '0044-03-15 BC', 'infinity', '12024-01-01', '1500-02-28'],
      ['timestamp', '0044-03-15 10:00:00.000001 BC', '-infinity', '9999-12-31 23:59:59.999999'],
      ['timestamptz', '2023-12-31 16:00:00+00', '1500-01-01 00:00:00+00', '0044-03-15 10:00:00+00 BC'],
      ['timestamp', '2024-01-01 00:00:00.123456', 'infinity'],
      ['timestamp', '2024-01-01 00:00:01'],
      ['time', '24:00:00', '23:59:59.999999'],
      ['time with time zone', '12:00:00+05:30'],
      ['interval', '-1 years -2 mons +3 days -04:05:06.5', '00:00:00'],
    ]);
  });

  it('are refused one by one where PostgreSQL has none of them', async () => {
    const refused = { code: 'column_value_not_readable', context: { column: 'v0' } };
    await expect(values(['TIMESTAMP_NS', "'2024-01-01 00:00:00.123456789'"])).rejects.toMatchObject(refused);
    await expect(values(['DATE', "'5000-01-01 (BC)'"])).rejects.toMatchObject(refused);
    await expect(values(['DATE', "'5881580-01-01'"])).rejects.toMatchObject(refused);
    await expect(values(['TIMESTAMP', "'100000-01-01 (BC) 00:00:00'"])).rejects.toMatchObject(refused);
    await expect(values(['VARCHAR', "'a' || chr(0)"])).rejects.toMatchObject(refused);
  });

  it('come as arrays and as JSON', async () => {
    const found = await values(
      ['BIGINT[]', '[1, NULL, -3]', '[]', 'NULL'],
      ['FLOAT[2]', '[1.5, 2]'],
      ['DATE[]', "['0044-03-15 (BC)']"],
      ['BLOB[]', "['\\x00'::BLOB]"],
      ['STRUCT(a UBIGINT, b VARCHAR[])', "{a: 18446744073709551615, b: ['\"', NULL]}"],
      ['MAP(VARCHAR, DECIMAL(38,9))', "MAP {'k': 12345678901234567890.123456789}"],
      ['INTEGER[][]', '[[1, 2], [3]]'],
    );
    expect(found).toEqual([
      ['bigint[]', '{1,NULL,-3}', '{}', null],
      ['real[]', '{1.5,2}'],
      ['date[]', '{"0044-03-15 BC"}'],
      ['bytea[]', '{"\\\\x00"}'],
      ['jsonb', '{"a": 18446744073709551615, "b": ["\\"", null]}'],
      ['json', '{"k":12345678901234567890.123456789}'],
      ['jsonb', '[[1, 2], [3]]'],
    ]);
  });

  it('are the same in PostgreSQL, whatever the texts, numbers and lists', async () => {
    const text = fc.string({ unit: 'binary' }).filter(value => !/\0|\p{Cs}/u.test(value));
    const row = fc.tuple(
      fc.option(text),
      fc.option(fc.array(fc.option(text), { maxLength: 4 })),
      fc.double(),
      fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
    );
    const literal = (value: string | null): string => (value === null ? 'NULL' : `'${value.replaceAll("'", "''")}'`);
    await fc.assert(
      fc.asyncProperty(fc.array(row, { minLength: 1, maxLength: 40 }), async rows => {
        const name = `t${++table}`;
        const lines = rows.map(
          ([t, list, double, whole]) =>
            `(${literal(t)}, ${list === null ? 'NULL' : `[${list.map(literal).join(', ')}]::VARCHAR[]`}, '${double}'::DOUBLE, ${whole})`,
        );
        await files.run(
          'values.duckdb',
          `CREATE TABLE ${name} (t VARCHAR, list VARCHAR[], d DOUBLE, n BIGINT)`,
          `INSERT INTO ${name} VALUES ${lines.join(', ')}`,
        );
        const loaded = (await load(client, name)).rows;
        const { rows: expected } = await test.pool.query<(string | null)[]>({
          text: `SELECT t, list::text, d::text, n::text FROM jsonb_to_recordset($1) AS r(at int, t text, list text[], d float8, n int8) ORDER BY at`,
          values: [JSON.stringify(rows.map(([t, list, d, n], at) => ({ at, t, list, d: String(d), n: String(n) })))],
          rowMode: 'array',
        } as never);
        expect(loaded).toEqual(expected);
      }),
      { numRuns: 25 },
    );
  });
});

let database: WarehouseClient;

beforeAll(async () => {
  await files.run('contract.duckdb', 'SELECT 1');
  database = await files.connect('duckdb:///contract.duckdb');
});

const tables: Pick<TablesWorld, 'setUp' | 'types' | 'guarantee' | 'slow'> = {
  guarantee: 'statement',
  slow: 'SELECT count(*) FROM range(1000000000) a, range(1000) b WHERE a.range % 7 = b.range',
  types: [
    ['integer', 'INTEGER'],
    ['text', 'VARCHAR'],
    ['numeric(12,2)', 'DECIMAL(12,2)'],
    ['date', 'DATE'],
    ['timestamp', 'TIMESTAMP'],
    ['double precision', 'DOUBLE'],
  ],
  setUp: [
    `CREATE TABLE contract_orders (id INTEGER PRIMARY KEY, name VARCHAR, amount DECIMAL(12,2), day DATE, seen TIMESTAMP, ratio DOUBLE)`,
    `COMMENT ON TABLE contract_orders IS '订单'`,
    `COMMENT ON COLUMN contract_orders.amount IS '金额（元）'`,
    `INSERT INTO contract_orders VALUES (1, '华为', 12.5, '2024-02-29', '2024-02-29 10:00:00.123', 0.1), (2, NULL, NULL, NULL, NULL, NULL)`,
    `CREATE TABLE contract_lines (order_id INTEGER REFERENCES contract_orders (id), line INTEGER, note VARCHAR, PRIMARY KEY (order_id, line))`,
    `INSERT INTO contract_lines VALUES ${noteLiterals.map((note, index) => `(1, ${index + 1}, ${note})`).join(', ')}`,
    `CREATE TABLE contract_odd (id INTEGER, odd UNION(a INTEGER, b VARCHAR))`,
    `INSERT INTO contract_odd VALUES (1, 'x')`,
  ],
};

describeWarehouseTables('a DuckDB database', () => ({
  ...tables,
  client: database,
  pool: test.pool,
  change: sql => files.run('contract.duckdb', sql),
}));

describe('a copy of tables of DuckDB', () => {
  it('is not needed by runs on Parquet, which end at once on unchanged rows', async () => {
    await mkdir(files.path('same'));
    const write = (value: string, more = '') =>
      files.run(
        null,
        `COPY (SELECT * FROM (VALUES (1, 'a'), (2, '${value}')) t(id, v)) TO '${files.path('same', 'same_rows.parquet')}'${more}`,
      );
    await write('b');
    await connectTo(test, 'duckdb', 'duckdb:///same/', 'same');
    const rewrite = () => write('b', ' (COMPRESSION zstd)');
    await expectWorkOnlyAfterChange(test, { connection: 'same', table: 'same_rows', rewrite, change: () => write('c') });
  });

  it('equals its source, and goes on from a cursor', async () => {
    await files.run(
      'sales.duckdb',
      `CREATE TABLE kinds (id BIGINT PRIMARY KEY, n DECIMAL(38,10), d DOUBLE, t VARCHAR NOT NULL, b BOOLEAN, day DATE, ts TIMESTAMP, tz TIMESTAMPTZ, ints INTEGER[], texts VARCHAR[], bin BLOB, u UNION(a INTEGER, b VARCHAR))`,
      `COMMENT ON TABLE kinds IS '种类'`,
      `INSERT INTO kinds VALUES (1, 1234567890123456789.0123456789, 0.1, 'tab' || chr(9) || chr(10) || '\\N', true, '2024-02-29', '2024-02-29 12:00:00.123456', '2024-02-29 12:00:00+08', [1, NULL, 3], ['a,b', '', NULL, 'q"\\'], '\\x00\\xFF'::BLOB, 1),
        (2, NULL, 'inf', '', false, NULL, NULL, NULL, [], NULL, NULL, NULL)`,
    );
    const id = await connectTo(test, 'duckdb', 'duckdb:///sales.duckdb');
    const done = await copyToEnd(test, id, [{ table: 'kinds', as: 'duck', mode: 'cursor', cursor: 'id' }]);
    expect(done.error).toBeNull();
    expect(done.tables[0].left_out.map(({ column }: any) => column)).toEqual(['u']);
    expect(
      (
        await test.pool.query({
          text: `SELECT id::text, n::text, d, t, b, day::text, ts::text, tz AT TIME ZONE 'UTC' = '2024-02-29 04:00:00', ints, texts, bin FROM mirror.duck ORDER BY duck.id`,
          rowMode: 'array',
        })
      ).rows,
    ).toEqual([
      [
        '1',
        '1234567890123456789.0123456789',
        0.1,
        'tab\t\n\\N',
        true,
        '2024-02-29',
        '2024-02-29 12:00:00.123456',
        true,
        [1, null, 3],
        ['a,b', '', null, 'q"\\'],
        Buffer.from([0, 255]),
      ],
      ['2', null, Infinity, '', false, null, null, null, [], null, null],
    ]);
    expect(await mirroredTable(test, 'duck')).toMatchObject({ comment: '种类', keys: [{ kind: 'primary', columns: ['id'] }] });
    expect((await mirroredTable(test, 'duck')).columns.find((column: any) => column.name === 't').nullable).toBe(false);
    await files.run('sales.duckdb', `INSERT INTO kinds (id, t) VALUES (3, 'c')`, `UPDATE kinds SET t = 'two' WHERE id = 2`);
    expect((await copyAgain(test, done.id)).tables[0]).toMatchObject({ reads: 'since', rows: 2, inserted: 1, updated: 1 });
  });

  it('reads all rows where the lag reaches below the zero of a column without sign', async () => {
    await files.run('early.duckdb', 'CREATE TABLE early (id UINTEGER PRIMARY KEY)', 'INSERT INTO early VALUES (5)');
    const id = await connectTo(test, 'duckdb', 'duckdb:///early.duckdb', 'early');
    const first = await copyToEnd(test, id, [{ table: 'early', mode: 'cursor', cursor: 'id', lag: '10' }]);
    expect(first.error).toBeNull();
    await files.run('early.duckdb', 'INSERT INTO early VALUES (0), (6)');
    const next = await copyAgain(test, first.id);
    expect(next.error).toBeNull();
    expect(await mirroredRows(test, 'early')).toEqual(['(0)', '(5)', '(6)']);
  });
});
