import { aLabel, anEdge } from '../../../test/support/graph-schema.js';
import { findOperator } from '../plan/operators.js';
import { prepareCypher } from '../prepare-cypher.js';
import { type GraphSchema } from './graph-schema.js';
import { type TypedExpression } from './typed-tree.js';

const schema: GraphSchema = {
  labels: [
    aLabel('订单', {
      aliases: ['Order'],
      properties: [
        { name: '编号', type: 'int', column: 'order_id' },
        { name: '运费', type: 'decimal(12,2)' },
        { name: '重量', type: 'float' },
        { name: '日期', type: 'date' },
        { name: '时间', type: 'datetime' },
        { name: '备注', type: 'string' },
        { name: '标签', type: 'string[]' },
        { name: '其他', type: 'json' },
      ],
    }),
    aLabel('产品', { properties: [{ name: '编号', type: 'string' }] }),
  ],
  edges: [anEdge('退换', '订单', '订单')],
};

const planOf = (text: string) => prepareCypher(text, schema, '{"list": [1, 2.5], "text": "x", "float": 1.0}').plan;

/** Types the expression in `MATCH (o:订单)-[r:退换]->(p), (n) RETURN …`; null if the query must run in memory. */
function typed(expression: string): TypedExpression | null {
  const plan = planOf(`MATCH (o:订单)-[r:退换]->(p), (n) RETURN ${expression} AS x`);
  return plan && findOperator(plan.root, 'project')!.columns[0]!.expression;
}

describe('typeExpression', () => {
  it.each([
    ['o.编号', 'integer'],
    ['o.order_id + 1', 'integer'],
    ['o.编号 + o.运费', 'decimal'],
    ['o.编号 + $float', 'float'],
    ['o.编号 / 2', 'integer'],
    ['-o.重量', 'float'],
    ['o.其他', 'any'],
    ['o.时间', 'datetime'],
    ["date('20240501')", 'date'],
    ['coalesce(o.运费, o.运费)', 'decimal'],
    ['size(o.备注) > 1', 'boolean'],
    ['o.运费 = 0.1', 'boolean'],
    ['o.编号 IN $list', 'boolean'],
    ["o.日期 >= '2024-05-01'", 'boolean'],
    ["o.时间 >= '2024-05-01'", 'boolean'],
    ["n.编号 = 'x'", 'boolean'],
    ['startNode(r)', 'node'],
    ['r', 'edge'],
  ])('knows the type of %s', (expression, type) => {
    expect(typed(expression)?.type).toBe(type);
  });

  it('reads a property by its stored name, whatever the query calls it', () => {
    expect(typed('o.order_id')).toMatchObject({ kind: 'property', name: '编号', object: { kind: 'variable', name: 'o', element: 'o' } });
    expect(typed('o:order')).toMatchObject({ kind: 'hasLabels', labels: [['订单']] });
  });

  it('takes startNode() and endNode() for the nodes of the pattern', () => {
    expect(typed('startNode(r)')).toMatchObject({ kind: 'variable', name: 'o' });
    expect(typed('id(endNode(r))')).toMatchObject({ kind: 'call', args: [{ kind: 'variable', name: 'p' }] });
  });

  it.each([
    ['a property whose type differs between labels', 'n.编号'],
    ['a quotient of decimals', 'o.运费 / 2'],
    ['a power', 'o.编号 ^ 2'],
    ['a remainder of floats', 'o.重量 % 2'],
    ['arithmetic of unknown types', 'o.其他 * 2'],
    ['a sum of texts', "o.备注 + 'x'"],
    ['an order of lists', "o.标签 < ['a']"],
    ['a list that is computed', '[o.编号]'],
    ['a comparison with null', 'o.编号 = null'],
    ['a float beside a decimal column', 'o.重量 = o.运费'],
    ['a text that is not a date', "o.日期 < 'x'"],
    ['a time with a zone', "o.时间 < '2024-05-01T00:00:00Z'"],
    ['coalesce() of two types', "coalesce(o.编号, '?')"],
    ['a division under a condition', 'o.编号 = 1 OR 1 / o.编号 = 1'],
    ['a function that differs in some language', 'toUpper(o.备注)'],
  ])('leaves %s to memory', (_, expression) => {
    expect(typed(expression)).toBeNull();
  });

  it.each([
    ['a sum of floats, which depends on the order of rows', 'MATCH (o:订单) RETURN sum(o.重量)'],
    ['a list of values', 'MATCH (o:订单) RETURN collect(o.编号)'],
    ['groups by values of unknown type', 'MATCH (o:订单) RETURN o.其他, count(*)'],
    ['an order of values of unknown type', 'MATCH (o:订单) RETURN o.其他 ORDER BY o.其他'],
    ['a condition that may fail, beside others', 'MATCH (o:订单) WHERE 1 / o.编号 = 1 AND o.备注 IS NULL RETURN o'],
    ['a condition that may fail, before another clause', 'MATCH (o:订单) WHERE 1 / o.编号 = 1 MATCH (o)-->(p) RETURN o'],
    ['a query that matches nothing', 'RETURN 1'],
  ])('leaves %s to memory', (_, text) => {
    expect(planOf(text)).toBeNull();
  });

  it('takes a condition that may fail where no other can hide the failure', () => {
    expect(planOf('MATCH (o:订单) WHERE 1 / o.编号 = 1 RETURN o')).not.toBeNull();
  });

  it('groups by a property of an element that is a group', () => {
    const plan = planOf('MATCH (o:订单) RETURN o, count(*) AS n ORDER BY o.编号')!;
    expect(findOperator(plan.root, 'aggregate')?.keys).toMatchObject([{ expression: { name: 'o' } }, { expression: { name: '编号' } }]);
    expect(findOperator(plan.root, 'sort')?.keys[0]?.expression).toMatchObject({ kind: 'variable', name: 'k1' });
  });
});

describe('the plan of a query', () => {
  it('is a tree of operators, with the aggregation below the order and the columns', () => {
    const { root } = planOf(
      'MATCH (o:订单) WHERE o.编号 > 1 RETURN o.备注 AS a, sum(o.编号) / count(*) AS b ORDER BY b DESC SKIP 2 LIMIT 3',
    )!;
    const aggregate = { kind: 'aggregate', keys: [{ name: 'k0' }], aggregates: [{ name: 'a0' }, { name: 'a1' }] };
    expect(root).toMatchObject({ kind: 'limit', count: 3, input: { kind: 'skip', count: 2, input: { kind: 'project' } } });
    expect(findOperator(root, 'project')).toMatchObject({ input: { kind: 'sort', keys: [{ descending: true }] } });
    expect(findOperator(root, 'sort')).toMatchObject({ input: aggregate });
    expect(findOperator(root, 'aggregate')).toMatchObject({ input: { kind: 'filter', input: { kind: 'match' } } });
    expect(findOperator(root, 'project')?.columns[1]?.expression).toMatchObject({ left: { name: 'a0' }, right: { name: 'a1' } });
  });
});
