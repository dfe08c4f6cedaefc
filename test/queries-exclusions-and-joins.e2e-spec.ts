import { type Client, startTestApp, type TestApp } from './support/app.js';
import { displays } from './support/displays.js';
import { createTradingGraph, type TradingGraph } from './support/trading-graph.js';
import { everyNth } from './support/tier.js';

describe('exclusions and joins of a question', () => {
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
        ['哪些客户不在华东', ['Königlich Essen', '北京朝阳商贸']],
        ['不位于华东的客户', ['Königlich Essen', '北京朝阳商贸']],
        ['华东以外的客户', ['Königlich Essen', '北京朝阳商贸']],
        ['Which customers are not in 华东?', ['Königlich Essen', '北京朝阳商贸']],
        ["which customers aren't located in 华东 or 华南", ['北京朝阳商贸']],
        ['customers outside 华东 and 华南', ['北京朝阳商贸']],
        ['不在华东和华南的客户', ['北京朝阳商贸']],
        ['国家不是德国的客户', ['北京朝阳商贸', '华为技术有限公司']],
        ['非饮料类产品', ['Kobe Beef', '海苔']],
        ['除饮料外的产品', ['Kobe Beef', '海苔']],
        ['除了饮料和零食以外的产品', ['Kobe Beef']],
        ['products other than Chai', ['Chang', 'Kobe Beef', '海苔', '茉莉花茶']],
        ['哪些产品不是Exotic Liquids供应的', ['Kobe Beef', '海苔', '茉莉花茶']],
        ["Which products doesn't Exotic Liquids supply?", ['Kobe Beef', '海苔', '茉莉花茶']],
        ['products not supplied by Exotic Liquids', ['Kobe Beef', '海苔', '茉莉花茶']],
        ['国家是德国但不在华东的客户', ['Königlich Essen']],
        ['在华南但不在华东的客户', ['Königlich Essen']],
        ['既不在华东也不在华南的客户', ['北京朝阳商贸']],
        ['不是华东客户下的订单', ['10251', '9007199254740993']],
      ],
      3,
    ),
  )('%s: leaves out what is excluded', async (question, expected) => {
    const { rows, warnings, plan } = await ask(question);
    expect({ found: displays(rows).map(String).sort(), warnings, plan: plan.kind }).toEqual({
      found: [...expected].sort(),
      warnings: [],
      plan: 'cypher',
    });
  });

  it.each([
    ['多少订单不是已取消的', 4, '已取消以外的订单共有 4 个。'],
    ['How many products are not Chai?', 4, 'Number of products excluding Chai: 4.'],
  ])('%s counts the others', async (question, count, sentence) => {
    const { rows, answer } = await ask(question);
    expect([rows, answer.text]).toEqual([[[count]], sentence]);
  });

  it.each(
    everyNth(
      [
        ['Which products does Exotic Liquids not supply?', ['Kobe Beef', '海苔', '茉莉花茶']],
        ['Exotic Liquids不供应哪些产品', ['Kobe Beef', '海苔', '茉莉花茶']],
        ['Which suppliers have no products?', []],
        ['没有订单的客户', []],
        ['无订单的客户', []],
        ['customers without orders', []],
        ['customers who never placed orders', []],
        ['未下单的客户', []],
        ['不供应Chai的供应商', ['Tokyo Traders', '长江食品']],
        ['suppliers that do not supply Chai', ['Tokyo Traders', '长江食品']],
        ['没有买过Chai的客户', ['Königlich Essen', '北京朝阳商贸']],
        ['orders that do not contain Chai', ['10249', '10251', '9007199254740993']],
      ],
      3,
    ),
  )('%s: answers with what has no such relation', async (question, expected) => {
    const { rows, plan } = await ask(question);
    expect([displays(rows).map(String).sort(), plan.kind]).toEqual([[...expected].sort(), 'cypher']);
  });

  it.each(
    everyNth(
      [
        'not revenue',
        '2025年没有下单的客户',
        'customers with only one order',
        '只在华东的客户',
        '仅供应饮料的供应商',
        'orders not in 2025',
        '不在2025年的订单',
        'customers except those with orders',
      ],
      3,
    ),
  )('%s: is not answered as if it excluded nothing', async question => {
    const { plan, warnings, answer } = await ask(question);
    expect([plan.kind, warnings[0], answer.text]).toEqual([
      'search',
      expect.stringMatching(/^(未作答|Not answered)/),
      expect.stringMatching(/^(无法回答|This question cannot be answered)/),
    ]);
  });

  it.each([
    ['How many orders with Chqng?', 'chqng'],
    ['How many orders with Cha?', 'cha'],
  ])('%s: does not limit the answer to what %s is nearly or partly', async (question, word) => {
    const { plan, warnings } = await ask(question);
    expect([plan.kind, warnings[0]]).toEqual(['search', `Not answered: Not understood: ${word}`]);
  });

  it.each(['产品的单价和单价', 'products and unit price and unit price'])('%s: gives a column that is named twice once', async question => {
    const { rows, plan } = await ask(question);
    expect([plan.kind, rows.map((row: unknown[]) => row.length)]).toEqual(['cypher', [2, 2, 2, 2, 2]]);
  });

  it('does not take a question particle or a comparison for a negation', async () => {
    expect(displays((await ask('有没有位于华东的客户？')).rows)).toHaveLength(2);
    expect(displays((await ask('单价不超过12.5的产品')).rows)).toHaveLength(2);
    expect(displays((await ask('products with unit price no more than 12.5')).rows)).toHaveLength(2);
  });

  it('excludes in a metric by its dimension', async () => {
    const { rows, answer } = await ask('2025年华东以外的销售额');
    expect([Number(rows[0][0]), answer.text]).toEqual([1087, '华东以外，2025-01-01 至 2025-12-31的销售额为 1,087 CNY。']);
    expect((await ask('2025年没有华东的销售额')).plan.kind).toBe('search');
  });

  it.each(
    everyNth(
      [
        ['华东和华南的客户', ['Alfreds Futterkiste', 'Königlich Essen', '华为技术有限公司']],
        ['华东或华南的客户', ['Alfreds Futterkiste', 'Königlich Essen', '华为技术有限公司']],
        ['customers in 华东 or 华南', ['Alfreds Futterkiste', 'Königlich Essen', '华为技术有限公司']],
        ['德国和中国的客户', ['Alfreds Futterkiste', 'Königlich Essen', '北京朝阳商贸', '华为技术有限公司']],
        ['零食和肉类产品', ['Kobe Beef', '海苔']],
        ['2024年和2025年的订单', ['10248', '10249', '10250', '10251', '9007199254740993']],
        ['华为和北京朝阳商贸的订单', ['10250', '10251']],
      ],
      3,
    ),
  )('%s: names of one kind are alternatives', async (question, expected) => {
    const { rows, warnings } = await ask(question);
    expect([displays(rows).map(String).sort(), warnings.filter((text: string) => !text.startsWith('将“'))]).toEqual([
      [...expected].sort(),
      [],
    ]);
  });

  it.each(
    everyNth(
      [
        ['华东和华南都有的产品', ['Kobe Beef']],
        ['哪些供应商既供应Chai又供应Chang', ['Exotic Liquids']],
        ['供应Chai且供应Chang的供应商', ['Exotic Liquids']],
        ['Which customers bought Chai and Chang?', ['Alfreds Futterkiste']],
        ['Which customers placed orders that contain both Chai and Kobe Beef?', ['华为技术有限公司']],
        ['suppliers of both Chai and Kobe Beef', []],
        ['饮料和零食都有的订单', []],
      ],
      3,
    ),
  )('%s: answers with what has all of them', async (question, expected) => {
    const { rows, plan } = await ask(question);
    expect([displays(rows).sort(), plan.kind]).toEqual([expected, 'cypher']);
  });

  it('says that it took "and" for all at once', async () => {
    const { warnings } = await ask('Which customers bought Chai and Chang?');
    expect(warnings).toContainEqual(expect.stringContaining('Read as all of'));
  });

  it.each(['同时位于华东和华南的客户', 'customers located in both 华东 and 华南'])(
    '%s: is not answered, because there is only one of them',
    async question => {
      const { plan, warnings } = await ask(question);
      expect([plan.kind, warnings[0]]).toEqual(['search', expect.stringMatching(/能同时是|at once/)]);
    },
  );

  it.each(
    everyNth(
      [
        ['华东和华南的客户都有哪些', 3],
        ['Chai和Chang的单价都是多少', 2],
        ['customers in 华东 and 华南', 3],
        ['products of Exotic Liquids and Tokyo Traders', 4],
        ['Which customers bought Chai or Chang?', 2],
      ],
      3,
    ),
  )('%s: lists things that have one of them', async (question, count) => {
    expect((await ask(question)).rows).toHaveLength(count);
  });
});
