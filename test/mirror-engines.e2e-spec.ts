import { setTimeout as sleep } from 'node:timers/promises';
import { startTestApp, type TestApp } from './support/app.js';
import { DuckdbFiles } from './support/duckdb-files.js';
import { describeOnClickHouse, ForeignClickHouse } from './support/foreign-clickhouse.js';
import { hasMariaDb, MariaDb } from './support/mariadb.js';
import { copyToEnd, ended, startCopy } from './support/mirror-copies.js';

let test: TestApp;
let files: DuckdbFiles;

beforeAll(async () => {
  files = await DuckdbFiles.create();
  test = await startTestApp({ WAREHOUSE_ALLOWED_ADDRESSES: '127.0.0.1', DUCKDB_DIR: files.directory });
}, 60_000);
afterAll(async () => {
  await test.close();
  await files.remove();
});

async function connect(type: string, dsn: string, name = type): Promise<number> {
  const { body, status } = await test.admin.post('/api/warehouse/connections').send({ name, type, dsn });
  if (status !== 201) throw new Error(JSON.stringify(body));
  return body.id;
}
/** Each row of a mirror table as PostgreSQL writes it. */
const texts = async (table: string): Promise<string[]> =>
  (await test.pool.query(`SELECT t::text AS row FROM mirror.${table} t ORDER BY 1`)).rows.map(({ row }) => row);
const described = async (table: string): Promise<any> =>
  (await test.admin.get(`/api/warehouse/connections/1/tables/${table}`).expect(200)).body;
async function again(id: number): Promise<any> {
  await test.admin.post(`/api/warehouse/mirror-copies/${id}/run`).expect(202);
  return ended(test, id);
}

