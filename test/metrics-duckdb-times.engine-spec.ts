import { type Client, grantConnection, startTestApp, type TestApp } from './support/app.js';
import { DuckdbFiles } from './support/duckdb-files.js';
import { connectTo } from './support/mirror-copies.js';

let test: TestApp;
let editor: Client;
let graphId: number;
let files: DuckdbFiles;
let duckdb: number;

beforeAll(async () => {
  files = await DuckdbFiles.create();
  await files.run(
    'times.duckdb',
    `CREATE TABLE early AS SELECT * FROM (VALUES (10, DATE '0044-03-15 (BC)'), (1, DATE '0001-02-29 (BC)'), (5, DATE '2024-05-01')) AS t(n, day)`,
    `CREATE TABLE nanos AS SELECT i AS id, make_timestamp_ns(1704067200000000000 + i) AS "a'ns", make_timestamp_ns(1704067200000000000 + i * 1000) AS us FROM range(1, 6) AS t(i)`,
  );
  test = await startTestApp({ DUCKDB_DIR: files.directory });
  editor = await test.asUser('lin');
  await grantConnection(test, 'lin');
  await test.pool.query(
    `CREATE TABLE mirror.early AS SELECT * FROM (VALUES (10, DATE '0044-03-15 BC'), (1, DATE '0001-02-29 BC'), (5, DATE '2024-05-01')) AS t(n, day)`,
  );
  duckdb = await connectTo(test, 'duckdb', 'duckdb:///times.duckdb');
  await test.admin.post(`/api/permissions/connections/${duckdb}/users`).send({ username: 'lin', right: 'read' }).expect(201);
  graphId = (await editor.post('/api/graphs').send({ name: '时间' }).expect(201)).body.id;
}, 180_000);
afterAll(async () => {
  await test?.close();
  await files?.remove();
});

let names = 0;
async function answerOf(connection: number, table: string, formula: string, request: object = {}) {
  const binding = { connection_id: connection, relation: { table } };
  const { body: metric } = await editor
    .post('/api/metrics')
    .send({ graph_id: graphId, name: `m${names++}`, formula, binding })
    .expect(201);
  const { body, status } = await editor.post(`/api/metrics/${metric.id}/execute`).send(request);
  return status === 200 ? body.rows : { status, code: body.code, detail: body.detail, context: body.context };
}

describe('dates before the year 1 on DuckDB', () => {
  it.each([
    [`SUM(n WHERE day = '0044-03-15 BC')`, [['10']]],
    [`COUNT(* WHERE day = '2024-05-01 BC')`, [['0']]],
    [`SUM(n WHERE day < date '0002-01-01 BC')`, [['10']]],
    [`SUM(n WHERE EXTRACT(year FROM day) = -44)`, [['10']]],
    [`SUM(n WHERE EXTRACT(year FROM day) = -1)`, [['1']]],
    [`SUM(n WHERE EXTRACT(year FROM day) = 2024)`, [['5']]],
  ])('are those of the mirror in %s', async (formula, rows) => {
    expect(await answerOf(1, 'early', formula)).toEqual(rows);
    expect(await answerOf(duckdb, 'early', formula)).toEqual(rows);
  });

  it.each([
    [{ field: 'day', op: '=', value: '-0043-03-15' }, [['10']]],
    [{ field: 'day', op: 'between', values: ['-0043-03-15', '0000-02-29'] }, [['11']]],
    [{ field: 'day', op: '<', value: '0000-01-01' }, [['10']]],
  ])('are filtered as results write them: %j', async (filter, rows) => {
    for (const connection of [1, duckdb]) expect(await answerOf(connection, 'early', 'SUM(n)', { filters: [filter] })).toEqual(rows);
  });
});

describe('times with nanoseconds on DuckDB', () => {
  it('are refused by name where a metric would cut them', async () => {
    for (const formula of [`COUNT(DISTINCT "a'ns")`, `MAX("a'ns")`, `COUNT(* WHERE "a'ns" > '2024-01-01')`])
      expect(await answerOf(duckdb, 'nanos', formula)).toMatchObject({
        status: 422,
        code: 'column_value_not_readable',
        detail: expect.stringMatching(/The column 'a'ns' has a value that PostgreSQL cannot hold/),
        context: { column: "a'ns" },
      });
  });

  it('are read where they are whole microseconds', async () => {
    expect(await answerOf(duckdb, 'nanos', 'COUNT(DISTINCT us)')).toEqual([['5']]);
    expect(await answerOf(duckdb, 'nanos', `COUNT(* WHERE us > '2024-01-01 00:00:00.000002')`)).toEqual([['3']]);
  });

  it('leave the description of their table, with a note that names the column', async () => {
    const { body } = await editor.get(`/api/warehouse/connections/${duckdb}/tables/nanos`).expect(200);
    expect(body).toMatchObject({ sample: [], sample_note: expect.stringContaining("The column 'a'ns' of the table 'nanos'") });
    expect(body.columns).toHaveLength(3);
  });
});
