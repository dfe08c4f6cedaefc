import { type Client, startTestApp, type TestApp } from './support/app.js';
import { createTradingGraph, type TradingGraph } from './support/trading-graph.js';

describe('the metrics of a graph', () => {
  let test: TestApp;
  let graph: TradingGraph;
  let owner: Client;
  beforeAll(async () => {
    test = await startTestApp();
    owner = await test.asUser('asker');
    graph = await createTradingGraph(test, owner);
  });
  afterAll(() => test.close());

  const create = async (name: string, formula: string, more: object = {}): Promise<number> =>
    (
      await test.admin
        .post('/api/metrics')
        .send({ graph_id: graph.id, name, formula, ...more })
        .expect(201)
    ).body.id;
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
    const wide = await create('宽', `[销售额]${'+1'.repeat(250)}`);
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

  it('are left out of questions when they have too many names', async () => {
    const aliases = (i: number) => Array.from({ length: 20 }, (_, j) => `${i}_${j}${'名'.repeat(110)}`);
    for (let i = 0; i < 230; i++) await create(`数${i}`, '[销售额]+1', { aliases: aliases(i) });
    const refused = await ask('2025年的流水');
    expect(refused).toMatchObject({ code: 'too_many_metric_names' });
    const { body } = await test.admin.get(`/api/metrics?graph_id=${graph.id}&limit=200`).expect(200);
    expect(body.items).toHaveLength(200);
  }, 60_000);
});
