import { entities, schema, termsOf } from '../../../test/support/question-world.js';
import { addConstraints, comparedProperty, isNumeric, type PlanSchema } from './add-constraints.js';
import { CypherWriter } from './cypher-writer.js';

/** Returns the limits that the question puts on the label it asks for. */
const constrain = async (question: string, label: string, inSchema: PlanSchema = schema) => {
  const terms = await termsOf(question);
  const writer = new CypherWriter(label);
  const target = terms.labels.find(term => term.label === label) ?? null;
  const { notes, considered } = addConstraints(writer, terms, target, inSchema, entities);
  return { cypher: writer.text('t'), parameters: Object.values(writer.parameters), notes, considered };
};

describe('addConstraints', () => {
  it.each([
    ['Alfreds的客户', '客户', 'MATCH (t:客户) WHERE t.客户编号 = $p1 RETURN t', ['ALFKI']],
    ['华东的客户', '客户', 'MATCH (t:客户)-[r1:位于]->(n1:地区) WHERE n1.地区编号 = $p1 RETURN t', ['E']],
    ['华东或华南的客户', '客户', 'MATCH (t:客户)-[r1:位于]->(n1:地区) WHERE n1.地区编号 IN $p1 RETURN t', [['E', 'S']]],
    ['不在华东的客户', '客户', 'MATCH (t:客户)-[r1:位于]->(n1:地区) WHERE NOT (n1.地区编号 = $p1) RETURN t', ['E']],
    ['德国的客户', '客户', 'MATCH (t:客户) WHERE t.国家 = $p1 RETURN t', ['德国']],
    ['德国和中国的客户', '客户', 'MATCH (t:客户) WHERE t.国家 IN $p1 RETURN t', [['德国', '中国']]],
    ['国家不是德国的客户', '客户', 'MATCH (t:客户) WHERE (NOT (t.国家 = $p1) OR t.国家 IS NULL) RETURN t', ['德国']],
    ['有机的产品', '产品', 'MATCH (t:产品) WHERE $p1 IN t.标签 RETURN t', ['有机']],
    ['有机或新品的产品', '产品', 'MATCH (t:产品) WHERE ($p1 IN t.标签 OR $p2 IN t.标签) RETURN t', ['有机', '新品']],
    ['标签不是新品的产品', '产品', 'MATCH (t:产品) WHERE (NOT ($p1 IN t.标签) OR t.标签 IS NULL) RETURN t', ['新品']],
    ['有订单的客户', '客户', 'MATCH (t:客户)-[r1:下单]->(n1:订单) RETURN t', []],
    ['下单的客户', '客户', 'MATCH (t:客户)-[r1:下单]->(n1:订单) RETURN t', []],
    ['单价大于18的产品', '产品', 'MATCH (t:产品) WHERE t.单价 > $p1 RETURN t', [18]],
    ['2024年的订单', '订单', 'MATCH (t:订单) WHERE t.下单日期 >= $p1 AND t.下单日期 < $p2 RETURN t', ['2024-01-01', '2025-01-01']],
    ['2025年以来的订单', '订单', 'MATCH (t:订单) WHERE t.下单日期 >= $p1 RETURN t', ['2025-01-01']],
    [
      '2023年和2025年的订单',
      '订单',
      'MATCH (t:订单) WHERE ((t.下单日期 >= $p1 AND t.下单日期 < $p2) OR (t.下单日期 >= $p3 AND t.下单日期 < $p4)) RETURN t',
      ['2023-01-01', '2024-01-01', '2025-01-01', '2026-01-01'],
    ],
  ])('%s', async (question, label, cypher, parameters) => {
    expect(await constrain(question, label)).toMatchObject({ cypher, parameters, notes: [] });
  });

  it('returns the paths that it has considered', async () => {
    const { considered } = await constrain('华东的客户', '客户');
    expect(considered[0]).toEqual({ path: '客户-[位于]->地区', score: 1 });
  });

  it('notes the nodes that an exclusion passes over because they have no such edge', async () => {
    const edges = schema.edges.map(edge => (edge.type === '位于' ? { ...edge, rowCount: 9 } : edge));
    const { notes } = await constrain('不在华东的客户', '客户', { ...schema, edges });
    expect(notes).toEqual([{ zh: expect.stringContaining('未计入'), en: expect.stringContaining('is not included') }]);
  });

  it.each([
    ['除Chai外的供应商', '供应商', 'cannot be excluded'],
    ['供应Chai且供应Chang的供应商', '供应商', 'all at once'],
    ['products that are 有机 and 新品', '产品', 'all at once'],
    ['suppliers of Chai and Chang', '供应商', 'all at once'],
    ['位于的产品', '产品', 'does not lead to or from'],
    ['2024年的地区', '地区', 'no date'],
    ['客户编号大于18的客户', '客户', 'not clear what "大于18" compares'],
  ])('%s: refuses instead of leaving something out', async (question, label, reason) => {
    await expect(constrain(question, label)).rejects.toMatchObject({ reason: { en: expect.stringContaining(reason) } });
  });

  it('refuses when no path leads to a named thing', async () => {
    await expect(constrain('华东的客户', '客户', { ...schema, edges: [] })).rejects.toMatchObject({
      reason: { en: 'No relation leads from "客户" to "地区"' },
    });
  });
});

describe('comparedProperty', () => {
  it.each([
    ['类别和单价大于18的产品', '单价'],
    ['大于18的产品的单价', '单价'],
  ])('of %s is %s', async (question, property) => {
    const terms = await termsOf(question);
    expect(comparedProperty(terms, terms.compares[0]!.mention)?.mention.text).toBe(property);
  });
});

describe('isNumeric', () => {
  it.each([
    ['int', true],
    ['bigint', true],
    ['decimal', true],
    ['decimal(12,2)', true],
    ['float', true],
    ['int[]', false],
    ['string', false],
    ['date', false],
  ])('of %s is %s', (type, is) => {
    expect(isNumeric(type)).toBe(is);
  });
});
