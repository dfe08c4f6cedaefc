import fc from 'fast-check';
import { type MemoryGraph } from '../../cypher/executors/memory/memory-graph.js';
import { prepareInMemory } from '../../cypher/executors/memory/run-in-memory.js';
import { propertiesRead } from '../../cypher/plan/properties-read.js';
import { parseCypher } from '../../cypher/syntax/parse-cypher.js';
import { keyOf } from '../../cypher/values/equality.js';
import { type PropertyColumn, PropertyColumnBuilder } from '../../graph-index/property-column.js';
import { buildPropertyIndex } from '../../graph-index/property-index.js';
import { TopologyBuilder } from '../../graph-index/topology.js';
import { atOnce } from '../../text/steps.js';
import { type GraphElements } from './graph-elements.js';
import { GraphInMemory } from './graph-in-memory.js';
import { isLong, itLong } from '../../../test/support/tier.js';

interface World {
  nodes: { labels: number; x: string | null; y?: string | null }[];
  edges: { type: number; source: number; target: number }[];
  /** Number of additional nodes without edges, so that the nodes of `nodes` are few among all nodes. */
  others?: number;
}

const labelSets = [['A'], ['A', 'C'], ['B'], ['D']];
/** The type of the property x for each label set. */
const typesOfX = ['bigint', 'bigint', 'float', 'none'];
const types = ['R', 'S', 'T', 'U', 'V', 'W', 'X'];
const now = { epochNanoseconds: 0n, timeZone: 'UTC' };
const limits = { steps: 1e9, heldBytes: 1e9 };
const schema = {
  labels: [
    { name: 'A', properties: [{ name: 'x', type: 'bigint' }] },
    { name: 'B', properties: [{ name: 'x', type: 'float' }] },
  ],
  edges: [],
} as unknown as GraphElements;

function graphOf({ nodes, edges, others = 0 }: World): GraphInMemory {
  const builder = new TopologyBuilder();
  nodes.forEach(({ labels }, i) => builder.addNode(10 + 3 * i, labels));
  for (let i = 0; i < others; i++) builder.addNode(10_000 + i, 3);
  edges.forEach(({ type, source, target }, i) => builder.addEdge(100_000 + i, type, 10 + 3 * source, 10 + 3 * target));
  const topology = atOnce(builder.build(labelSets, types));
  const [x, y] = (['x', 'y'] as const).map(name => {
    const column = new PropertyColumnBuilder(nodes.length + others);
    nodes.forEach((node, i) => {
      const json = node[name] ?? null;
      if (json !== null) column.set(i, json, name === 'x' && typesOfX[node.labels] === 'float' ? 'float' : 'integer');
    });
    return atOnce(column.build());
  }) as [PropertyColumn, PropertyColumn];
  const columns = { nodes: new Map(Object.entries({ x, y })), edges: new Map() };
  return new GraphInMemory(topology, { columns, indexes: new Map([['x', atOnce(buildPropertyIndex(x))]]), whole: null }, schema);
}

/** The same graph without arrays and index, so that every match is made one by one. */
function plainly(graph: GraphInMemory): MemoryGraph {
  return {
    nodeCount: graph.nodeCount,
    nodes: () => graph.nodes(),
    nodesWithLabel: label => graph.nodesWithLabel(label),
    countOfLabel: label => graph.countOfLabel(label),
    nodeById: id => graph.nodeById(id),
    edgesOf: (node, direction, of) => graph.edgesOf(node, direction, of),
  };
}

