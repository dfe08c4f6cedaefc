import { type Client, startTestApp, type TestApp } from './support/app.js';
import { createTradingGraph, type TradingGraph } from './support/trading-graph.js';
import { everyNth, itLong } from './support/tier.js';

describe('the parts of an answer', () => {
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

  it('shows the SQL of a metric only to those who may change it, also when several ask at once', async () => {
    const viewer = await test.asUser('watcher');
    await owner.post(`/api/permissions/graphs/${graph.id}/members`).send({ username: 'watcher', role: 'viewer' }).expect(201);
    const sqlFor = async (client: Client) => {
      const question = { question: '2025年2月以来的销售额', include: ['plan'] };
      const { body } = await client.post(`/api/graphs/${graph.id}/query`).send(question).expect(200);
      expect(body.plan.metric_call.metric).toBe('销售额');
      return body.plan.sql;
    };
    const [first, second, third] = await Promise.all([viewer, owner, viewer].map(sqlFor));
    expect([first, second, third]).toEqual([undefined, expect.stringContaining('SELECT'), undefined]);
  });

  describe('citations of aggregates', () => {
    const cite = async (cypher: string) => {
      const { rows, citations, warnings } = (await owner.post(`/api/graphs/${graph.id}/query`).send({ cypher }).expect(200)).body;
      return { rows, keys: citations.map((citation: { table: string; key: object }) => [citation.table, citation.key]), warnings };
    };

    it('are the matches of the groups that ORDER BY, SKIP and LIMIT leave', async () => {
      const first = await cite('MATCH (p:产品) RETURN p.类别 AS 类别, count(*) AS n ORDER BY n, 类别 LIMIT 1');
      expect(first).toEqual({ rows: [['肉类', 1]], keys: [['products', { product_id: '5' }]], warnings: [] });
      const second = await cite('MATCH (p:产品) RETURN DISTINCT p.类别 AS 类别 ORDER BY 类别 DESC SKIP 2');
      expect(second.keys).toHaveLength(second.rows[0][0] === '饮料' ? 3 : 1);
    });

    it('are the rows that reach a maximum, over all or in each group', async () => {
      expect((await cite('MATCH (p:产品) RETURN max(p.单价) AS 最高')).keys).toEqual([['products', { product_id: '5' }]]);
      const grouped = await cite('MATCH (p:产品) RETURN p.类别 AS 类别, min(p.单价) AS 最低 ORDER BY 最低 DESC LIMIT 2');
      expect(grouped.rows).toEqual([
        ['肉类', 97],
        ['饮料', 12.5],
      ]);
      expect(grouped.keys.sort()).toEqual([
        ['products', { product_id: '3' }],
        ['products', { product_id: '5' }],
      ]);
    });

    it('are empty for a count of nothing', async () => {
      expect(await cite('MATCH (p:产品) WHERE p.单价 > 1000 RETURN count(p) AS n')).toEqual({ rows: [[0]], keys: [], warnings: [] });
    });

    it('are tables, with a warning, when the rows cannot be told', async () => {
      expect(await cite('MATCH (p:产品) RETURN max(p.单价) * 2 AS n')).toEqual({
        rows: [[194]],
        keys: [['products', {}]],
        warnings: ['无法列出结果所依据的各行，只引用其所在的表'],
      });
    });
  });

  describe('include: source_rows', () => {
    it('warns once for a metric and names its tables', async () => {
      const { warnings, source_rows: rows } = await ask('2025年的销售额', { include: ['source_rows'] });
      expect([rows, warnings]).toEqual([[], [expect.stringMatching(/^结果依据整张表（.*order_lines.*），没有单独的源行$/)]]);
    });

    it('names a missing table and answers all the same', async () => {
      await test.pool.query('ALTER TABLE mirror.regions RENAME TO regions_gone');
      try {
        const body = { search: '华东', include: ['source_rows'], limit: 1 };
        const { body: answer } = await owner.post(`/api/graphs/${graph.id}/query`).send(body).expect(200);
        expect([answer.rows.length, answer.source_rows, answer.warnings]).toEqual([
          1,
          [],
          [expect.stringMatching(/^无法读取表 regions 的源行/)],
        ]);
      } finally {
        await test.pool.query('ALTER TABLE mirror.regions_gone RENAME TO regions');
      }
    });
  });

  describe('measures and sentences', () => {
    it.each(
      everyNth(
        [
          ['每个供应商最贵的产品', '每个'],
          ['the 3 cheapest products of each supplier', 'each'],
          ['top 3 products of each supplier', 'each'],
          ['top 3 products by supplier', 'by'],
          ['每个类别的产品数量和平均单价', '数量'],
          ['产品的单价总和和平均单价', '平均'],
          ['平均单价大于100的供应商', '平均'],
          ['华东和华南分别有多少客户', '分别'],
          ['单价最高的产品有多少个', '有多少个'],
          ['每个供应商的产品的单价', '每个“供应商”分别列出'],
          ['每个地区销售额最高的产品', '每一组'],
          ['每月销售额最高的产品', '每一组'],
        ],
        3,
      ),
    )('%s: is not answered without %s', async (question, word) => {
      const { plan, warnings } = await ask(question);
      expect([plan.kind, warnings[0]]).toEqual(['search', expect.stringMatching(new RegExp(`^(未作答|Not answered).*${word}`))]);
    });

    it.each(
      everyNth(
        [
          ['哪个供应商的产品最多,单价大于90', '单价大于90中，产品数最高的供应商：Tokyo Traders（1）。'],
          ['产品数量最多的供应商', '产品数最高的供应商：Exotic Liquids（2）、Tokyo Traders（2）。'],
          ['最高单价是多少', '单价最高的产品：Kobe Beef（97）。'],
          ['类别是饮料的产品有多少', '饮料的产品共有 3 个。'],
          ['按单价排名前3的产品', '单价最高的产品：Kobe Beef（97）、Chang（19）、Chai（18）。'],
          ['Chai和Chang的单价分别是多少', 'Chai 单价 18、Chang 单价 19。'],
          ['单价在9.9到12.5之间的产品', '单价在9.9到12.5之间的产品共 2 个：海苔、茉莉花茶。'],
          ['products with unit price between 18 and 19', '2 products (unit price between 18 and 19): Chai, Chang.'],
          ['哪些客户有2个以上订单', '2个以上订单的客户共 1 个：Alfreds Futterkiste。'],
          ['customers with fewer than 2 orders', '3 customers (fewer than 2 orders): Königlich Essen, 北京朝阳商贸, 华为技术有限公司.'],
          ['哪个国家的客户最多', '客户数最高的国家：中国（2）、德国（2）。'],
          ['德国和中国哪个国家的客户多？', '德国、中国中，客户数最高的国家：中国（2）、德国（2）。'],
          ['华东和华北哪个地区的客户多？', '华东、华北中，客户数最高的地区：华东（2）。'],
          ['Chai和Chang哪个更贵', 'Chai、Chang中，单价最高的产品：Chang（19）。'],
          ['Which is cheaper, Chai or Chang?', 'Product with the lowest unit price for Chai, Chang: Chai (18).'],
          ['单价最高的产品是哪个供应商供应的', '单价最高的供应商：Tokyo Traders（97）。'],
          ['最近一笔订单是哪个', '下单日期最晚的订单：9007199254740993（2025-07-01）。'],
          ['Exotic Liquids供应Chai吗？', '是：Exotic Liquids、Chai的产品共 1 个：Chai。'],
          ['Tokyo Traders供应Chai吗？', '否：没有找到与Tokyo Traders、Chai相关的产品。'],
          ['Did Alfreds Futterkiste place orders in 2025?', 'Yes: 1 order for Alfreds Futterkiste in 2025: 10249.'],
          ['the cheapest product supplied by Exotic Liquids', 'Product with the lowest unit price for Exotic Liquids: Chai (18).'],
        ],
        3,
      ),
    )('%s: %s', async (question, sentence) => {
      expect((await ask(question)).answer.text).toBe(sentence);
    });

    it.each(
      everyNth(
        [
          ['产品的平均单价', '产品的平均单价：31.28。'],
          ['average unit price of products', 'Average unit price of products: 31.28.'],
          ['每个类别的平均单价', '按类别统计的平均单价：肉类（97）、饮料（16.5）、零食（9.9）。'],
          ['每个类别的产品数', '按类别统计的产品数：饮料（3）、肉类（1）、零食（1）。'],
          ['number of products by category', 'Number of products by category: 饮料 (3), 肉类 (1), 零食 (1).'],
          ['订单数', '订单共有 5 个。'],
          ['2024年和2025年的订单数', '2024年、2025年的订单共有 5 个。'],
          ['How many customers are in 华东?', 'Number of customers for 华东: 2.'],
          ['How many orders since July 2025', 'Number of orders since July 2025: 1.'],
          ['What was revenue in 2024?', 'Revenue for 2024: 180 CNY.'],
          ['revenue by region in 2025', 'Revenue for 2025 by region: 华北 990 CNY, 华东 671.5 CNY, 华南 97 CNY.'],
          ['2025年销售额最低的地区', '2025-01-01 至 2025-12-31，销售额最低的地区：华南 97 CNY。'],
          ['region with the lowest revenue in 2025', 'Region with the lowest revenue for 2025: 华南 97 CNY.'],
          ['2024和2025年的销售额', '2024-01-01 至 2025-12-31的销售额，按年：2024 180 CNY、2025 1,758.5 CNY。'],
          ['revenue in 2024 and 2025', 'Revenue for 2024 to 2025 by year: 2024 180 CNY, 2025 1,758.5 CNY.'],
        ],
        3,
      ),
    )('%s: %s', async (question, sentence) => {
      expect((await ask(question)).answer.text).toBe(sentence);
    });

    it('counts for each of a label', async () => {
      const { rows } = await ask('每个客户的订单数');
      expect(rows.map(([node, n]: [{ display: string }, number]) => [node.display, n])[0]).toEqual(['Alfreds Futterkiste', 2]);
      expect(rows).toHaveLength(4);
    });

    it.each(
      everyNth(
        [
          ['2025年各地区的销售额和订单数', /“销售额”和“订单数”请分开问/],
          ['revenue and number of orders in 2025', /"revenue" and "number of orders" apart/],
          ['Chai的单价和销售额', /“销售额”和“单价”请分开问/],
          ['平均销售额', /再求平均/],
          ['2023年和2025年的销售额', /首尾相接/],
        ],
        3,
      ),
    )('%s: leaves nothing out silently', async (question, reason) => {
      const { plan, warnings } = await ask(question);
      expect([plan.kind, warnings[0]]).toEqual(['search', expect.stringMatching(reason)]);
    });

    it('averages over a relation by what it leads to', async () => {
      const { rows } = await ask('每个供应商的产品的平均单价');
      expect(rows.map(([supplier, average]: [{ display: string }, string]) => [supplier.display, Number(average)])).toEqual([
        ['Tokyo Traders', 53.45],
        ['Exotic Liquids', 18.5],
        ['长江食品', 12.5],
      ]);
    });

    it('asks which of two metrics with one alias is meant, and takes one measure of two metrics', async () => {
      const { body: metric } = await owner.get(`/api/metrics/${graph.metricId}`).expect(200);
      const { binding } = metric;
      const second = {
        graph_id: graph.id,
        name: '毛销售额',
        aliases: ['revenue'],
        formula: 'SUM(order_lines.unit_price * order_lines.quantity)',
        binding,
      };
      const { body: made } = await owner.post('/api/metrics').send(second).expect(201);
      try {
        expect((await ask('revenue in 2025')).warnings[0]).toMatch(/may mean (?:销售额 or 毛销售额|毛销售额 or 销售额): name one/);
        expect((await ask('2025年的销售额和毛销售额')).warnings[0]).toMatch(/“销售额”和“毛销售额”请分开问/);
        expect((await ask('2025年的毛销售额')).plan.metric_call.metric).toBe('毛销售额');
      } finally {
        await owner.delete(`/api/metrics/${made.id}`).expect(204);
      }
    });

    itLong.each([
      '客户'.repeat(900),
      '不'.repeat(1_960),
      '客户的产品的订单的'.repeat(60),
      '每个客户每个产品'.repeat(70),
      'customers and products and '.repeat(40),
    ])('does not try a question that asks for too much at once (%#)', async question => {
      const { answer, plan } = await ask(question);
      expect([plan.kind, answer.text]).toEqual(['search', expect.stringMatching(/^无法回答这个问题|^This question cannot be answered/)]);
    });

    it.each([
      ['哪些客户的口碑最好', 2],
      ['Which unhappy customers are located in 华东?', 3],
      ['2025年没有买过Chai的客户有哪些', 2],
      ['the weather of Chai', 2],
    ])('%s: suggests questions that are answered', async (question, least) => {
      const { plan, suggestions, choices } = await ask(question);
      expect([plan.kind, choices]).toEqual(['search', null]);
      expect(suggestions.length).toBeGreaterThanOrEqual(least);
      for (const suggested of suggestions) expect([suggested, (await ask(suggested)).plan.kind]).toEqual([suggested, 'cypher']);
    });

    it('suggests nothing beside an answer', async () => {
      expect((await ask('华东的客户有哪些')).suggestions).toEqual([]);
    });

    it('says what can be asked instead', async () => {
      expect((await ask('每个供应商的销售额')).answer.text).toContain('指标“销售额”可以按地区、产品、类别、时间来问。');
      expect((await ask('Which suppliers have only products?')).answer.text).toContain(
        'company name, country and the relations SUPPLIES (Product)',
      );
      expect((await ask('What is the weather?')).answer.text).toMatch(/You can ask about .*Customer.*metrics: revenue\./);
    });
  });
});