(hasMariaDb() ? describe : describe.skip)('a copy of tables of MariaDB', () => {
  let db: MariaDb;
  let id: number;
  beforeAll(async () => {
    db = await MariaDb.start();
    id = await connect('mysql', db.dsn());
  }, 60_000);
  afterAll(() => db.remove());

  it('equals its source, with key and comments, and takes a date of zeros for none', async () => {
    await db.run(
      `CREATE TABLE kinds (id bigint unsigned PRIMARY KEY, n decimal(30,10) COMMENT '金额', d double, t text, b tinyint(1), day date NOT NULL, ts datetime(6), bin varbinary(9), shape point) COMMENT '种类'`,
    );
    await db.run(`SET SESSION sql_mode = ''`);
    await db.run(`INSERT INTO kinds VALUES (18446744073709551615, 12345678901234567890.0123456789, 0.1, 'tab\\there\\nnew\\r\\\\N', 2, '2024-02-29', '2024-02-29 12:00:00.123456', 0x00FF5C, NULL),
      (1, NULL, NULL, '', NULL, '0000-00-00', NULL, NULL, NULL), (2, -0.5, -1e300, '𝒳中文 🙂', 0, '1000-01-01', '9999-12-31 23:59:59', '', NULL)`);
    const done = await copyToEnd(test, id, [{ table: 'kinds' }]);
    expect(done.error).toBeNull();
    expect(done).toMatchObject({ guarantee: 'snapshot', rows: 3 });
    expect(done.tables[0].left_out).toEqual([{ column: 'shape', native_type: 'point', reason: expect.any(String) }]);
    expect(
      (
        await test.pool.query({
          text: `SELECT id::text, n::text, d, t, b, day::text, ts::text, bin FROM mirror.kinds ORDER BY kinds.id`,
          rowMode: 'array',
        })
      ).rows,
    ).toEqual([
      ['1', null, null, '', null, null, null, null],
      ['2', '-0.5000000000', -1e300, '𝒳中文 🙂', 0, '1000-01-01', '9999-12-31 23:59:59', Buffer.from('')],
      [
        '18446744073709551615',
        '12345678901234567890.0123456789',
        0.1,
        'tab\there\nnew\r\\N',
        2,
        '2024-02-29',
        '2024-02-29 12:00:00.123456',
        Buffer.from([0, 255, 92]),
      ],
    ]);
    expect(await described('kinds')).toMatchObject({ comment: '种类', keys: [{ kind: 'primary', columns: ['id'] }] });
  });

  it('by cursor reads on with every row of the last moment', async () => {
    await db.run('CREATE TABLE moving (id int PRIMARY KEY, v text, at timestamp(3) NULL)');
    await db.run(`INSERT INTO moving VALUES (1, 'a', '2024-01-01 10:00:00.125'), (2, 'b', '2024-01-02 10:00:00.125')`);
    const first = await copyToEnd(test, id, [{ table: 'moving', mode: 'cursor', cursor: 'at', lag: '1s' }]);
    expect(first.error).toBeNull();
    await db.run(`INSERT INTO moving VALUES (3, 'c', '2024-01-02 10:00:00.125'), (4, 'd', '2024-01-02 09:59:59.124'), (5, 'e', NULL)`);
    await db.run(`UPDATE moving SET v = 'new' WHERE id = 2`);
    const next = await again(first.id);
    expect(next.tables[0]).toMatchObject({ reads: 'since', rows: 3, inserted: 2, updated: 1, problem: null });
    expect((await texts('moving')).map(row => row.split(',').slice(0, 2).join())).toEqual(['(1,a', '(2,new', '(3,c', '(5,e']);
  });

  it.each([
    ['has another type', 'MODIFY at datetime(3)'],
    ['is renamed', 'CHANGE at moment datetime'],
    ['is dropped', 'DROP at'],
  ])(
    'fails where a column %s before its rows are read',
    async (_, change) => {
      await db.run('CREATE OR REPLACE VIEW crawl AS SELECT seq AS id, SLEEP(0.01) AS pause FROM seq_1_to_150');
      await db.run('CREATE OR REPLACE TABLE late (id int, at datetime)');
      await db.run("INSERT INTO late VALUES (1, '2024-01-01')");
      const tables = ['crawl', 'late'].map(table => ({ table, as: `${table} ${change}` }));
      const { body } = await startCopy(test, id, tables);
      const reads = async () => (await db.run(`SELECT ID FROM information_schema.PROCESSLIST WHERE USER = 'reader' AND INFO LIKE '%crawl%'`)).length > 0; // prettier-ignore
      for (let tries = 0; !(await reads()); tries++, await sleep(20)) expect(tries).toBeLessThan(500);
      await db.run(`ALTER TABLE late ${change}`);
      expect(await ended(test, body.id)).toMatchObject({
        status: 'failed',
        error: { code: 'source_changed', context: { connection: 'mysql', table: 'late' } },
        tables: [{ status: 'unchanged' }, { status: 'failed' }],
      });
    },
    60_000,
  );
});

