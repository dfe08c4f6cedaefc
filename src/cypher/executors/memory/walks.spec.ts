import { CypherValueError } from '../../syntax/cypher.errors.js';
import { parseCypher } from '../../syntax/parse-cypher.js';
import { type EdgeValue, type NodeValue } from '../../values/cypher-value.js';
import { type MemoryGraph } from './memory-graph.js';
import { type AnswerRow, prepareInMemory } from './run-in-memory.js';
import { WorkExceededError } from './work.js';
import { everyNth } from '../../../../test/support/tier.js';

const limits = { steps: 30_000_000, heldBytes: 67_108_864 };
const now = { epochNanoseconds: 0n, timeZone: 'UTC' };
const length = 2_000;
/** Maximum nodes and edges that a query may copy between two pauses. */
const mostCopied = 60_000;

/** A path graph: nodes in a line, joined by edges. The first node has the label A and the last one B. */
function chainOf(edgeCount: number): MemoryGraph {
  const labelsAt = (i: number) => (i === 0 ? ['A'] : i === edgeCount ? ['B'] : []);
  const nodes = Array.from({ length: edgeCount + 1 }, (_, i): NodeValue => ({
    kind: 'node',
    id: i,
    labels: labelsAt(i),
    properties: new Map(),
  }));
  const edges = Array.from({ length: edgeCount }, (_, i): EdgeValue => {
    return {
      kind: 'edge',
      id: i,
      type: 'R',
      source: i,
      target: i + 1,
      properties: new Map([['w', i === 700 ? 'no day' : '2024-01-01']]),
    };
  });
  return graphOf(nodes, ({ id }, direction) => [
    ...(direction === 'in' ? [] : edges.slice(id, id + 1)),
    ...(direction === 'out' ? [] : edges.slice(Math.max(0, id - 1), id)),
  ]);
}

/** A graph without arrays. The id of a node is its index in `nodes`. */
function graphOf(nodes: readonly NodeValue[], edgesOf: MemoryGraph['edgesOf']): MemoryGraph {
  const withLabel = (label: string) => nodes.filter(({ labels }) => labels.includes(label));
  return {
    nodeCount: nodes.length,
    nodes: () => nodes,
    nodesWithLabel: withLabel,
    countOfLabel: label => withLabel(label).length,
    nodeById: id => nodes[id]!,
    edgesOf,
  };
}

const chain = chainOf(length);

function rowsOf(text: string, most = limits, graph = chain): Generator<AnswerRow | null> {
  return prepareInMemory(parseCypher(text), graph, { parameters: new Map(), limits: most, now }).rows();
}

function answerOf(text: string, most = limits, graph = chain): AnswerRow[] {
  return [...rowsOf(text, most, graph)].filter(row => row !== null);
}

function pausesOf(text: string): number {
  return [...rowsOf(text, { steps: 1e9, heldBytes: 1e9 })].filter(row => row === null).length;
}

/** The number of nodes and edges on all walks from the start, if each is copied `times` times. */
function copied(times: number): number {
  return (times * length * (length + 1)) / 2;
}

