import { graphTables } from '../src/database/graph-tables.js';
import { RetrievalSupervisor } from '../src/retrieval/retrieval.supervisor.js';
import { type Client, startTestApp, type TestApp } from './support/app.js';
import { upload } from './support/ingestion.js';
import { createTradingGraph, type TradingGraph } from './support/trading-graph.js';

const megabyte = 1_048_576;

let test: TestApp;
beforeAll(async () => {
  test = await startTestApp({ ANSWER_MAX_BYTES: String(megabyte) }, { retrievalAtStart: true });
});
afterAll(() => test.close());

describe('the size of an answer', () => {
  let graph: TradingGraph;
  let owner: Client;
  beforeAll(async () => {
    owner = await test.asUser('asker');
    graph = await createTradingGraph(test, owner);
  });

  const tooLarge = { code: 'answer_too_large', context: { limit_bytes: megabyte, at_least_bytes: expect.any(Number) } };
  const nodes = () => graphTables(graph.id).nodes;
  const ask = (body: object) => owner.post(`/api/graphs/${graph.id}/query`).send(body);

  it('ends a query with the caller’s own 422, and both processes live on', async () => {
    const pid = test.app.get(RetrievalSupervisor).pid;
    await test.pool.query(`UPDATE mirror.customers SET country = repeat('长', 100000)`);
    await graph.ingestAgain();
    const { status, body } = await ask({ cypher: 'MATCH (a:客户), (b:客户), (c:客户) RETURN a, b, c' });
    expect([status, body]).toEqual([422, expect.objectContaining(tooLarge)]);
    expect((await ask({ search: 'Chai' })).body.rows[0][0].display).toBe('Chai');
    expect(test.app.get(RetrievalSupervisor).pid).toBe(pid);
  });

  it('bounds a metric and says how to make it smaller', async () => {
    await test.pool.query(`INSERT INTO mirror.products (product_id, product_name, category) SELECT 1000 + i, repeat(i::text, 50000), '大' FROM generate_series(1, 30) i`); // prettier-ignore
    await test.pool.query(`INSERT INTO mirror.order_lines SELECT 10248, 100 + i, 1000 + i, 1, 1, 0 FROM generate_series(1, 30) i`);
    const { status, body } = await owner.post(`/api/metrics/${graph.metricId}/execute`).send({ dimensions: ['产品'] });
    expect([status, body]).toEqual([422, expect.objectContaining({ ...tooLarge, success: false })]);
    expect(body.message).toMatch(/维度.* \/ .*dimensions/);
    await owner
      .post(`/api/metrics/${graph.metricId}/execute`)
      .send({ dimensions: ['地区'] })
      .expect(200);
  });

  it('bounds the routes of nodes and neighbours', async () => {
    const { rows } = await test.pool.query(`SELECT id FROM ${nodes()} WHERE label = '地区' AND key = '1'`);
    await test.pool.query(`UPDATE ${graphTables(graph.id).edges} SET properties = jsonb_build_object('x', repeat('y', 700000)) WHERE target_id = $1`, [rows[0].id]); // prettier-ignore
    const neighbors = await owner.get(`/api/graphs/${graph.id}/nodes/${rows[0].id}/neighbors`);
    expect([neighbors.status, neighbors.body]).toEqual([422, expect.objectContaining(tooLarge)]);
    await test.pool.query(`UPDATE ${nodes()} SET properties = jsonb_build_object('x', repeat('y', 2000000)) WHERE id = $1`, [rows[0].id]); // prettier-ignore
    const node = await owner.get(`/api/graphs/${graph.id}/nodes/${rows[0].id}`);
    expect([node.status, node.body]).toEqual([422, expect.objectContaining(tooLarge)]);
  });

  it('shows the columns of a table with too large a sample, and says why the rows are missing', async () => {
    await upload(test, 'wide', `id,text\n1,${'x'.repeat(900_000)}\n2,${'y'.repeat(900_000)}\n`);
    const { body } = await test.admin.get('/api/warehouse/connections/1/tables/wide').expect(200);
    expect(body).toMatchObject({ columns: [{ name: 'id' }, { name: 'text' }], sample: [], sample_note: expect.stringContaining('1.0 MB') });
  });

  it('answers without source rows that would be too large, and says so', async () => {
    await test.pool.query(`UPDATE mirror.customers SET country = repeat('z', 2000000) WHERE customer_id = 'HWTEC'`);
    const { body } = await ask({ search: 'HWTEC', limit: 1, include: ['source_rows'] });
    expect([body.source_rows, body.warnings.at(-1)]).toEqual([[], expect.stringMatching(/customers.*more bytes than an answer may have/)]);
  });
});

