import { addDays, todayIn } from '../src/text/calendar.js';
import { type Client, startTestApp, type TestApp } from './support/app.js';
import { displays } from './support/displays.js';
import { upload } from './support/ingestion.js';
import { createTradingGraph, type TradingGraph } from './support/trading-graph.js';
import { everyNth } from './support/tier.js';

describe('times and numbers of a question', () => {
  let test: TestApp;
  let graph: TradingGraph;
  let owner: Client;
  beforeAll(async () => {
    test = await startTestApp();
    owner = await test.asUser('asker');
    graph = await createTradingGraph(test, owner);
  });
  afterAll(() => test.close());

  const ask = (question: string, more: object = {}) => graph.ask({ question, include: ['plan'], ...more });

  it.each(
    everyNth(
      [
        ['2024年13月的订单', '2024年13月'],
        ['2025年2月29日的订单', '2025年2月29日'],
        ['How many orders on 2025-04-31?', '2025-04-31'],
        ['2024-02-31的销售额', '2024-02-31'],
        ['orders between 2025-01-01 and 2024-01-01', '2025-01-01 and 2024-01-01'],
        ['2025年到2024年的订单', '2025年到2024年'],
      ],
      3,
    ),
  )('%s: is not understood because no calendar has %s', async (question, time) => {
    const { plan, warnings } = await ask(question);
    expect([plan.kind, warnings[0]]).toEqual(['search', expect.stringMatching(new RegExp(`(不理解“|Not understood: )${time}`))]);
  });

  it.each(
    everyNth(
      [
        ['2025年2月10日前的订单', ['10248', '10249']],
        ['2025年2月10日后的订单', ['10251', '9007199254740993']],
        ['2025年2月10日及以后的订单', ['10250', '10251', '9007199254740993']],
        ['2025年前的订单', ['10248']],
        ['截至2025年1月15日的订单', ['10248', '10249']],
        ['orders until 2025-01-15', ['10248', '10249']],
        ['orders by 2025-01-15', ['10248', '10249']],
        ['orders before 2025-01-15', ['10248']],
        ['orders on or after 2025-07-01', ['9007199254740993']],
        ['orders from 2025-02-11 on', ['10251', '9007199254740993']],
        ['orders on 10 February 2025', ['10250']],
      ],
      3,
    ),
  )('%s: covers exactly the time that it names', async (question, expected) => {
    const { rows, warnings, plan } = await ask(question);
    expect([displays(rows).map(String).sort(), warnings, plan.kind]).toEqual([expected, [], 'cypher']);
  });

  it('leaves a time open that begins at a day', async () => {
    expect((await ask('orders since 2025')).plan.parameters).toEqual({ p1: '2025-01-01' });
    const { answer, plan } = await ask('2025年2月以来的销售额');
    expect([plan.metric_call.time, answer.text]).toEqual([{ from: '2025-02-01' }, '2025-02-01 及以后的销售额为 1,623 CNY。']);
  });

  /** The two zones are 25 hours apart, so they never have the same date (risk: the date of the server's zone is used). */
  it('counts days in the zone of the caller, or else of the metric', async () => {
    const [early, late] = ['Pacific/Pago_Pago', 'Pacific/Kiritimati'] as const;
    const yesterday = (zone: string) => addDays(todayIn(zone), -1);
    const from = async (question: string, more = {}) => (await ask(question, more)).plan.metric_call.time.from;
    for (const timezone of [early, late]) expect(await from('昨天的销售额', { timezone })).toBe(yesterday(timezone));
    const { body: metric } = await owner.get(`/api/metrics/${graph.metricId}`).expect(200);
    const made: number[] = [];
    try {
      for (const [name, timezone] of [
        ['早区营收', early],
        ['晚区营收', late],
      ]) {
        const binding = { ...metric.binding, time: { ...metric.binding.time, timezone } };
        const body = { graph_id: graph.id, name, formula: metric.formula, binding };
        made.push((await owner.post('/api/metrics').send(body).expect(201)).body.id);
      }
      expect([await from('昨天的早区营收'), await from('昨天的晚区营收')]).toEqual([yesterday(early), yesterday(late)]);
    } finally {
      for (const id of made) await owner.delete(`/api/metrics/${id}`).expect(204);
    }
    await owner.post(`/api/graphs/${graph.id}/query`).send({ question: '销售额', timezone: 'CST' }).expect(422);
    await owner.post(`/api/graphs/${graph.id}/query`).send({ search: '华东', timezone: 'UTC' }).expect(422);
  });

  it('reads a number behind its property to its end', async () => {
    expect((await ask('产品单价10248')).rows).toEqual([]);
    expect((await ask('产品单价18')).rows.length).toBeGreaterThan(0);
  });

  it.each(
    everyNth(
      [
        '单价至少1e3的产品',
        '单价大于1,00的产品',
        'products with unit price over 10%',
        '最贵的前20000个产品',
        '最贵的前一千个产品',
        'top 20000 products by unit price',
        '订单号大于9007199254740993的订单',
        `单价大于${'9'.repeat(400)}的产品`,
        '1024的客户',
      ],
      3,
    ),
  )('%s: reads a number to its end or not at all', async question => {
    const { plan, warnings } = await ask(question);
    expect([plan.kind, warnings[0]]).toEqual(['search', expect.stringMatching(/不理解“|Not understood: /)]);
  });

  // This test comes last, because it changes the orders of the graph.
  it('tells how many orders no time contains, because they have no date', async () => {
    const orders = `order_id,customer_id,order_date,status
10248,ALFKI,2024-03-05,已完成
10249,ALFKI,2025-01-15,已完成
10250,HWTEC,2025-02-10,已完成
10251,BJCYQ,2025-02-20,已取消
9007199254740993,KOENE,2025-07-01,已完成
10260,ALFKI,,已完成
10261,ALFKI,,已取消
10262,KOENE,,已完成`;
    await upload(test, 'orders', orders, 'order_id:bigint,order_date:date');
    await graph.ingestAgain();
    const told = async (question: string) => (await ask(question)).warnings;
    const left = (count: string) => expect.arrayContaining([expect.stringContaining(`${count} of "订单" ha`)]);
    expect(await told('orders in 2025')).toEqual(left('3'));
    expect(await told('Which orders did Alfreds Futterkiste place in 2025?')).toEqual(left('2'));
    expect(await told('Which orders did Königlich Essen place in 2025?')).toEqual(left('1'));
    expect(await told('How many orders did 华为技术有限公司 place in 2025?')).toEqual([]);
    expect(await told('orders of Alfreds Futterkiste')).toEqual([]);
    expect(await told('2025年有多少订单')).toEqual(['有 3 个“订单”没有“下单日期”，不属于任何时段，未计入']);
    expect(await told('每年的订单数')).toContain('有 3 个“订单”没有“下单日期”，不属于任何时段，未计入');
  });
});