describe('a copy of tables of DuckDB', () => {
  it('equals its source, and goes on from a cursor', async () => {
    await files.run(
      'sales.duckdb',
      `CREATE TABLE kinds (id BIGINT PRIMARY KEY, n DECIMAL(38,10), d DOUBLE, t VARCHAR NOT NULL, b BOOLEAN, day DATE, ts TIMESTAMP, tz TIMESTAMPTZ, ints INTEGER[], texts VARCHAR[], bin BLOB, u UNION(a INTEGER, b VARCHAR))`,
      `COMMENT ON TABLE kinds IS '种类'`,
      `INSERT INTO kinds VALUES (1, 1234567890123456789.0123456789, 0.1, 'tab' || chr(9) || chr(10) || '\\N', true, '2024-02-29', '2024-02-29 12:00:00.123456', '2024-02-29 12:00:00+08', [1, NULL, 3], ['a,b', '', NULL, 'q"\\'], '\\x00\\xFF'::BLOB, 1),
        (2, NULL, 'inf', '', false, NULL, NULL, NULL, [], NULL, NULL, NULL)`,
    );
    const id = await connect('duckdb', 'duckdb:///sales.duckdb');
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
    expect(await described('duck')).toMatchObject({ comment: '种类', keys: [{ kind: 'primary', columns: ['id'] }] });
    expect((await described('duck')).columns.find((column: any) => column.name === 't').nullable).toBe(false);
    await files.run('sales.duckdb', `INSERT INTO kinds (id, t) VALUES (3, 'c')`, `UPDATE kinds SET t = 'two' WHERE id = 2`);
    expect((await again(done.id)).tables[0]).toMatchObject({ reads: 'since', rows: 2, inserted: 1, updated: 1 });
  });

  it('reads all rows where the lag reaches below the zero of a column without sign', async () => {
    await files.run('early.duckdb', 'CREATE TABLE early (id UINTEGER PRIMARY KEY)', 'INSERT INTO early VALUES (5)');
    const id = await connect('duckdb', 'duckdb:///early.duckdb', 'early');
    const first = await copyToEnd(test, id, [{ table: 'early', mode: 'cursor', cursor: 'id', lag: '10' }]);
    expect(first.error).toBeNull();
    await files.run('early.duckdb', 'INSERT INTO early VALUES (0), (6)');
    const next = await again(first.id);
    expect(next.error).toBeNull();
    expect(await texts('early')).toEqual(['(0)', '(5)', '(6)']);
  });
});

describeOnClickHouse('a copy of tables of ClickHouse', () => {
  let server: ForeignClickHouse;
  beforeAll(async () => {
    server = await ForeignClickHouse.start();
  }, 60_000);
  afterAll(() => server.remove());

  it('equals its source, and needs the columns of a key for a cursor', async () => {
    await server.run(
      `CREATE TABLE kinds (id UInt64, n Nullable(Decimal(38, 10)), d Float64, t String COMMENT '文', b Bool, day Date, at DateTime64(3, 'UTC'), ints Array(Nullable(Int32)), m Map(String, Int32)) ENGINE = MergeTree ORDER BY id COMMENT '种类'`,
    );
    await server.run(
      `INSERT INTO kinds VALUES (1, 1234567890123456789.0123456789, 0.1, 'tab\\t\\n\\\\N', true, '2024-02-29', '2024-02-29 12:00:00.123', [1, NULL], {'a': 1}), (18446744073709551615, NULL, inf, '', false, '1970-01-01', '2024-02-29 13:00:00', [], {})`,
    );
    const id = await connect('clickhouse', server.dsn());
    const keyless = await startCopy(test, id, [{ table: 'kinds', as: 'click', mode: 'cursor', cursor: 'at' }]);
    expect(keyless.status).toBe(422);
    expect(keyless.body.detail.errors).toEqual([expect.objectContaining({ loc: ['body', 'tables', 0, 'key'], type: 'key_needed' })]);
    const done = await copyToEnd(test, id, [{ table: 'kinds', as: 'click', mode: 'cursor', cursor: 'at', key: ['id'] }]);
    expect(done.error).toBeNull();
    expect(done).toMatchObject({ guarantee: 'statement', rows: 2 });
    expect(
      (
        await test.pool.query({
          text: `SELECT id::text, n::text, d, t, b, day::text, at = '2024-02-29 12:00:00.123+00', ints, m FROM mirror.click ORDER BY click.id`,
          rowMode: 'array',
        })
      ).rows,
    ).toEqual([
      ['1', '1234567890123456789.0123456789', 0.1, 'tab\t\n\\N', true, '2024-02-29', true, [1, null], { a: 1 }],
      ['18446744073709551615', null, Infinity, '', false, '1970-01-01', false, [], {}],
    ]);
    expect(await described('click')).toMatchObject({ comment: '种类', keys: [{ columns: ['id'] }] });
    await server.run(`INSERT INTO kinds (id, t, at) VALUES (2, 'same moment', '2024-02-29 13:00:00')`);
    expect((await again(done.id)).tables[0]).toMatchObject({ reads: 'since', rows: 2, inserted: 1, updated: 0 });
  });
});