describe('the metrics of a graph', () => {
  let graph: TradingGraph;
  let owner: Client;
  beforeAll(async () => {
    owner = await test.asUser('asker');
    graph = await createTradingGraph(test, owner);
  });

  const create = async (name: string, formula: string): Promise<number> =>
    (await test.admin.post('/api/metrics').send({ graph_id: graph.id, name, formula }).expect(201)).body.id;
  const ask = async (question: string) => (await owner.post(`/api/graphs/${graph.id}/query`).send({ question, include: ['plan'] })).body;

  it('are asked by their current names', async () => {
    expect((await ask('2025年的销售额')).plan.kind).toBe('metric');
    expect((await ask('2025年的流水')).plan.kind).not.toBe('metric');
    await test.admin
      .patch(`/api/metrics/${graph.metricId}`)
      .send({ aliases: ['流水'] })
      .expect(200);
    expect((await ask('2025年的流水')).plan.kind).toBe('metric');
    const { body } = await test.admin.get(`/api/metrics/${graph.metricId}`).expect(200);
    const id = await create('另一个', '[销售额] * 2');
    expect((await ask('2025年的另一个')).plan.kind).toBe('metric');
    await test.admin.delete(`/api/metrics/${id}`).expect(204);
    expect((await ask('2025年的另一个')).plan.kind).not.toBe('metric');
    expect(body.aliases).toEqual(['流水']);
  });

  it('have at most as many parts together as a statement may have', async () => {
    const wide = await create('宽', `[销售额]${'+1'.repeat(200)}`);
    const wider = await create('更宽', `[宽]${'+[宽]'.repeat(50)}`);
    expect((await test.admin.get(`/api/metrics/${wide}`).expect(200)).body.warnings).toEqual([]);
    const { body } = await test.admin.get(`/api/metrics/${wider}`).expect(200);
    expect([body.pattern, JSON.stringify(body.warnings)]).toEqual([null, expect.stringContaining('600')]);
    const executed = await test.admin.post(`/api/metrics/${wider}/execute`).send({}).expect(400);
    expect(JSON.stringify(executed.body)).toContain('more than 600 parts');
  });

  it('have bindings of at most 65,536 characters', async () => {
    const columns = Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`c${i}`, `'${'x'.repeat(900)}'`]));
    const { body } = await test.admin
      .put(`/api/metrics/${graph.metricId}/binding`)
      .send({ relation: { table: 'orders' }, columns })
      .expect(422);
    expect(body.detail.errors).toEqual([{ loc: ['body'], type: 'too_large', msg: expect.stringContaining('65536') }]);
  });

  it('have bindings whose expressions have at most 16,384 characters together, besides columns', async () => {
    const bind = (columns: Record<string, string>) =>
      test.admin.put(`/api/metrics/${graph.metricId}/binding`).send({ relation: { table: 'orders' }, columns });
    const named = (count: number, column: string) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`c${i}`, column]));
    const { body } = await bind(named(20, `'${'x'.repeat(900)}'`)).expect(422);
    expect(body.detail.errors).toEqual([{ loc: ['body'], type: 'too_large', msg: expect.stringContaining('16384') }]);
    const on = Array.from({ length: 8 }, () => [`'${'x'.repeat(1_500)}'`, `'${'y'.repeat(1_500)}'`]);
    const joined = { relation: { table: 'orders' }, joins: [{ table: 'orders', alias: 'o2', on }] };
    const pairs = await test.admin.put(`/api/metrics/${graph.metricId}/binding`).send(joined).expect(422);
    expect(pairs.body.detail.errors).toEqual(body.detail.errors);
    const columns = await bind(named(500, 'a_column_that_nobody_has_in_this_table')).expect(422);
    expect(columns.body.detail.errors).toHaveLength(50);
    expect(new Set(columns.body.detail.errors.map((error: { type: string }) => error.type))).toEqual(new Set(['unknown_column']));
  });

  it('are left out of questions when they have too many names', async () => {
    await test.pool.query(
      `INSERT INTO metrics (graph_id, name, aliases, formula)
       SELECT $1, '数' || i, (SELECT array_agg(i || '_' || j || repeat('名', 110)) FROM generate_series(1, 20) AS j), '[销售额]+1'
       FROM generate_series(1, 300) AS i`,
      [graph.id],
    );
    const refused = await ask('2025年的流水');
    expect(refused).toMatchObject({ code: 'too_many_metric_names' });
    const list = (limit: number) => test.admin.get(`/api/metrics?graph_id=${graph.id}&limit=${limit}`);
    // The page of 200 metrics exceeds the bytes of one answer.
    expect((await list(200).expect(422)).body).toMatchObject({ code: 'answer_too_large', message: expect.stringContaining('limit') });
    expect((await list(100).expect(200)).body.items).toHaveLength(100);
  });
});