function answerOf(graph: MemoryGraph, text: string): { rows: string[]; cited: Set<number>[]; isCut: boolean[] } {
  const prepared = prepareInMemory(parseCypher(text), graph, { parameters: new Map([['nan', NaN]]), limits, now });
  const rows = [...prepared.rows()].filter(row => row !== null);
  const found = rows.map(({ values, behind }) => ({
    key: values.map(keyOf).join(' | '),
    cited: new Set([...behind!.nodes.keys(), ...behind!.edges.keys()]),
    isCut: behind!.isCut,
  }));
  found.sort((a, b) => (a.key < b.key ? -1 : 1));
  return { rows: found.map(({ key }) => key), cited: found.map(({ cited }) => cited), isCut: found.map(({ isCut }) => isCut) };
}

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

  it('looks a node up for each row, however many nodes there are', () => {
    const graph = graphOf({ nodes: Array.from({ length: 3_000 }, (_, i) => ({ labels: 0, x: String(i) })), edges: [] });
    const text = 'UNWIND range(0, 2999) AS i MATCH (a:A {x: i}) RETURN count(a) AS n';
    const small = { steps: 100_000, heldBytes: 1_000_000 };
    const rows = [...prepareInMemory(parseCypher(text), graph, { parameters: new Map(), limits: small, now }).rows()];
    expect(rows.find(row => row !== null)?.values).toEqual([3_000n]);
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

  it('counts the work over arrays where an expression asks for it again and again', () => {
    const many = 3_000;
    const given: World = {
      nodes: Array.from({ length: 2 * many }, (_, i) => ({ labels: 0, x: String(i) })),
      // Two separate rings, so that no path from one to the other exists.
      edges: Array.from({ length: 2 * many }, (_, i) => ({ type: 0, source: i, target: i % many === many - 1 ? i - many + 1 : i + 1 })),
    };
    const graph = graphOf(given);
    const ask = (value: string) => () =>
      answerOf(graph, `MATCH (a {x: 0}), (b {x: ${many}}) RETURN size([i IN range(1, 3000) WHERE ${value}]) AS n`);
    expect(ask('shortestPath((a)-[*]-(b)) IS NULL')).toThrow('too much work');
    expect(ask('COUNT { MATCH ()--()--() RETURN count(*) AS n } = 0')).toThrow('too much work');
  });

  it('counts nodes by a time beside a text, at a hub and among all', () => {
    const count = 6_000;
    const column = new PropertyColumnBuilder(count + 1);
    for (let i = 1; i <= count; i++) column.set(i, JSON.stringify(new Date(i * 3_600_000).toISOString()), null);
    const builder = new TopologyBuilder();
    for (let i = 0; i <= count; i++) builder.addNode(i, i === 0 ? 1 : 0);
    for (let i = 1; i <= count; i++) builder.addEdge(i, 0, i, 0);
    const graph = new GraphInMemory(
      atOnce(builder.build([['Visit'], ['Dept']], ['IN'])),
      { columns: { nodes: new Map([['time', atOnce(column.build())]]), edges: new Map() }, indexes: new Map(), whole: null },
      { labels: [{ name: 'Visit', properties: [{ name: 'time', type: 'datetime' }] }], edges: [] } as unknown as GraphElements,
    );
    for (const pattern of ['(t:Visit)-[:IN]->(:Dept)', '(t:Visit)'])
      for (const bound of ['"1970-02-01"', 'datetime("1970-02-01")']) {
        const query = parseCypher(`MATCH ${pattern} WHERE t.time >= ${bound} RETURN count(t) AS n`);
        const rows = [...prepareInMemory(query, graph, { parameters: new Map(), limits, now }).rows()];
        expect(rows.filter(row => row !== null)).toMatchObject([{ values: [BigInt(count - 31 * 24 + 1)] }]);
      }
  });

  describe('with documents', () => {
    const graphWith = (documents: readonly string[]): GraphInMemory => {
      const column = new PropertyColumnBuilder(documents.length);
      const builder = new TopologyBuilder();
      for (const [i, document] of documents.entries()) {
        column.set(i, document, null);
        builder.addNode(i, 0);
      }
      return new GraphInMemory(
        atOnce(builder.build([['Doc']], [])),
        { columns: { nodes: new Map([['doc', atOnce(column.build())]]), edges: new Map() }, indexes: new Map(), whole: null },
        { labels: [{ name: 'Doc', properties: [{ name: 'doc', type: 'map' }] }], edges: [] } as unknown as GraphElements,
      );
    };
    const ask = (graph: GraphInMemory, text: string) =>
      [...prepareInMemory(parseCypher(text), graph, { parameters: new Map(), limits, now }).rows()].flatMap(row =>
        row ? [row.values] : [],
      );

    it('reads thousands of them for a count, and pauses between them', () => {
      const graph = graphWith(Array.from({ length: 18_000 }, (_, i) => `{"a": ${i}, "b": [1, 2]}`));
      expect(ask(graph, 'MATCH (n:Doc) WHERE n.doc IS NOT NULL RETURN count(n)')).toEqual([[18_000n]]);
      expect(ask(graph, 'MATCH (n:Doc) WHERE n.doc = "x" RETURN count(n)')).toEqual([[0n]]);
    });

    it('refuses one that takes long to read', () => {
      const document = `{${Array.from({ length: 60_000 }, (_, i) => `"k${i}": 1`).join(', ')}}`;
      for (const text of [
        'MATCH (n:Doc) RETURN size(keys(n.doc))',
        'MATCH (n:Doc) RETURN n.doc',
        'MATCH (n:Doc) WHERE n.doc = 1 RETURN count(n)',
      ])
        expect(() => ask(graphWith([document]), text)).toThrow('too much work');
    });
  });

  it('counts without making the rows', () => {
    const given: World = {
      nodes: Array.from({ length: 300 }, () => ({ labels: 0, x: '1' })),
      edges: Array.from({ length: 300 * 300 }, (_, i) => ({ type: 0, source: Math.floor(i / 300), target: i % 300 })),
    };
    // The graph has 27 million walks of two edges. The 300 that take a loop twice are not matches.
    const graph = graphOf(given);
    const text = 'MATCH (a:A)-[:R]->(b)-[:R]->(c) RETURN count(*) AS n';
    const small = { steps: 1_000_000, heldBytes: 1_000_000 };
    const run = (on: MemoryGraph) => [...prepareInMemory(parseCypher(text), on, { parameters: new Map(), limits: small, now }).rows()];
    expect(run(graph).find(row => row !== null)?.values).toEqual([BigInt(300 ** 3 - 300)]);
    expect(() => run(plainly(graph))).toThrow('too much work');
  });
});

