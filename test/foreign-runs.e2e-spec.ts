import { type TestApp, startTestApp } from './support/app.js';
import { ForeignPostgres } from './support/foreign-postgres.js';
import { aForeignConnection, contentOf, copyFromMirror } from './support/foreign-tables.js';
import { aGraph, aJob, counts, ingest, rejectedRows, runToEnd, shared, upload } from './support/ingestion.js';
import { describeWithShared } from './support/shared-data.js';
import { itLong } from './support/tier.js';

let app: TestApp;
let foreign: ForeignPostgres;

beforeAll(async () => {
  [app, foreign] = await Promise.all([startTestApp(), ForeignPostgres.start()]);
  await aForeignConnection(app, foreign);
  await aForeignConnection(app, foreign, 'schemas', { schema_allowlist: ['public', 'hr'] });
});
afterAll(async () => {
  await Promise.all([app.close(), foreign.remove()]);
});

/** Runs a mapping on the mirror and on the foreign server, and expects the same graph and the same report. */
async function expectSame(mapping: string): Promise<any> {
  const local = await ingest(app, `version: 1\n${mapping}`);
  const far = await ingest(app, `version: 1\nsource: {connection: far}\n${mapping}`);
  expect(far.run.error).toBeNull();
  expect(local.run.error).toBeNull();
  expect(counts(far.run)).toEqual(counts(local.run));
  expect(await contentOf(app, far.graphId)).toEqual(await contentOf(app, local.graphId));
  expect(await rejectedRows(app, far.run.id)).toEqual(await rejectedRows(app, local.run.id));
  return far.run;
}

/** Problems of a mapping as `type: sentence`. */
async function problemsOf(mapping: string): Promise<string[]> {
  const { body } = await app.admin
    .post('/api/ingestion/mappings/validate')
    .send({ mapping_yaml: `version: 1\n${mapping}` })
    .expect(422);
  return body.detail.errors.map((error: any) => `${error.type}: ${error.msg}`);
}

describeWithShared('Northwind on another server', 'data/northwind/csv', () => {
  beforeAll(async () => {
    for (const table of ['customers', 'orders', 'products', 'order_details']) {
      await upload(app, table, shared(`data/northwind/csv/${table}.csv`));
      await copyFromMirror(app, foreign, table);
    }
  });

  it('makes the graph that the mirror makes', async () => {
    const mapping = shared('data/northwind/mapping_example.yaml').toString();
    const local = await ingest(app, mapping);
    const far = await ingest(app, mapping.replace('connection: pg_mirror', 'connection: far'));
    expect(far.run).toMatchObject({ status: 'succeeded', error: null });
    expect(counts(far.run)).toEqual({
      客户: [91, 91, 0, 0, 0, 0, 0],
      订单: [830, 830, 0, 0, 0, 0, 0],
      产品: [77, 67, 0, 0, 0, 0, 0],
      下单: [830, 830, 0, 0, 0, 0, 0],
      包含: [2155, 1845, 0, 0, 0, 0, 310],
    });
    expect(await contentOf(app, far.graphId)).toEqual(await contentOf(app, local.graphId));
    expect(far.run.report.source).toEqual({
      connection: 'far',
      guarantee: 'snapshot',
      copied: { tables: 4, rows: 91 + 830 + 77 + 2155, bytes: expect.any(Number) },
    });
    expect(local.run.report.source).toEqual({ connection: 'pg_mirror', guarantee: 'snapshot', copied: null });
    expect(foreign.open).toBeLessThanOrEqual(6);
  });

  it('cites the connection, the table and its rows', async () => {
    const { graphId } = await ingest(
      app,
      'version: 1\nsource: {connection: far}\nnodes: [{id: c, label: 客户, table: customers, key: [customer_id], columns: [{column: customer_id}, {column: country}]}]',
    );
    const { body } = await app.admin
      .post(`/api/graphs/${graphId}/query`)
      .send({ cypher: "MATCH (c:客户 {customer_id: 'ALFKI'}) RETURN c", include: ['source_rows'] })
      .expect(200);
    expect(body.citations[0]).toMatchObject({ connection: 'far', table: 'customers', key: { customer_id: 'ALFKI' } });
    expect(body.source_rows[0].row).toMatchObject({ customer_id: 'ALFKI', company_name: 'Alfreds Futterkiste' });
  });
});

