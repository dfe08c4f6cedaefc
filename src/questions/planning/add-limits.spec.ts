import { entities, linked, schema } from '../../../test/support/question-world.js';
import { languageOf } from '../../text/language.js';
import { planGraphQuestion } from './plan-graph-question.js';
import { type PlanSchema } from './schema-paths.js';

const planned = async (question: string, own: PlanSchema = schema) =>
  planGraphQuestion(await linked(question, own), own, entities, languageOf(question));
const conditionsOf = async (question: string, own?: PlanSchema) => {
  const plan = await planned(question, own);
  return 'cypher' in plan ? [/ WHERE (.*?) (?:RETURN|WITH|OPTIONAL)/.exec(plan.cypher)?.[1] ?? '', plan.parameters] : plan.reason.en;
};

/** The schema with a date on customers and a quantity on the relation 包含. */
const dated: PlanSchema = {
  ...schema,
  labels: schema.labels.map(label =>
    label.name === '客户'
      ? { ...label, properties: [...label.properties, { name: '注册日期', type: 'date', column: 'registered' }] }
      : label,
  ),
  edges: schema.edges.map(edge =>
    edge.type === '包含' ? { ...edge, properties: [{ name: '数量', type: 'int', column: 'quantity' }] } : edge,
  ),
};

/** The schema with two dates on orders. Neither date is named after the order. */
const shipping: PlanSchema = {
  ...schema,
  labels: schema.labels.map(label =>
    label.name === '订单' ? { ...label, properties: ['发货日期', '支付日期'].map(name => ({ name, type: 'date' })) } : label,
  ),
};

describe('addLimits', () => {
  it.each([
    '2020年之后2022年之前的订单',
    'orders placed after 2020 and before 2022',
    'orders placed after 2020 but before 2022',
    '2022年之前、2020年之后的订单',
  ])('%s: both times hold', async question => {
    expect(await conditionsOf(question)).toEqual(['t.下单日期 >= $p1 AND t.下单日期 < $p2', { p1: '2021-01-01', p2: '2022-01-01' }]);
  });

  it('bounds a time since a day by the day until which it lasts', async () => {
    expect(await conditionsOf('orders placed since 2020 and until 2022')).toEqual([
      't.下单日期 >= $p1 AND t.下单日期 < $p2',
      { p1: '2020-01-01', p2: '2023-01-01' },
    ]);
  });

  it('takes times for alternatives that are closed, or joined by "or"', async () => {
    expect(await conditionsOf('orders in 2023 and 2025')).toEqual([expect.stringContaining(' OR '), expect.anything()]);
    expect(await conditionsOf('orders before 2020 or after 2022')).toEqual([expect.stringContaining(' OR '), expect.anything()]);
  });

  it.each([
    'orders before 2020 and after 2022',
    'orders in 2024 and after 2022',
    'orders after 2020 and before 2021 and before 2023',
    'orders after 2020, after 2021 and before 2023',
    'orders in 2023 with order date in 2024',
  ])('%s: is not answered', async question => {
    expect(await conditionsOf(question)).toMatch(/^It is not clear how/);
  });

  it.each([
    ['Which customers placed orders in 2024?', ['客户.注册日期', '订单.下单日期'], 'n1.下单日期 >= $p1 AND n1.下单日期 < $p2'],
    ['2024年的订单', ['发货日期', '支付日期'], 't.支付日期 >= $p1 AND t.支付日期 < $p2'],
    ['orders that contain Chai in 2024', ['发货日期', '支付日期'], 't.支付日期 >='],
    ['每月的订单数', ['发货日期', '支付日期'], 't.支付日期'],
  ])('%s: asks back which date is meant, and takes the choice', async (question, names, condition) => {
    const own = names.includes('发货日期') ? shipping : dated;
    const asked = await planned(question, own);
    expect(asked).toMatchObject({ choices: names.map(text => ({ text })) });
    const [, second] = 'choices' in asked ? (asked.choices ?? []) : [];
    const chosen = await planGraphQuestion(await linked(question, own), own, entities, 'zh', { choices: [second!.token] });
    expect(chosen).toMatchObject({ cypher: expect.stringContaining(condition) });
  });

  it('takes the date that the question names', async () => {
    expect(await conditionsOf('Which customers registered in 2024 placed orders?', dated)).toEqual([
      't.注册日期 >= $p1 AND t.注册日期 < $p2',
      expect.anything(),
    ]);
  });

  it.each(['customers who have not ordered Chai in 2024', '2024年没有下单的客户'])(
    '%s: does not take the date of what is asked for instead of the one that is negated',
    async question => {
      expect(await planned(question, dated)).toHaveProperty('reason');
      expect(await planned(question)).toHaveProperty('reason');
    },
  );

  it('limits each node of the label, and each edge', async () => {
    expect(await conditionsOf('Which customers placed orders that contain Chai and Chang in 2024?')).toEqual([
      expect.stringMatching(/n1\.下单日期 >= \$p3 AND n1\.下单日期 < \$p4 AND n3\.下单日期 >= \$p3 AND n3\.下单日期 < \$p4/),
      expect.anything(),
    ]);
    expect(await conditionsOf('Which customers placed orders that contain Chai and Chang with quantity over 5?', dated)).toEqual([
      expect.stringMatching(/r\d\.数量 > \$p3 AND r\d\.数量 > \$p3/),
      expect.anything(),
    ]);
  });
});