describe('a walk', () => {
  it.each(
    everyNth(
      [
        ['a path', 'MATCH p = (:A)-[*]->() RETURN max(length(p)) AS n', copied(2)],
        ['a path that was walked from its end', 'MATCH p = ()<-[*]-(:A) RETURN max(length(p)) AS n', copied(2)],
        ['a list', 'MATCH (:A)-[r*]->() RETURN max(size(r)) AS n', copied(1)],
        ['a list that was walked from its end', 'MATCH ()<-[r*]-(:A) RETURN max(size(r)) AS n', copied(1)],
        ['a path and its list', 'MATCH p = (:A)-[r*]->() RETURN max(length(p) + size(r)) AS n', copied(3)],
        ['a path of several walks', 'MATCH p = (:A)-[*0..3]->()-[*]->() RETURN max(length(p)) AS n', copied(8)],
        ['a path in a row behind', 'MATCH p = (:A)-[*]->() WITH p WHERE length(p) = 1 RETURN count(*) AS n', copied(2)],
        ['a list that an earlier clause has bound', 'MATCH (:A)-[r*]->() MATCH (a)-[r*]->() RETURN count(a) AS n', copied(4)],
        ['different paths', 'MATCH p = (:A)-[*]->() RETURN count(DISTINCT p) AS n', copied(10)],
        ['keys of groups', 'MATCH p = (:A)-[*1000..]->() WITH p, count(*) AS c RETURN count(c) AS n', copied(6)],
        [
          'equal paths',
          `MATCH q = (:A)-[*${length}]->() MATCH p = (:A)-[*]->() RETURN count(CASE WHEN [p] = [q] THEN 1 END) AS n`,
          copied(2),
        ],
        ['what is sorted', 'MATCH p = (:A)-[*1900..]->() WITH p ORDER BY p SKIP 1 RETURN count(*) AS n', 100 * 4 * 2_000],
        ['a shortest path', 'MATCH (a:A), (b) WHERE id(b) > 1900 RETURN max(length(shortestPath((a)-[*]->(b)))) AS n', 100 * 3 * 2_000],
      ],
      3,
    ),
  )('pauses by what is copied and compared of it when it is read as %s', (_, text, copies) => {
    expect(pausesOf(text)).toBeGreaterThan(copies / mostCopied);
  });

  it.each(
    everyNth(
      [
        'p = p',
        '[p] = [p]',
        'p IN [p]',
        'r = r',
        'nodes(p) = nodes(p)',
        'reverse(r)',
        'tail(relationships(p))',
        'nodes(p)[1..]',
        'p IN [q]',
        'EXISTS { MATCH ()-[r*]->() }',
        'COUNT { MATCH (:A)-[s*]->() RETURN s }',
        'COLLECT { MATCH s = (:A)-[*]->() RETURN s LIMIT 200 }',
        'shortestPath((a)-[*]->(b))',
      ],
      3,
    ),
  )('is refused if it has many edges and an expression asks for %s ten thousand times', value => {
    const match = `MATCH p = (a:A)-[r*${length}]->(b:B) MATCH q = (:A)-[*${length}]->(:B)`;
    expect(() => answerOf(`${match} RETURN size([i IN range(1, 10000) WHERE (${value}) IS NULL]) AS n`)).toThrow(WorkExceededError);
  });

  it.each(['length(p)', 'size(r)', 'size(nodes(p))', 'size(relationships(p))'])('answers %s without visiting its edges', value => {
    const text = `MATCH p = (:A)-[r*${length}]->() RETURN size([i IN range(1, 10000) WHERE ${value} >= ${length}]) AS n`;
    expect(answerOf(text)).toMatchObject([{ values: [10_000n] }]);
  });

  it('takes no longer for many edges if it is only counted', () => {
    // All walks are made four times without a pause. One unit for each edge of each walk would exceed the limit: 8 million units.
    for (const counted of ['count(p)', 'count(r)', 'count(*)']) {
      const all = `COUNT { MATCH p = (:A)-[r*]->() WITH ${counted} AS n WHERE n = ${length} RETURN n }`;
      expect(answerOf(`RETURN size([i IN range(1, 4) WHERE ${all} = 1]) AS n`)).toMatchObject([{ values: [4n] }]);
    }
  });

  it('is evidence whether or not it is read', () => {
    for (const pattern of [
      '(:A)-[*..30]->()',
      '()<-[*..30]-(:A)',
      '(:A)-[*..3]->()-[*..3]-()',
      '(:A)-[:R]->()-[*..20]->()',
      '(:A)-[*60]->()',
    ]) {
      const elementsOf = (text: string) =>
        answerOf(text).map(({ behind }) => [new Set(behind?.nodes.keys()), new Set(behind?.edges.keys()), behind?.isCut]);
      expect(elementsOf(`MATCH p = ${pattern} RETURN 1 AS one`)).toEqual(
        elementsOf(`MATCH p = ${pattern} WHERE length(p) > 0 RETURN 1 AS one`),
      );
    }
    expect(answerOf('MATCH p = (:A)-[*1000]->() RETURN 1 AS one')).toMatchObject([{ behind: { isCut: true } }]);
  });

  it('is asked as a whole for a condition that failed while it was walked', () => {
    const walk = "MATCH p = (:A)-[*800 {w: date('2024-01-01')}]->(b)";
    expect(() => answerOf(`${walk} RETURN count(p) AS n`)).toThrow(CypherValueError);
    expect(answerOf(`${walk} WHERE size(labels(b)) > 5 RETURN count(p) AS n`)).toMatchObject([{ values: [0n] }]);
  });

  it('holds what it has come through', () => {
    const few = { ...limits, heldBytes: 300_000 };
    expect(() => answerOf('MATCH (:A)-[*]->() RETURN count(*) AS n', few, chainOf(3_000))).toThrow(WorkExceededError);
    const short = 'UNWIND range(1, 100) AS i MATCH (:A)-[*..900]->(b) RETURN count(b) AS n';
    expect(answerOf(short, few)).toMatchObject([{ values: [90_000n] }]);
  });
});

/** Layers of nodes, each node joined with all nodes of the next layer. The first node has the label A. The last one has B, and no edge. */
function layersOf(layers: number, width: number): MemoryGraph {
  const count = layers * width + 2;
  const labelsAt = (i: number) => (i === 0 ? ['A'] : i === count - 1 ? ['B'] : []);
  const nodes = Array.from({ length: count }, (_, id): NodeValue => ({ kind: 'node', id, labels: labelsAt(id), properties: new Map() }));
  const layer = (i: number) => (i === 0 ? nodes.slice(0, 1) : nodes.slice(1 + (i - 1) * width, 1 + i * width));
  const edges = Array.from({ length: layers }, (_, i) =>
    layer(i).flatMap(from => layer(i + 1).map(to => [from.id, to.id] as const)),
  ).flat();
  const out = new Map<number, EdgeValue[]>(nodes.map(({ id }) => [id, []]));
  edges.forEach(([source, target], id) => out.get(source)!.push({ kind: 'edge', id, type: 'R', source, target, properties: new Map() }));
  return graphOf(nodes, ({ id }, direction) => (direction === 'in' ? [] : out.get(id)!));
}

describe('a search of shortest paths without arrays', () => {
  const graph = layersOf(5, 100);
  const few = { steps: 1e9, heldBytes: 1_000_000 };

  it('counts each edge that may lie on one of them', () => {
    expect(() => answerOf('MATCH p = allShortestPaths((:A)-[*]->(:B)) RETURN count(p) AS n', few, graph)).toThrow(WorkExceededError);
  });

  it('keeps one edge for a node where one path is wanted', () => {
    expect(answerOf('MATCH p = shortestPath((:A)-[*]->(:B)) RETURN count(p) AS n', few, graph)[0]!.values).toEqual([0n]);
  });
});