describe('A mapping of tables on another server', () => {
  beforeAll(async () => {
    await upload(app, 'people', 'id,name,city,amount,day\n1,张三,北京,1.50,2024-01-01\n2, Li ,,2,2024-01-02\n3,Wang,上海,x,2024-01-03\n');
    await upload(app, 'staging_node_0', 'id,name\n1,a\n');
    await upload(app, 'source_0', 'id,name\n7,b\n');
    await upload(app, 'Order Lines', '"Id",person,"订单 号"\n1,1,甲\n2,1,乙\n3,2,丙\n');
    for (const table of ['people', 'staging_node_0', 'source_0', 'Order Lines']) await copyFromMirror(app, foreign, table);
    await foreign.run(`
      CREATE SCHEMA hr; GRANT USAGE ON SCHEMA hr TO reader;
      CREATE TABLE hr.people (id int, name text); INSERT INTO hr.people VALUES (1, 'hr');
      CREATE TABLE "hr.people" (id int, name text); INSERT INTO "hr.people" VALUES (1, 'dotted');
      CREATE TYPE pair AS (a int, b int);
      CREATE TABLE odd (id int, pair pair, name text); INSERT INTO odd VALUES (1, '(1,2)', 'n');
      CREATE TABLE hidden (id int); REVOKE ALL ON hidden FROM reader`);
  });

  itLong('means the same in conditions, expressions, rules, transforms and defaults', async () => {
    await expectSame(`defaults: {on_error: quarantine, max_error_rate: 1}
nodes:
  - id: p
    label: 人
    table: people
    where: "people.id < 10 AND coalesce(city, '') <> '广州'"
    key: [id]
    columns:
      - {column: id, rules: [required, unique]}
      - {column: name, transform: [trim, upper]}
      - {column: city, default: 未知}
      - {column: amount, type: 'decimal(8,2)'}
      - {expression: "day + 1", property: next, rules: [{expression: "day > '2024-01-01'", severity: warn}]}
      - {constant: x, property: fixed}`);
  });

  itLong('means the same in queries, with joins, CTEs, sub-queries and any names', async () => {
    await expectSame(`nodes:
  - id: p
    label: 人
    query: |
      WITH people AS (SELECT id, name FROM people WHERE id < 3), lines AS (SELECT person, count(*) AS n FROM "Order Lines" GROUP BY person)
      SELECT p.id, p.name, l.n, (SELECT max("Order Lines"."订单 号") FROM "Order Lines" WHERE person = p.id) AS last
      FROM people AS p LEFT JOIN lines l ON l.person = p.id
    key: [id]
    columns: [{column: id}, {column: name}, {column: n}, {column: last, property: 末}]
edges:
  - type: 下
    query: SELECT people.id, o."Id" AS line FROM people, "Order Lines" o WHERE o.person = people.id
    from: {node: p, match: {id: id}}
    to: {node: p, match: {line: id}, on_missing: skip}
    key: [line]`);
  });

  itLong('may have any names, also those of its own staging', async () => {
    await expectSame(`nodes:
  - {id: a, label: A, table: staging_node_0, key: [id], columns: [{column: id}, {column: name}]}
  - {id: b, label: B, query: 'SELECT * FROM source_0', key: [id], columns: [{column: id}, {column: name}]}
  - {id: c, label: C, query: 'SELECT s.id, t.name FROM staging_node_0 s, source_0 t', key: [id], columns: [{column: id}, {column: name}]}`);
  });

  itLong('reads tables of other schemas by their names', async () => {
    const { graphId, run } = await ingest(
      app,
      `version: 1
source: {connection: schemas}
nodes:
  - {id: a, label: A, table: hr.people, where: "name = 'hr'", key: [id], columns: [{column: id}, {column: name}]}
  - {id: b, label: B, table: public.people, where: 'id = 1', key: [id], columns: [{column: id}, {column: name}]}
  - {id: c, label: C, query: 'SELECT id, name FROM "hr.people"', key: [id], columns: [{column: id}, {column: name}]}
  - {id: d, label: D, query: 'SELECT p.id, name FROM public.people AS p WHERE id = 1', key: [id], columns: [{column: id}, {column: name}]}`,
    );
    expect(run.error).toBeNull();
    expect((await contentOf(app, graphId)).nodes.map(node => (node as string[])[3])).toEqual([
      '{"id": 1, "name": "hr"}',
      '{"id": 1, "name": "张三"}',
      '{"id": 1, "name": "dotted"}',
      '{"id": 1, "name": "张三"}',
    ]);
    expect(run.report.source.copied.tables).toBe(3);
  });

  it('copies only the columns that its targets use', async () => {
    const node = '{id: p, label: P, table: people, key: [id], columns: [{column: id}]}';
    const narrow = await ingest(app, `version: 1\nsource: {connection: far}\nnodes: [${node}]`);
    expect(narrow.run.report.source.copied).toEqual({ tables: 1, rows: 3, bytes: '1\n2\n3\n'.length });
  });

  it('sees no table that it does not name, and none of the service', async () => {
    const query = (sql: string) =>
      `source: {connection: far}\nnodes: [{id: p, label: P, query: '${sql}', key: [id], columns: [{column: id}]}]`;
    expect(await problemsOf(query('SELECT id FROM users'))).toEqual([expect.stringContaining("there is no table 'users'")]);
    expect(await problemsOf(query('SELECT id FROM mirror.people'))).toEqual([expect.stringContaining('mirror.people')]);
    expect(await problemsOf(query('SELECT id FROM pg_temp.source_0'))).toEqual([expect.stringContaining('pg_temp.source_0')]);
    expect(await problemsOf(query('SELECT id FROM hidden'))).toEqual([expect.stringContaining("there is no table 'hidden'")]);
  });

  it('is told what is wrong with its tables, columns and SQL', async () => {
    const of = (rest: string) => `source: {connection: far}\nnodes: [{id: p, label: P, key: [id], ${rest}}]`;
    expect(await problemsOf(of('table: peple, columns: [{column: id}]'))).toEqual([
      expect.stringMatching(/^unknown_table: .*did you mean 'people'/),
    ]);
    expect(await problemsOf(of('table: people, columns: [{column: id}, {column: nam}]'))).toEqual([
      expect.stringMatching(/^unknown_column: .*did you mean 'name'/),
    ]);
    expect(await problemsOf(of('table: odd, columns: [{column: id}, {column: pair}]'))).toEqual([
      expect.stringMatching(/^unreadable_column: .*'pair' cannot be read.*\(pair\)/),
    ]);
    expect(await problemsOf(of("query: 'SELECT o.id, o.pair FROM odd AS o', columns: [{column: id}]"))).toEqual([
      expect.stringMatching(/^unreadable_column: .*'pair' at character 14 cannot be read.*\(pair\)/),
    ]);
    expect(await problemsOf(of("query: 'SELECT id, p.nam FROM public.people AS p', columns: [{column: id}]"))).toEqual([
      expect.stringMatching(/^unknown_column: .*'p\.nam' at character 12; did you mean 'name'/),
    ]);
    expect(await problemsOf(of('table: people, columns: [{column: id}, {expression: name + 1, property: x}]'))).toEqual([
      expect.stringMatching(/^unsafe_sql: .*types/),
    ]);
  });

  itLong('reads the other columns of a table with one that cannot be read', async () => {
    const { run } = await ingest(
      app,
      `version: 1\nsource: {connection: far}\nnodes:
  - {id: a, label: A, table: odd, key: [id], columns: [{column: id}, {column: name}]}
  - {id: b, label: B, query: 'SELECT * FROM odd', key: [id], columns: [{column: id}]}`,
    );
    expect(run.error).toBeNull();
  });

  it('fetches from a cursor on only what it has to', async () => {
    await foreign.run(`
      CREATE TABLE events (id int, at timestamptz);
      INSERT INTO events SELECT n, '2024-01-01 00:00+00'::timestamptz + n * interval '1 hour' FROM generate_series(1, 100) n;
      INSERT INTO events VALUES (101, NULL)`);
    const mapping = `version: 1
source: {connection: far, timezone: Asia/Shanghai}
nodes: [{id: e, label: E, table: events, key: [id], incremental: {cursor: at, type: datetime, lag: 2h}, columns: [{column: id}]}]`;
    const jobId = await aJob(app, await aGraph(app), mapping);
    expect((await runToEnd(app, jobId)).report.source.copied.rows).toBe(101);
    await foreign.run(`INSERT INTO events VALUES (102, '2024-01-05 04:00+00')`);
    const second = await runToEnd(app, jobId);
    // Rows 98, 99 and 100, which are within the lag, the row without a cursor, and the new row.
    expect(second.report.source.copied.rows).toBe(5);
    expect(counts(second)['E']).toEqual([5, 1, 0, 4, 0, 0, 0]);
    expect(second.report.cursors).toEqual({ E: { from: '2024-01-05 12:00:00+08', to: '2024-01-05 12:00:00+08' } });
  });

  it('is saved unchecked, with a warning, while its source gives no answer', async () => {
    const { body } = await app.admin
      .post('/api/warehouse/connections')
      .send({ name: 'gone', type: 'postgres', dsn: 'postgres://a:b@127.0.0.1:9/x?sslmode=disable' })
      .expect(201);
    expect(body.id).toEqual(expect.any(Number));
    const mapping = 'version: 1\nsource: {connection: gone}\nnodes: [{id: e, label: E, table: t, key: [id], columns: [{column: id}]}]';
    const graphId = await aGraph(app);
    const created = await app.admin.post('/api/ingestion/jobs').send({ graph_id: graphId, mapping_yaml: mapping }).expect(201);
    expect(created.body.warnings).toEqual([
      expect.objectContaining({
        code: 'source_not_checked',
        path: 'source.connection',
        line: 2,
        message: expect.stringContaining('nothing listens'),
      }),
    ]);
    const run = await runToEnd(app, created.body.id);
    expect(run).toMatchObject({
      status: 'failed',
      error: { code: 'source_unreachable', context: { connection: 'gone', failure: 'REFUSED' } },
    });
  });
});
