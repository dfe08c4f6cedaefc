import { startTestApp, type TestApp } from './support/app.js';
import { ingest, runToEnd, upload } from './support/ingestion.js';

const mapping = `
version: 1
nodes:
  - id: sale
    label: 销售
    query: >-
      WITH recent AS (SELECT * FROM mirror.orders WHERE id > 1)
      SELECT r.id, c.name FROM recent r JOIN customers c ON c.id = r.customer_id
    key: [id]
    columns:
      - {column: id, property: 编号, type: int}
      - {column: name, property: 客户, type: string}
  - id: asked
    label: 查询
    table: query
    key: [id]
    columns: [{column: id, property: 编号, type: int}]
`;

/** The tables behind what a mapping or a binding reads with SQL of its own. */
describe('citations of queries', () => {
  let test: TestApp;
  let graphId: number;
  let jobId: number;
  beforeAll(async () => {
    test = await startTestApp();
    await upload(test, 'orders', 'id,customer_id\n1,1\n2,1\n3,2\n');
    await upload(test, 'customers', 'id,name\n1,甲\n2,乙\n');
    await upload(test, 'query', 'id,text\n7,MATCH\n');
    ({ graphId, jobId } = await ingest(test, mapping));
  });
  afterAll(() => test.close());

  const ask = async (cypher: string, more: object = {}) =>
    (
      await test.admin
        .post(`/api/graphs/${graphId}/query`)
        .send({ cypher, ...more })
        .expect(200)
    ).body;
  const oneSale = 'MATCH (s:销售) WHERE s.编号 = 2 RETURN s';

  it('name the tables that the query reads, and not its CTE, also from the store', async () => {
    for (const status of ['miss', 'hit']) {
      const { citations, cache } = await ask(oneSale);
      expect(cache.status).toBe(status);
      expect(citations).toEqual([
        expect.objectContaining({ connection: 'pg_mirror', table: 'query', query_tables: ['orders', 'customers'], key: { id: '2' }, job_id: jobId }),
      ]); // prettier-ignore
    }
  });

  it('name them for a result whose rows cannot be told', async () => {
    const { citations } = await ask('MATCH (s:销售) RETURN max(s.编号) * 2 AS n');
    expect(citations).toEqual([expect.objectContaining({ table: 'query', query_tables: ['orders', 'customers'], key: {} })]);
  });

  it('say that a query has no source rows, and which tables to look at', async () => {
    const { source_rows: rows, warnings } = await ask(oneSale, { include: ['source_rows'] });
    expect(rows).toEqual([]);
    expect(warnings).toEqual([expect.stringMatching(/no source row of their own; the query reads orders, customers|没有单独的源行；查询读取的表：orders、customers/)]); // prettier-ignore
  });

  it('are those of a table if the table is named query', async () => {
    const { citations, source_rows: rows, warnings } = await ask('MATCH (q:查询) RETURN q', { include: ['source_rows'] });
    expect([citations[0].table, 'query_tables' in citations[0]]).toEqual(['query', false]);
    expect([rows, warnings]).toEqual([[{ citation: 0, row: { id: 7, text: 'MATCH' } }], []]);
  });

  it('agree with the schema of the graph', async () => {
    const { body } = await test.admin.get(`/api/graphs/${graphId}/schema`).expect(200);
    const sources = Object.fromEntries(body.nodes.map((node: any) => [node.label, node.source]));
    expect(sources['销售']).toMatchObject({ table: 'query', query_tables: ['orders', 'customers'], key_columns: ['id'] });
    expect(sources['查询']).toEqual({ connection: 'pg_mirror', table: 'query', key_columns: ['id'], job_id: jobId });
  });

  it('name the tables of a metric over SQL, each query apart', async () => {
    const define = async (name: string, sql: string) =>
      (await test.admin.post('/api/metrics').send({ graph_id: graphId, name, formula: 'COUNT(*)', binding: { relation: { sql } } }).expect(201)).body; // prettier-ignore
    await define('甲数', 'SELECT o.id FROM orders o JOIN customers c ON c.id = o.customer_id');
    await define('乙数', 'SELECT id FROM customers');
    const { body: ratio } = await test.admin.post('/api/metrics').send({ graph_id: graphId, name: '比', formula: '[甲数] / [乙数]' }).expect(201); // prettier-ignore
    const { body } = await test.admin.post(`/api/metrics/${ratio.id}/execute`).send({}).expect(200);
    const source = { connection: 'pg_mirror', connection_id: 1, table: 'query' };
    expect(body.sources).toEqual([
      { ...source, query_tables: ['orders', 'customers'] },
      { ...source, query_tables: ['customers'] },
    ]);
  });

  it('say `query` alone for a graph of an earlier release, until its job runs again', async () => {
    await test.pool.query('UPDATE graph_elements SET query_tables = NULL WHERE graph_id = $1', [graphId]);
    await test.pool.query('UPDATE graphs SET version = version + 1 WHERE id = $1', [graphId]);
    const before = await ask(oneSale, { include: ['source_rows'] });
    expect(before.citations).toEqual([expect.objectContaining({ table: 'query', key: { id: '2' } })]);
    expect('query_tables' in before.citations[0]).toBe(false);
    expect(before.warnings).toEqual([expect.stringMatching(/no source row of their own$|没有单独的源行$/)]);
    await runToEnd(test, jobId);
    expect((await ask(oneSale)).citations[0].query_tables).toEqual(['orders', 'customers']);
  });
});
