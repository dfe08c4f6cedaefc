import { aWorld, edge } from '../../../test/support/question-world.js';

const label = (name: string, alias: string, properties: [name: string, type: string][]) => ({
  name,
  aliases: [alias],
  displayProperty: properties[0]?.[0] ?? null,
  keyProperties: ['编号'],
  properties: [{ name: '编号', type: 'int' }, ...properties.map(([own, type]) => ({ name: own, type }))],
  rowCount: 9,
});

/** A trading company like the demo: only regions and products have a property 名称. Two customers have the names of labels. */
const { ask, plan } = aWorld({
  labels: [
    label('地区', 'Region', [['名称', 'string']]),
    label('客户', 'Customer', [['公司名称', 'string'], ['国家', 'string'], ['是否VIP', 'boolean']]),
    label('供应商', 'Supplier', [['公司名称', 'string'], ['国家', 'string'], ['成立年份', 'int']]),
    label('产品', 'Product', [['名称', 'string'], ['单价', 'decimal(12,2)'], ['库存', 'int']]),
    label('订单', 'Order', [['下单日期', 'date']]),
  ],
  edges: [
    edge('位于', 'LOCATED_IN', '客户', '地区'),
    edge('供应', 'SUPPLIES', '供应商', '产品'),
    edge('下单', 'PLACED', '客户', '订单'),
    edge('包含', 'CONTAINS', '订单', '产品'),
  ],
  toOne: { outgoing: ['位于'], incoming: ['下单', '供应'] },
  names: { 地区: ['华东', '华北'], 客户: ['蓝海贸易', 'Alfreds', '供应商', 'Product'], 供应商: ['华南电子'], 产品: ['蓝牙耳机', '键盘'] },
  values: { 客户: { 国家: ['德国'] }, 供应商: { 国家: ['德国'] } },
}); // prettier-ignore

const bought = '(t:客户)-[r1:下单]->(n1:订单)-[r2:包含]->(n2:产品)';

describe('verbs of trade that are no relations', () => {
  it.each([
    ['谁买过蓝牙耳机？', bought],
    ['蓝牙耳机被谁买过', bought],
    ['Who bought 蓝牙耳机?', bought],
    ['蓝牙耳机卖给了谁', bought],
    ['谁卖蓝牙耳机', '(t:供应商)-[r1:供应]->(n1:产品)'],
    ['Who sells 蓝牙耳机?', '(t:供应商)-[r1:供应]->(n1:产品)'],
    ['哪些客户买过蓝牙耳机', bought],
    ['Who sold 蓝牙耳机 to Alfreds?', '供应商'],
    ['Who bought 蓝牙耳机 from 华南电子?', '(t:客户)'],
  ])('%s: says which of the two sides is asked for', async (question, pattern) => {
    expect(await ask(question)).toContain(pattern);
  });

  it.each(['华南电子买了哪些产品', 'products bought by 华南电子', '蓝海贸易卖了哪些产品', 'Which products did Alfreds sell?'])(
    '%s: is not what this side does',
    async question => {
      expect(await ask(question)).toMatch(/^refused: The graph has no relation/);
    },
  );

  it.each([
    'products bought from 华南电子',
    'products sold to Alfreds',
    '卖给蓝海贸易的产品',
    '从华南电子采购的产品',
    'Which products come from 华南电子?',
    '卖得最贵的三个产品',
  ])('%s: names the other side', async question => {
    expect(await ask(question)).toMatch(/^MATCH/);
  });

  it.each(['卖过的产品', 'products that were sold', '蓝牙耳机被买了吗'])('%s: names no trader', async question => {
    expect(await ask(question)).toMatch(/^refused: /);
  });
});

