import { type MemoryGraph } from '../../cypher/executors/memory/memory-graph.js';
import { prepareInMemory } from '../../cypher/executors/memory/run-in-memory.js';
import { parseCypher } from '../../cypher/syntax/parse-cypher.js';
import { PropertyColumnBuilder } from '../../graph-index/property-column.js';
import { TopologyBuilder } from '../../graph-index/topology.js';
import { atOnce } from '../../text/steps.js';
import { type GraphElements } from './graph-elements.js';
import { GraphInMemory } from './graph-in-memory.js';
import { answerOf, graphOf, limits, now, plainly, types, type World } from '../../../test/support/memory-graphs.js';

describe('the work of a graph in memory', () => {
  it('looks a node up for each row, however many nodes there are', () => {
    const graph = graphOf({ nodes: Array.from({ length: 3_000 }, (_, i) => ({ labels: 0, x: String(i) })), edges: [] });
    const text = 'UNWIND range(0, 2999) AS i MATCH (a:A {x: i}) RETURN count(a) AS n';
    const small = { steps: 100_000, heldBytes: 1_000_000 };
    const rows = [...prepareInMemory(parseCypher(text), graph, { parameters: new Map(), limits: small, now }).rows()];
    expect(rows.find(row => row !== null)?.values).toEqual([3_000n]);
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
