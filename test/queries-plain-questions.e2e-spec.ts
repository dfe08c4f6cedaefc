import { type Client, startTestApp, type TestApp } from './support/app.js';
import { displays } from './support/displays.js';
import { createTradingGraph, type TradingGraph } from './support/trading-graph.js';
import { everyNth } from './support/tier.js';

describe('plain questions', () => {
  let test: TestApp;
  let graph: TradingGraph;
  let owner: Client;
  beforeAll(async () => {
    test = await startTestApp();
    owner = await test.asUser('asker');
    graph = await createTradingGraph(test, owner);
  });
  afterAll(() => test.close());

  const ask = (query: object, status?: number) => graph.ask(query, status);

  describe('questions about the graph', () => {
    it.each(
      everyNth(
        [
          ['华为下了哪些订单？', ['10250']],
          ['Exotic Liquids供应的产品有哪些', ['Chai', 'Chang']],
          ['谁供应了Kobe Beef？', ['Tokyo Traders']],
          ['Which supplier supplies Chai?', ['Exotic Liquids']],
          ['Which products does Tokyo Traders supply?', ['Kobe Beef', '海苔']],
          ['北京朝阳商贸的订单包含哪些产品', ['海苔']],
          ['华东有哪些客户', ['Alfreds Futterkiste', '华为技术有限公司']],
          ['位于华东的客户', ['Alfreds Futterkiste', '华为技术有限公司']],
          ['which customers are located in 华东', ['Alfreds Futterkiste', '华为技术有限公司']],
          ['国家是德国的客户', ['Alfreds Futterkiste', 'Königlich Essen']],
          ['单价大于18的产品', ['Chang', 'Kobe Beef']],
          ['products with unit price over 18', ['Chang', 'Kobe Beef']],
          ['单价最高的两个产品', ['Kobe Beef', 'Chang']],
          ['What is the most expensive product?', ['Kobe Beef']],
          ['订单最多的客户是谁？', ['Alfreds Futterkiste']],
          ['Which customer placed the most orders?', ['Alfreds Futterkiste']],
          ['2025年2月的订单', ['10250', '10251']],
          ['orders of Alfreds Futterkiste in 2025', ['10249']],
          ['订单10248的客户', ['Alfreds Futterkiste']],
          ['华为买了Tokyo Traders供应的哪些产品', ['Kobe Beef']],
        ],
        3,
      ),
    )('%s', async (question, expected) => {
      const body = await ask({ question, include: ['plan'] });
      expect({
        found: displays(body.rows).sort(),
        warnings: body.warnings.filter((text: string) => text.startsWith('未作答')),
        plan: body.plan.kind,
      }).toEqual({ found: [...expected].sort(), warnings: [], plan: 'cypher' });
      expect(body.citations.length).toBeGreaterThan(0);
    });

    it.each([
      ['有多少个客户位于华东？', 2, '华东的客户共有 2 个。'],
      ['How many orders did Alfreds Futterkiste place?', 2, 'Number of orders for Alfreds Futterkiste: 2.'],
      ['一共有多少产品', 5, '产品共有 5 个。'],
      ['how many products are there', 5, 'Number of products: 5.'],
    ])('%s', async (question, count, sentence) => {
      const body = await ask({ question });
      expect([body.rows, body.answer.text]).toEqual([[[count]], sentence]);
      expect(body.citations.length).toBeGreaterThan(0);
    });

    it.each([
      ['Chai的单价是多少？', 18, 'Chai的单价是 18。'],
      ['What is the unit price of Chai?', 18, 'The unit price of Chai is 18.'],
    ])('%s', async (question, value, sentence) => {
      const body = await ask({ question });
      expect([body.rows[0][1], body.answer.text]).toEqual([value, sentence]);
    });

    it('counts by group', async () => {
      const { rows, answer } = await ask({ question: '每个地区有多少客户？' });
      expect(rows.map(([region, n]: [{ display: string }, number]) => [region.display, n])).toEqual(expect.arrayContaining([['华东', 2], ['华北', 1], ['华南', 1]])); // prettier-ignore
      expect(answer.text).toContain('华东（2）');
    });

    it('says how it read a misspelt or partial name', async () => {
      const { rows, warnings } = await ask({ question: 'Which supplier supplies Kobe Beaf?' });
      expect([rows[0][0].display, warnings]).toEqual(['Tokyo Traders', ['"kobe beaf" was taken for "Kobe Beef"']]);
    });

    it('never invents an answer: a question that is not understood gets the nearest nodes and the reason', async () => {
      const weather = await ask({ question: '明天上海的天气怎么样？' });
      expect([weather.warnings[0], weather.answer.text]).toEqual([expect.stringMatching(/^未作答/), expect.stringMatching(/^无法回答/)]);
      const unconnected = await ask({ question: '华东的天气预报和股票走势怎么样' });
      expect(unconnected.warnings[0]).toMatch(/^未作答/);
    });
  });

  describe('questions about a metric', () => {
    it.each(
      everyNth(
        [
          ['2025年的销售额是多少？', [['1758.5']]],
          ['What was revenue in 2024?', [['180']]],
          ['去年华东的销售额', [['671.5']]],
          [
            '2025年每个地区的销售额是多少？',
            [
              ['华北', '990'],
              ['华东', '671.5'],
              ['华南', '97'],
            ],
          ],
          [
            'revenue by region in 2025',
            [
              ['华北', '990'],
              ['华东', '671.5'],
              ['华南', '97'],
            ],
          ],
          [
            '2025年销售额最高的两个产品',
            [
              ['海苔', '990'],
              ['Chai', '342'],
            ],
          ],
          [
            'top 2 products by revenue in 2025',
            [
              ['海苔', '990'],
              ['Chai', '342'],
            ],
          ],
          ['2025年饮料的销售额', [['477.5']]],
          [
            '2025年上半年每月的销售额',
            [
              ['2025-01-01', '135.5'],
              ['2025-02-01', '1526'],
            ],
          ],
          ['Chai的销售额', [['522']]],
        ],
        3,
      ),
    )('%s', async (question, expected) => {
      const body = await ask({ question, include: ['plan'] });
      const plain = body.rows.map((row: unknown[]) => row.map(cell => (/^\d+\.\d+$/.test(String(cell)) ? String(Number(cell)) : cell)));
      expect({ rows: plain, warnings: body.warnings }).toEqual({ rows: expected, warnings: [] });
      expect(body.plan).toMatchObject({ kind: 'metric', metric_call: { metric: '销售额' } });
      expect(body.query_id).toBeNull();
      expect(body.citations).toContainEqual({
        connection: 'pg_mirror', connection_id: 1, table: 'order_lines', key: {}, label: null, job_id: null, loaded_at: null,
      }); // prettier-ignore
    });

    it('words the answer with its unit and period', async () => {
      expect((await ask({ question: '2025年华东的销售额是多少？' })).answer.text).toBe(
        '华东，2025-01-01 至 2025-12-31的销售额为 671.5 CNY。',
      );
    });

    it.each(['2025年火星的销售额', 'revenue of Atlantis in 2025', '华为买了海尔的哪些产品'])(
      'does not leave out an unknown name: %s',
      async question => {
        const { warnings, plan } = await ask({ question, include: ['plan'] });
        expect([plan.kind, warnings[0]]).toEqual(['search', expect.stringMatching(/火星|atlantis|海尔/)]);
      },
    );

    it('does not answer for all when the metric has no such dimension', async () => {
      const { warnings, plan } = await ask({ question: '每个供应商的销售额', include: ['plan'] });
      expect([plan.kind, warnings[0]]).toEqual(['search', '未作答：指标“销售额”没有“供应商”这个维度']);
    });
  });
});