describe('a count beyond 2^53', () => {
  it('is not told inexactly', () => {
    const edges = types.flatMap((_, type) => Array.from({ length: 300 }, () => ({ type, source: 0, target: 0 })));
    const graph = graphOf({ nodes: [{ labels: 0, x: null }], edges });
    const chain = (hops: number) =>
      types
        .slice(0, hops)
        .map(type => `-[:${type}]->()`)
        .join('');
    const count = (hops: number) => {
      const run = { parameters: new Map(), limits: { steps: 1_000_000, heldBytes: 1_000_000 }, now };
      return [...prepareInMemory(parseCypher(`MATCH (a)${chain(hops)} RETURN count(*) AS n`), graph, run).rows()].find(row => row !== null);
    };
    expect(count(6)?.values).toEqual([300n ** 6n]);
    expect(() => count(7)).toThrow('too much work');
  });
});

describe('propertiesRead', () => {
  const read = (text: string) => {
    const { names, looked } = propertiesRead(parseCypher(text));
    return { names: names && [...names].sort(), looked: [...looked].sort() };
  };

  it('tells the properties that a query asks for, wherever they stand', () => {
    expect(
      read('MATCH (a {k: 1})-[r {w: a.q}]->(b) WHERE b.x = $p AND EXISTS { (b)-->(c) WHERE c.y > 2 } RETURN b.z ORDER BY a.s'),
    ).toEqual({
      names: ['k', 'q', 's', 'w', 'x', 'y', 'z'],
      looked: ['k', 'x'],
    });
  });

  it('tells queries that can ask for any', () => {
    for (const text of ['MATCH (n) RETURN keys(n)', 'MATCH (n) RETURN properties(n)', 'MATCH (n) RETURN n[$name]'])
      expect(read(text).names).toBeNull();
    expect(read(`MATCH (n) RETURN n['k'], [1, 2][0]`).names).toEqual(['k']);
  });
});
