import { aLabel, anEdge } from '../../../test/support/graph-schema.js';
import { planCypher } from '../plan/plan-cypher.js';
import { findOperator } from '../plan/operators.js';
import { parseSimpleQuery } from '../plan/simple-query.js';
import { type GraphSchema } from './graph-schema.js';
import { type TypedExpression } from './typed-tree.js';

const schema: GraphSchema = {
  labels: [
    aLabel('订单', {
      aliases: ['Order'],
      properties: [
        { name: '编号', type: 'int', column: 'order_id' },
        { name: '运费', type: 'decimal(12,2)' },
        { name: '日期', type: 'date' },
        { name: '备注', type: 'string' },
        { name: '标签', type: 'string[]' },
        { name: '其他', type: 'json' },
      ],
    }),
  ],
  edges: [anEdge('退换', '订单', '订单')],
};

const parameters = { list: [1, null], text: 'x' };

/** Types the expression in `MATCH (o:订单)-[r:退换]->(p) RETURN …`. */
function typed(expression: string): TypedExpression {
  const { root } = planCypher(parseSimpleQuery(`MATCH (o:订单)-[r:退换]->(p) RETURN ${expression} AS x`), schema, parameters);
  const [column] = findOperator(root, 'project')?.columns ?? [];
  if (!column) throw new Error('no column');
  return column.expression;
}

describe('typeExpression', () => {
  it.each([
    ['o.编号', 'integer'],
    ['o.order_id + 1', 'integer'],
    ['o.编号 + o.运费', 'float'],
    ['o.编号 / 2', 'integer'],
    ['o.编号 ^ 2', 'float'],
    ['o.其他 * 2', 'number'],
    ['o.其他 + o.备注', 'any'],
    ["o.备注 + 'x'", 'string'],
    ['o.备注 + o.编号', 'string'],
    ['o.标签 + 1', 'list'],
    ['o.日期.year', 'integer'],
    ['date(o.日期)', 'date'],
    ['o.标签[0]', 'any'],
    ['coalesce(o.编号, o.运费)', 'number'],
    ['coalesce(o.编号, o.备注)', 'any'],
    ['CASE WHEN true THEN o.编号 ELSE o.运费 END', 'number'],
    ["CASE o.编号 WHEN 1 THEN o.日期 ELSE 'x' END", 'string'],
    ['-o.其他', 'number'],
    ['size(o.备注) > 1', 'boolean'],
    ['startNode(r)', 'node'],
    ['r', 'edge'],
  ])('knows the type of %s', (expression, type) => {
    expect(typed(expression).type).toBe(type);
  });

  it('reads a property by its stored name, whatever the query calls it', () => {
    expect(typed('o.order_id')).toMatchObject({ kind: 'property', name: '编号', object: { kind: 'variable', name: 'o', element: 'o' } });
    expect(typed('o:order')).toMatchObject({ kind: 'hasLabels', labels: [['订单']] });
  });

  it('takes startNode() and endNode() for the nodes of the pattern', () => {
    expect(typed('startNode(r)')).toMatchObject({ kind: 'variable', name: 'o' });
    expect(typed('endNode(r).编号')).toMatchObject({ kind: 'property', object: { kind: 'variable', name: 'p' } });
  });

  it.each([
    ['null = 1', null],
    ['[1, null] = [2, 1]', false],
    ['[1, null] = [1, 1]', null],
    ['[1] IN [[1], [2]]', true],
    ['o.编号 IN []', false],
    ['toUpper(null)', null],
    ["o.编号 < 'x'", null],
    ['$list = [2, null]', false],
  ])('knows the value of %s before any row is read', (expression, value) => {
    expect(typed(expression)).toMatchObject({ kind: 'constant', value });
  });

  it('takes startNode() only from the group where the group has the node, whatever variables are called', () => {
    const plan = (text: string) => planCypher(parseSimpleQuery(text), schema);
    expect(() => plan('MATCH ()-[k0:退换]->() RETURN DISTINCT k0 ORDER BY id(startNode(k0))')).toThrow(/not supported/);
    expect(() => plan('MATCH (a)-[k0:退换]->(b) RETURN k0, count(*) AS n ORDER BY startNode(k0).编号')).toThrow(/not supported/);
    const { root } = plan('MATCH (a)-[k0:退换]->(b) RETURN k0, a, count(*) AS n ORDER BY startNode(k0).编号');
    expect(findOperator(root, 'sort')?.keys[0]?.expression).toMatchObject({ kind: 'property', object: { name: 'k1', element: 'a' } });
  });

  it.each(['trim({a: 1} < {a: 2})', "(1 < 'a')[0]"])('takes a comparison that never holds for a boolean: %s', expression => {
    expect(() => typed(expression)).toThrow(/Type mismatch/);
  });

  it('names the subject of CASE when it has to be computed', () => {
    expect(typed('CASE o.编号 WHEN 1 THEN 2 END')).toMatchObject({
      subject: { kind: 'property' },
      branches: [{ when: { kind: 'comparison', left: { kind: 'caseSubject', type: 'integer' } } }],
      otherwise: { kind: 'constant', value: null },
    });
    expect(typed('CASE o WHEN p THEN 2 END')).toMatchObject({ subject: null, branches: [{ when: { left: { kind: 'variable' } } }] });
  });

  it.each(['o.编号.x', 'o + 1', "1 - 'x'", 'NOT 1', 'o.备注[0]', 'o.编号[0..1]', 'size(1)', 'labels(r)', 'id(1)', '1 IN 2', 'o.日期.hour'])(
    'refuses %s, whose values can never fit',
    expression => {
      expect(() => typed(expression)).toThrow(/Type mismatch/);
    },
  );
});

describe('the plan of a query', () => {
  it('is a tree of operators, with the aggregation below the order and the columns', () => {
    const { root } = planCypher(
      parseSimpleQuery('MATCH (o:订单) WHERE o.编号 > 1 RETURN o.备注 AS a, sum(o.运费) / count(*) AS b ORDER BY b DESC SKIP 2 LIMIT 3'),
      schema,
    );
    const aggregate = { kind: 'aggregate', keys: [{ name: 'k0' }], aggregates: [{ name: 'a0' }, { name: 'a1' }] };
    expect(root).toMatchObject({ kind: 'limit', count: 3, input: { kind: 'skip', count: 2, input: { kind: 'project' } } });
    expect(findOperator(root, 'project')).toMatchObject({ input: { kind: 'sort', keys: [{ descending: true }] } });
    expect(findOperator(root, 'sort')).toMatchObject({ input: aggregate });
    expect(findOperator(root, 'aggregate')).toMatchObject({ input: { kind: 'filter', input: { kind: 'match' } } });
    expect(findOperator(root, 'project')?.columns[1]?.expression).toMatchObject({ left: { name: 'a0' }, right: { name: 'a1' } });
  });
});
