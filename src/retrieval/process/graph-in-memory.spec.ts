import fc from 'fast-check';
import { type MemoryGraph } from '../../cypher/executors/memory/memory-graph.js';
import { answerOf, graphOf, plainly } from '../../../test/support/memory-graphs.js';
import { isLong, itLong } from '../../../test/support/tier.js';

const values = fc.constantFrom(null, '0', '1', '2', '1.5', '-0.0', '"1"', '"a"', '"ab"', 'true', '9007199254740993');
const world = fc.integer({ min: 1, max: 7 }).chain(count =>
  fc.record({
    nodes: fc.array(fc.record({ labels: fc.nat(2), x: values, y: values }), { minLength: count, maxLength: count }),
    edges: fc.array(fc.record({ type: fc.nat(1), source: fc.nat(count - 1), target: fc.nat(count - 1) }), { maxLength: 12 }),
    others: fc.constantFrom(0, 150),
  }),
);

const nodePattern = (name: string) =>
  fc.constantFrom(
    ...[`(${name})`, `(${name}:A)`, `(${name}:B)`, `(${name}:C)`, `(${name}:A|B)`, `(${name} {x: 1})`, `(${name}:A {x: 'a'})`],
    `(${name} {x: 1, y: 1})`,
  );
const edgePattern = fc.constantFrom('-->', '<--', '--', '-[:R]->', '<-[:S]-', '-[:R]-', '-[:R|S]->');
const condition = fc.constantFrom(
  ...['a.x = 1', 'b.x > 1', `a.x = 1.0 AND b.x <> 'a'`, 'b:A', 'a.x < b.x', 'b.x <> 1', '1.5 >= a.x', 'a.x IS NULL', 'b.y IS NOT NULL'],
  ...[`b.x STARTS WITH 'a'`, `a.x >= 'a'`, 'b.x > 0 AND b.x <= 2 AND a.y <> 2', 'b.x = b.x', 'a.x = 9007199254740993', 'b.x < $nan'],
  ...['a.x < b.y', 'a.x = a.y', 'b.x = null', 'a.y = true', 'b.x > 0 AND b.x <= 2 AND b.x <> 1 AND b.y IS NOT NULL'],
  ...['a.x >= 0 AND a.x < 3 AND a.x <> 1.5 AND b.x >= 0 AND b.x < 2 AND b.x <> 1.5'],
);
const asSubquery = 'COUNT { … }';
const question = fc
  .tuple(
    fc.array(edgePattern, { maxLength: 3 }),
    fc.tuple(...['a', 'b', 'c', 'd'].map(nodePattern)),
    fc.option(condition),
    fc.constantFrom(
      ...['count(*) AS n', 'count(a) AS n', 'count(DISTINCT b) AS n', 'b AS v, count(*) AS n', 'count(DISTINCT a) + count(a) AS n'],
      ...['a.x AS v, count(a.x) AS n, min(a.x) AS m', 'b.x AS v, count(DISTINCT b) AS n ORDER BY n DESC, v LIMIT 3', 'sum(b.x) AS n'],
      ...[
        'a AS v, b AS w, count(*) AS n',
        'count(*) + count(DISTINCT a) AS n',
        'b.x AS v, b.y AS w, count(*) AS n',
        'b.x AS v, avg(b.x) AS n',
      ],
      ...[
        'a.y AS v, sum(a.x) AS n',
        'count(DISTINCT b.x) AS n, max(b.y) AS m',
        'b.x IS NULL AS v, count(DISTINCT b) AS n, count(b.y) AS m',
      ],
      ...[
        'labels(b) AS v, count(*) AS n',
        'b:A AS v, min(b.x) AS n, max(b.y) AS m',
        'a.x AS v, sum(1) AS n',
        'a.x * 2 AS v, count(*) AS n',
        ...[asSubquery, asSubquery, asSubquery],
      ],
    ),
  )
  .map(([edges, nodes, where, items]) => {
    const pattern = edges.map((edge, i) => `${edge}${nodes[i + 1]}`).join('');
    const match = `MATCH ${nodes[0]}${pattern}${where ? ` WHERE ${where}` : ''}`;
    return items === asSubquery ? `RETURN COUNT { ${match} } AS n` : `${match} RETURN ${items}`;
  });

