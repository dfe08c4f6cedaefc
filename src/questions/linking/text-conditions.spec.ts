import { aWorld, chineseLabel, cypherOf, entities, planOver, schema, termsOf } from '../../../test/support/question-world.js';

const textsOf = async (question: string) =>
  (await termsOf(question)).texts.map(({ operator, values, isDenied, property }) => [
    isDenied ? `NOT ${operator}` : operator,
    ...values,
    property?.mention.text ?? 'name',
  ]);

/** Orders whose status has values that are spelt like words for an empty property: 空缺, `empty`, `Missing`. */
const { ask } = aWorld({
  labels: [chineseLabel('订单', ['Order'], [['状态', 'string', 'status', 'status'], ['日期', 'date', 'placed']])],
  edges: [],
  toOne: { outgoing: [], incoming: [] },
  names: { 订单: ['A1'] },
  values: { 订单: { 状态: ['空缺', 'empty', 'Missing', '已发货'] } },
}); // prettier-ignore

describe('findTextConditions', () => {
  it.each([
    ['名字里有电的产品', 'CONTAINS', '电', 'name'],
    ['名称包含“茶和水”的产品有哪些', 'CONTAINS', '茶和水', 'name'],
    ['名称里不含茶的产品', 'NOT CONTAINS', '茶', 'name'],
    ['名字带龍的产品', 'CONTAINS', '龍', '龙', 'name'],
    ['以电开头的产品', 'STARTS WITH', '电', 'name'],
    ['类别以饮结尾的产品', 'ENDS WITH', '饮', '类别'],
    ['类别里有茶的产品', 'CONTAINS', '茶', '类别'],
    ['姓王的客户', 'STARTS WITH', '王', 'name'],
    ['products whose name contains Tea', 'CONTAINS', 'tea', 'name'],
    ['Which products have a name that includes the word Desk?', 'CONTAINS', 'desk', 'name'],
    ['customers with names starting with New York in 华东', 'STARTS WITH', 'new york', 'name'],
    ['products whose category does not end with "ing or so"', 'NOT ENDS WITH', 'ing or so', 'category'],
    ['products whose name contains St. Ives.', 'CONTAINS', 'st. ives', 'name'],
    ['哪些产品的类别为空？', 'IS NULL', '类别'],
    ['类别是空的产品', 'IS NULL', '类别'],
    ['类别不为空的产品', 'NOT IS NULL', '类别'],
    ['单价非空的产品', 'NOT IS NULL', '单价'],
    ['空类别的产品', 'IS NULL', '类别'],
    ['没有填写类别的产品', 'IS NULL', '类别'],
    ['products whose category is null', 'IS NULL', 'category'],
    ['products whose category is not empty', 'NOT IS NULL', 'category'],
    ['Which products have an empty category?', 'IS NULL', 'category'],
    ['products with a missing unit price', 'IS NULL', 'unit price'],
  ])('%s: %s', async (question, ...expected) => {
    expect(await textsOf(question)).toEqual([expected]);
  });

  it.each([
    [
      '类别和单价为空的产品',
      [
        ['IS NULL', '单价'],
        ['IS NULL', '类别'],
      ],
    ],
    [
      '类别、标签和单价为空的产品',
      [
        ['IS NULL', '单价'],
        ['IS NULL', '标签'],
        ['IS NULL', '类别'],
      ],
    ],
    [
      'products whose category and unit price are empty',
      [
        ['IS NULL', 'unit price'],
        ['IS NULL', 'category'],
      ],
    ],
    [
      '空类别和单价的产品',
      [
        ['IS NULL', '类别'],
        ['IS NULL', '单价'],
      ],
    ],
    [
      '没有填写类别和单价的产品',
      [
        ['IS NULL', '类别'],
        ['IS NULL', '单价'],
      ],
    ],
    ['类别或单价为空的产品', [['IS NULL', 'name']]],
    ['products whose category or unit price is empty', [['IS NULL', 'name']]],
    ['客户的国家和产品的类别为空', [['IS NULL', 'name']]],
  ])('%s: is about each joined property, or about none', async (question, expected) => {
    expect(await textsOf(question)).toEqual(expected);
  });

  it.each([
    ['状态为空缺的订单', '状态 = $p1'],
    ['空缺状态的订单', '状态 = $p1'],
    ['orders whose status is empty', '状态 = $p1'],
    ['orders whose status is missing', '状态 = $p1'],
    ['状态和日期为空的订单', 'WHERE t.日期 IS NULL AND t.状态 IS NULL'],
    ['状态或日期为空的订单', 'refused: The parts that "or" joins are not understood; ask for each apart'],
    ['状态为空且日期为空的订单', 'WHERE t.状态 IS NULL AND t.日期 IS NULL'],
  ])('%s: %s', async (question, cypher) => {
    expect(await ask(question)).toContain(cypher);
  });

  it.each([
    '产品名称包含哪些',
    '订单包含Tofu的客户',
    'orders that contain Tofu',
    '姓名是什么',
    '名字是什么',
    'products that include chai',
    '名称里有几个字',
    '空调产品的类别',
    'an empty order',
  ])('%s says nothing of a text', async question => {
    expect(await textsOf(question)).toEqual([]);
  });

  it.each([
    ['products that have no category', 't.类别 IS NULL'],
    ['Which products have no category?', 't.类别 IS NULL'],
    ['products without a category', 't.类别 IS NULL'],
    ['products that do not have a category', 't.类别 IS NULL'],
    ['没有类别的产品', 't.类别 IS NULL'],
    ['哪些产品没有类别', 't.类别 IS NULL'],
    ['products that have a category', 't.类别 IS NOT NULL'],
    ['有类别的产品', 't.类别 IS NOT NULL'],
    ['没有饮料类别的产品', 'coalesce(NOT (t.类别 = $p1), true)'],
    ['products that have no supplier', 'NOT EXISTS { MATCH (t:产品)<-[:供应]-(n1:供应商) }'],
    ['没有供应商的产品', 'NOT EXISTS { MATCH (t:产品)<-[:供应]-(n1:供应商) }'],
  ])('%s: %s, which is no text', async (question, condition) => {
    const values = [{ label: '产品', property: '类别', value: '饮料' }];
    expect(await textsOf(question)).toEqual([]);
    expect(cypherOf(await planOver(question, { schema, nodes: entities, values }))).toContain(`MATCH (t:产品) WHERE ${condition} RETURN`);
  });
});
