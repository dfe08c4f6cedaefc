import { aLabel } from '../../../test/support/graph-schema.js';
import { planCypher } from './plan-cypher.js';
import { type GraphSchema } from '../semantics/graph-schema.js';
import { parseSimpleQuery } from '../plan/simple-query.js';
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
const behind = (cypher: string, ...rows: unknown[][]) => findMatchesBehind(planCypher(parseSimpleQuery(cypher), schema), rows);

describe('findMatchesBehind', () => {
  it('returns the groups of the rows', () => {
    const found = behind('MATCH (o:订单) RETURN o.编号 AS n, count(*) AS c', [1, 5], [2, 6]);
    expect(found!.values).toEqual([1, 2]);
    expect(found!.plan.root).toMatchObject({ kind: 'project', input: { kind: 'filter', input: { kind: 'match' } } });
  });

  it('returns the matches that reach an extreme', () => {
    expect(behind('MATCH (o:订单) RETURN max(o.运费) AS m', [9.5])!.values).toEqual([9.5]);
  });

  it('returns the groups of nodes by their ids', () => {
    const found = behind('MATCH (o:订单) RETURN o, count(*) AS c', [{ _kind: 'node', id: 7 }, 5]);
    expect(found!.values).toEqual([7]);
    expect(found!.plan.root).toMatchObject({ input: { conditions: [{ left: { kind: 'call', function: 'id' } }] } });
  });

  it('gives up when an extreme is part of a larger expression', () => {
    expect(behind('MATCH (o:订单) RETURN max(o.运费) + 1 AS m', [10.5])).toBeNull();
  });

  it('takes a variable called max as a variable', () => {
    const found = behind('MATCH (max:订单) RETURN count(max) + 1 AS c, max.编号 AS n', [2, 7]);
    expect(found!.values).toEqual([7]);
  });
});