describe('a time behind a word that compares', () => {
  it.each([
    '单价大于去年的产品',
    '单价大于去年且小于今年的产品',
    '库存小于2024年的产品',
    '公司名称晚于2020年的客户',
    'products with 库存 later than 2024',
  ])('%s: limits no date', async question => {
    expect(await ask(question)).toMatch(/^(refused|unknown)/);
  });

  it.each(['下单日期大于2022-01-10且小于2022-03-01的订单', 'orders with 下单日期 >= 2024-01-01 and < 2024-07-01'])(
    '%s: limits the date on both sides',
    async question => {
      expect(await ask(question)).toMatch(/下单日期 >.* AND .*下单日期 </);
    },
  );

  it.each(['成立年份晚于2010年的供应商', '成立年份大于2010年的供应商有哪些？'])('%s: limits the year', async question => {
    expect(await ask(question)).toContain('成立年份 >');
  });

  it.each(['下单日期大于2020年的订单', '下单日期晚于2022-01-10的订单', '下单日期>=2022-01-10的订单'])(
    '%s: limits the date',
    async question => {
      expect(await ask(question)).toMatch(/下单日期 >/);
    },
  );

  it.each(['2025年7月1-8月3日的订单', '7月1至8月2日的订单', '今年3月1至5月的订单', '7-8月3日的订单'])(
    '%s: a day is not read as a month',
    async question => {
      expect(await ask(question)).toMatch(/^(refused|unknown)/);
    },
  );

  it('is not shared by two years', async () => {
    expect(await ask('orders in the first two quarters of 2024 and 2025')).toMatch(/^(refused|unknown)/);
  });
});

describe('other things', () => {
  it.each([
    ['其他地区的客户', '其他'],
    ['华东的其它客户', '其它'],
    ['customers in other regions', 'other'],
    ['customers in other regions who are not in 德国', 'other'],
    ['What else does 华南电子 supply?', 'else'],
    ['Which other products does 华南电子 supply?', 'other'],
    ['another customer in 华东', 'another'],
  ])('%s: does not say what is left out', async (question, word) => {
    expect(await ask(question)).toBe(
      `refused: It is not clear what "${word}" leaves out; say so, such as "customers not in Berlin", or leave out "${word}"`,
    );
  });

  it.each(['除了华东，其他地区的客户', '华东以外的其他地区的客户', 'customers in regions other than 华东'])(
    '%s: says what is left out',
    async question => {
      expect(await ask(question)).toContain('NOT ');
    },
  );
});

describe('names', () => {
  it.each(['蓝海贸易的名称是什么', 'Alfreds的名称'])('%s: asks for the own name', async question => {
    expect(await ask(question)).toMatch(/^MATCH \(t:客户\) WHERE t\.编号 = \$p1 RETURN DISTINCT t, t\.公司名称 AS 公司名称/);
  });

  it('asks for another name by its label', async () => {
    expect(await ask('蓝海贸易的地区的名称')).toContain('(t:地区)');
    expect(await ask('蓝牙耳机的名称')).toContain('(t:产品) WHERE');
  });

  it.each(['“供应商”的国家', '"供应商"的订单', 'What country is "供应商" in?', 'orders of Product'])(
    '%s: takes a name in quotes or with a capital letter for the node, not for the label',
    async question => {
      expect(await plan(question)).toMatchObject({ parameters: expect.objectContaining({ p1: expect.any(Number) }) });
    },
  );

  it('takes the word without quotes for the label', async () => {
    expect(await ask('供应商的国家')).toBe('MATCH (t:供应商) RETURN DISTINCT t, t.国家 AS 国家 ORDER BY t.公司名称');
  });
});

describe('stated values', () => {
  it('takes a name behind 名称为 for that of the asked thing', async () => {
    expect(await ask('蓝海贸易的名称为键盘的产品')).toContain('(t:产品)');
  });

  it.each([
    ['是否VIP为true的客户', true],
    ['是否VIP为是的客户', true],
    ['是否VIP为否的客户有哪些', false],
    ['是否VIP=false的客户', false],
    ['是否VIP不为true的客户', false],
    ['customers whose 是否VIP is true', true],
    ['customers whose 是否VIP is not true', false],
  ])('%s: reads the truth', async (question, truth) => {
    expect(await plan(question)).toMatchObject({ parameters: { p1: truth } });
  });

  it.each([
    ['库存 99的产品', 't.库存 = $p1', 99],
    ['库存99的产品有哪些', 't.库存 = $p1', 99],
    ['How many products have 库存 99?', 't.库存 = $p1', 99],
    ['products with 单价 9.5', 't.单价 = $p1', 9.5],
  ])('%s: reads the number behind the property', async (question, condition, value) => {
    expect(await plan(question)).toMatchObject({ cypher: expect.stringContaining(condition), parameters: { p1: value } });
  });
});