describe('a graph in memory', () => {
  it('counts over arrays and an index what matching one by one finds', () => {
    fc.assert(
      fc.property(world, question, (given, text) => {
        const graph = graphOf(given);
        const run = (on: MemoryGraph) => {
          try {
            return answerOf(on, text);
          } catch (error) {
            return { rows: [(error as { detail?: string }).detail ?? String(error)], cited: [], isCut: [] };
          }
        };
        const [counted, plain] = [run(graph), run(plainly(graph))];
        expect(counted.rows).toEqual(plain.rows);
        // The cited elements belong to the group's matches. They are all of these elements unless `isCut`.
        counted.cited.forEach((cited, i) => {
          for (const id of cited) expect(plain.cited[i]).toContain(id);
          if (!counted.isCut[i]) expect(cited).toEqual(plain.cited[i]);
        });
      }),
      { numRuns: isLong ? 400 : 30 },
    );
  });

  itLong('looks nodes up by what rows and other nodes give, and finds what matching one by one finds', () => {
    const given = fc.constantFrom('v', 'row.x', 'c.x', 'c.y', '1', 'null');
    const around = 'UNWIND [0, 1, 1.0, 2, null, "a", true, [1], 9007199254740993, $nan] AS v WITH v, {x: v} AS row MATCH (c:A)';
    const shape = fc.constantFrom(
      (value: string) => `MATCH (a:A|B {x: ${value}}) RETURN v, c, a`,
      (value: string) => `MATCH (a) WHERE a.x = ${value} AND a.y IS NOT NULL RETURN v, c, a`,
      (value: string) => `MATCH (a {x: ${value}})--(b {x: a.x}) RETURN v, c, a, b`,
      (value: string) => `OPTIONAL MATCH (a), (b {x: a.y}) WHERE ${value} = a.x RETURN v, c, a, b`,
      (value: string) => `MATCH (a {x: a.y}) WHERE a.x = ${value} RETURN v, c, a`,
    );
    fc.assert(
      fc.property(world, shape, given, (of, textOf, value) => {
        const graph = graphOf(of);
        const text = `${around} ${textOf(value)}`;
        expect(answerOf(graph, text).rows).toEqual(answerOf(plainly(graph), text).rows);
      }),
      { numRuns: isLong ? 60 : 20 },
    );
  });

  it('finds the shortest paths over arrays that matching one by one finds', () => {
    const paths = fc
      .tuple(edgePattern, fc.constantFrom('*', '*2..', '*..2', '*0..3', '*3..4'))
      .map(([edge, length]) => (edge.includes(']') ? edge.replace(']', `${length}]`) : edge.replace('--', `-[${length}]-`)));
    const others = fc.constantFrom(['', 'a'], ['(a)-->(c), ', 'a, c'], ['(a)-[e]-(b), ', 'e']);
    fc.assert(
      fc.property(world, paths, others, (given, edge, [before, other]) => {
        const graph = graphOf(given);
        const find = (on: MemoryGraph, word: string) =>
          answerOf(on, `MATCH ${before}(a:A|B), (b:A|B), p = ${word}((a)${edge}(b)) RETURN ${other}, b, length(p) AS n, p`);
        const all = find(plainly(graph), 'allShortestPaths');
        expect(find(graph, 'allShortestPaths')).toEqual(all);
        const [one, plain] = [find(graph, 'shortestPath').rows, find(plainly(graph), 'shortestPath').rows];
        const withoutPath = (row: string) => row.slice(0, row.lastIndexOf(' | '));
        expect(one.map(withoutPath)).toEqual(plain.map(withoutPath));
        for (const row of one) expect(all.rows).toContain(row);
      }),
      { numRuns: isLong ? 150 : 20 },
    );
  });

  itLong('searches paths anew where an expression has taken what it wanted of them', () => {
    const inExpression = fc.constantFrom(
      'RETURN b, length(shortestPath((a)-[*]-(b))) AS n',
      'RETURN b, [x IN [1, 2] | length(shortestPath((a)-[*]->(b)))] AS n',
      'RETURN b, EXISTS { MATCH p = shortestPath((a)-[*]->(b)) } AS n',
      'RETURN b, COLLECT { MATCH p = shortestPath((a)-[*]-(b)) RETURN length(p) LIMIT 1 } AS n',
      'RETURN b, COUNT { MATCH p = allShortestPaths((a)-[*]-(b)) RETURN p LIMIT 1 } AS n',
    );
    fc.assert(
      fc.property(world, inExpression, (given, end) => {
        const graph = graphOf(given);
        const text = `MATCH (a), (b) WHERE id(a) <> id(b) ${end}`;
        expect(answerOf(graph, text).rows).toEqual(answerOf(plainly(graph), text).rows);
      }),
      { numRuns: isLong ? 40 : 15 },
    );
  });
});
