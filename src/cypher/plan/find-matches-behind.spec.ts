import { aLabel } from '../../../test/support/graph-schema.js';
import { findOperator } from './operators.js';
import { type GraphSchema } from '../semantics/graph-schema.js';
import { prepareCypher } from '../prepare-cypher.js';
import { type CypherValue } from '../values/cypher-value.js';
import { findMatchesBehind } from './find-matches-behind.js';

const schema: GraphSchema = {
  labels: [
    aLabel('订单', {
      keyProperties: ['编号'],
      properties: [
        { name: '编号', type: 'int' },
        { name: '运费', type: 'float' },
      ],
    }),
  ],
  edges: [],
};
const behind = (cypher: string, ...rows: CypherValue[][]) => findMatchesBehind(prepareCypher(cypher, schema, '{}').plan!, rows);
const conditionsOf = (found: ReturnType<typeof behind>) => findOperator(found!.plan.root, 'filter')?.conditions;

describe('findMatchesBehind', () => {
  it('returns the groups of the rows', () => {
    const found = behind('MATCH (o:订单) RETURN o.编号 AS n, count(*) AS c', [1n, 5n], [2n, 6n]);
    expect(found!.plan.root).toMatchObject({ kind: 'project', input: { kind: 'filter', input: { kind: 'match' } } });
    expect(conditionsOf(found)).toMatchObject([{ operator: 'OR', operands: [{ right: { value: 1n } }, { right: { value: 2n } }] }]);
  });

  it('returns the matches that reach an extreme', () => {
    expect(conditionsOf(behind('MATCH (o:订单) RETURN max(o.运费) AS m', [9.5]))).toMatchObject([{ operator: '=', right: { value: 9.5 } }]);
    expect(behind('MATCH (o:订单) RETURN count(*) AS n', [3n])!.isLimited).toBe(false);
  });

  it('returns the groups of nodes by their ids', () => {
    const node = { kind: 'node' as const, id: 7, labels: [], properties: new Map() };
    const found = behind('MATCH (o:订单) RETURN o, count(*) AS c', [node, 5n]);
    expect(conditionsOf(found)).toMatchObject([{ left: { kind: 'call', function: 'id' }, right: { value: 7n } }]);
  });

  it('gives up when an extreme is part of a larger expression', () => {
    expect(behind('MATCH (o:订单) RETURN max(o.编号) + 1 AS m', [10n])).toBeNull();
  });

  it('takes a variable called max as a variable', () => {
    const found = behind('MATCH (max:订单) RETURN count(max) + 1 AS c, max.编号 AS n', [2n, 7n]);
    expect(conditionsOf(found)).toMatchObject([{ right: { value: 7n } }]);
  });
});
