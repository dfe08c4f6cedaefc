import { flattenPlan } from './profile-sql.js';

describe('flattenPlan', () => {
  const names = new Map([['n0', '公司'], ['e0', '']]); // prettier-ignore
  const scan = { 'Node Type': 'Index Scan', 'Relation Name': 'nodes_7', 'Actual Rows': 0.5, 'Actual Loops': 4, 'Actual Total Time': 0.25 };

  it('puts operators behind those that give them rows, with their own time and the rows of all loops', () => {
    const edges = { 'Node Type': 'Seq Scan', 'Relation Name': 'edges_7', Alias: 'e0', 'Actual Rows': 4, 'Actual Loops': 1, 'Actual Total Time': 2 }; // prettier-ignore
    const join = { 'Node Type': 'Nested Loop', 'Actual Rows': 2, 'Actual Loops': 1, 'Actual Total Time': 3.5, Plans: [edges, { ...scan, Alias: 'n0' }] }; // prettier-ignore
    expect(flattenPlan(join, names)).toEqual([
      { operator: 'Scan edges', rows: 4, time_ms: 2 },
      { operator: 'Index scan nodes (公司)', rows: 2, time_ms: 1 },
      { operator: 'Join row by row', rows: 2, time_ms: 0.5 },
    ]);
  });

  it('tells no name of a table, and nothing of an operator that never ran', () => {
    expect(flattenPlan({ ...scan, Alias: 'nodes_7_1', 'Actual Loops': 0 }, names)).toEqual([
      { operator: 'Index scan nodes', rows: 0, time_ms: 0 },
    ]);
  });
});
