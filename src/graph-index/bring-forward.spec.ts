import fc from 'fast-check';
import { atOnce, type Steps } from '../text/steps.js';
import { bringColumnForward, bringTextsForward } from './bring-column-forward.js';
import { bringTopologyForward } from './bring-topology-forward.js';
import { movesOf } from './moves.js';
import { cellAt, type PropertyColumn, PropertyColumnBuilder } from './property-column.js';
import { sharedUint32 } from './shared-arrays.js';
import { StoredTextsBuilder, textAt } from './stored-texts.js';
import { type Topology, TopologyBuilder } from './topology.js';
import { isLong } from '../../test/support/tier.js';

interface Node {
  labels: string[];
  value: string | null;
}
interface Edge extends Omit<Node, 'labels'> {
  type: string;
  source: number;
  target: number;
}
interface Graph {
  nodes: Map<number, Node>;
  edges: Map<number, Edge>;
}

const labels = fc.constantFrom<string[][]>(['A'], ['B'], ['A', 'C'], ['D', 'A']);
const value = fc.constantFrom(null, '0', '1.5', '"a"', '"b"', '"界"', 'true', '9007199254740993', '-7');
const ids = fc.uniqueArray(fc.integer({ min: 1, max: 60 }), { maxLength: 20 });

/** Random versions of one graph: the first version, then the graph after each run. */
const versions = fc
  .array(
    fc.record({
      nodes: ids,
      edges: ids,
      gone: ids,
      seeds: fc.array(fc.tuple(labels, value, fc.nat(2), fc.nat(), fc.nat()), { minLength: 40, maxLength: 40 }),
    }),
    { minLength: 2, maxLength: 5 },
  ) // prettier-ignore
  .map(runs => {
    let now: Graph = { nodes: new Map(), edges: new Map() };
    return runs.map(({ nodes, edges, gone, seeds }) => {
      now = { nodes: new Map(now.nodes), edges: new Map(now.edges) };
      for (const id of gone) (id % 2 === 0 ? now.nodes : now.edges).delete(id);
      nodes.forEach((id, i) => now.nodes.set(id, { labels: seeds[i]![0], value: seeds[i]![1] }));
      const ends = [...now.nodes.keys()];
      for (const [id, { source, target }] of now.edges) if (!now.nodes.has(source) || !now.nodes.has(target)) now.edges.delete(id);
      edges.forEach((id, i) => {
        const [, edgeValue, type, source, target] = seeds[20 + i]!;
        const old = now.edges.get(id);
        // The source and target of an edge never change. Here a new edge may get the id of a removed edge, which makes the test harder.
        if (old) now.edges.set(id, { ...old, value: edgeValue });
        else if (ends.length > 0)
          now.edges.set(id, { type: 'RST'[type]!, source: ends[source % ends.length]!, target: ends[target % ends.length]!, value: edgeValue }); // prettier-ignore
      });
      return now;
    });
  });

function load({ nodes, edges }: Graph): Topology {
  const builder = new TopologyBuilder();
  const [sets, types] = [new Set<string>(), new Set<string>()];
  const numberOf = (names: Set<string>, name: string) => [...names.add(name)].indexOf(name);
  for (const [id, node] of [...nodes].sort(([a], [b]) => a - b)) builder.addNode(id, numberOf(sets, JSON.stringify(node.labels)));
  for (const [id, { type, source, target }] of edges) builder.addEdge(id, numberOf(types, type), source, target);
  return atOnce(
    builder.build(
      [...sets].map(set => JSON.parse(set) as string[]),
      [...types],
    ),
  );
}

/** The topology without the numbers of types and label sets, since equal versions may differ only in these. */
function canonical({ labelSets, types, nodeSets, edgeTypes, setOffsets, setNodes, ...rest }: Topology): unknown {
  const bySet = labelSets.map((set, i) => [JSON.stringify(set), [...setNodes.subarray(setOffsets[i], setOffsets[i + 1])]]);
  return {
    ...rest,
    labels: Array.from(nodeSets, set => labelSets[set]),
    typeOfEdges: Array.from(edgeTypes, type => types[type]),
    types: [...types].sort(),
    bySet: Object.fromEntries(bySet) as unknown,
  };
}

const kindOf = (topology: Topology, kind: 'nodes' | 'edges') => (place: number) =>
  kind === 'edges' || topology.labelSets[topology.nodeSets[place]!]![0] !== 'B' ? ('integer' as const) : ('float' as const);

function valuesOf(graph: Graph, topology: Topology, kind: 'nodes' | 'edges'): (string | null)[] {
  return Array.from(topology[kind === 'nodes' ? 'nodeIds' : 'edgeIds'], id => graph[kind].get(id)!.value);
}

function loadColumn(graph: Graph, topology: Topology, kind: 'nodes' | 'edges'): PropertyColumn {
  const values = valuesOf(graph, topology, kind);
  const builder = new PropertyColumnBuilder(values.length);
  values.forEach((json, place) => json !== null && builder.set(place, json, kindOf(topology, kind)(place)));
  return atOnce(builder.build());
}

function loadTexts(graph: Graph, topology: Topology, kind: 'nodes' | 'edges') {
  const values = valuesOf(graph, topology, kind);
  const [texts, builder] = [sharedUint32(values.length), new StoredTextsBuilder()];
  builder.add('{}');
  values.forEach((json, place) => json !== null && (texts[place] = builder.add(json)));
  return { texts, ...atOnce(builder.build()) };
}

const cells = (column: PropertyColumn) =>
  Array.from(column.codes, (_, place) => {
    const cell = cellAt(column, place);
    return cell && 'text' in cell ? textAt(column, cell.text) : cell;
  });

describe('a version that is brought forward', () => {
  it('has the nodes, edges and values of one that is loaded, run after run', () => {
    fc.assert(
      fc.property(versions, fc.boolean(), (graphs, isExact) => {
        let before = load(graphs[0]!);
        let parts = { nodes: loadColumn(graphs[0]!, before, 'nodes'), edges: loadColumn(graphs[0]!, before, 'edges') };
        let texts = { nodes: loadTexts(graphs[0]!, before, 'nodes'), edges: loadTexts(graphs[0]!, before, 'edges') };
        graphs.slice(1).forEach((graph, i) => {
          const old = graphs[i]!;
          const nodes = changedOf(old.nodes, graph.nodes, isExact);
          const edges = changedOf(old.edges, graph.edges, isExact);
          const sourceOf = (id: number): { id: number; source: number }[] =>
            [old, graph].flatMap(({ edges: of }) => (of.has(id) ? [{ id, source: of.get(id)!.source }] : []));
          const sources = edges.flatMap(sourceOf);
          const changed = { nodes, edges: sources.filter(({ id, source }, at) => sources.findIndex(each => each.id === id && each.source === source) === at) }; // prettier-ignore
          const after = atOnce(
            bringTopologyForward(before, changed, {
              nodes: nodes
                .flatMap(id => (graph.nodes.has(id) ? [{ id, labels: graph.nodes.get(id)!.labels }] : []))
                .sort((a, b) => a.id - b.id),
              edges: edges
                .flatMap(id => (graph.edges.has(id) ? [{ id, ...graph.edges.get(id)! }] : []))
                .sort((a, b) => a.source - b.source || a.id - b.id),
            }),
          )!;
          const loaded = load(graph);
          expect(canonical(after)).toEqual(canonical(loaded));
          for (const kind of ['nodes', 'edges'] as const) {
            const moves = atOnce(movesOf(kind, before, after, changed))!;
            const found = valuesOf(graph, after, kind);
            const values = new Map(moves.inserted.flatMap(place => (found[place] === null ? [] : [[place, found[place]!]])));
            parts = { ...parts, [kind]: atOnce(bringColumnForward(parts[kind], moves, values, kindOf(after, kind))) };
            texts = { ...texts, [kind]: atOnce(bringTextsForward(texts[kind], moves, values)) };
            expect(cells(parts[kind])).toEqual(cells(loadColumn(graph, loaded, kind)));
            expect(parts[kind].textOffsets.length).toBe(loadColumn(graph, loaded, kind).textOffsets.length);
            const shown = (of: typeof texts.nodes) => Array.from(of.texts, text => textAt(of, text));
            expect(shown(texts[kind])).toEqual(shown(loadTexts(graph, loaded, kind)));
          }
          before = after;
        });
      }),
      { numRuns: isLong ? 500 : 25 },
    );
  });

  it('is refused where the changes do not fit', () => {
    const node = (id: number): [number, Node] => [id, { labels: ['A'], value: null }];
    const before = load({ nodes: new Map([node(1), node(2)]), edges: new Map([[5, { type: 'R', source: 1, target: 2, value: null }]]) });
    // Node 2 is removed, but its edge is not.
    expect(atOnce(bringTopologyForward(before, { nodes: [2], edges: [] }, { nodes: [], edges: [] }))).toBeNull();
    const after = load({ nodes: new Map([node(1)]), edges: new Map() });
    expect(atOnce(movesOf('nodes', before, after, { nodes: [1], edges: [] }))).toBeNull();
    expect(atOnce(movesOf('nodes', before, after, { nodes: [2], edges: [] }))).toEqual({ before: 2, after: 1, dropped: [1], inserted: [] });
  });
});

describe('bringing many edges forward', () => {
  it('pauses once for at most some thousand edges', () => {
    const [nodes, edges, changedEvery] = [40_000, 200_000, 5];
    const builder = new TopologyBuilder();
    for (let id = 1; id <= nodes; id++) builder.addNode(id, id % 2);
    for (let id = 1; id <= edges; id++) builder.addEdge(id, id % 3, 1 + ((id * 7919) % nodes), 1 + ((id * 104729) % nodes));
    const before = atOnce(builder.build([['A'], ['B']], ['R', 'S', 'T']));
    const place = (i: number) => ({ id: before.edgeIds[i]!, source: before.nodeIds[before.sources[i]!]! });
    const places = Array.from({ length: edges / changedEvery }, (_, i) => i * changedEvery);
    const changed = { nodes: Array.from({ length: nodes / changedEvery }, (_, i) => 1 + i * changedEvery), edges: places.map(place) };
    const now = {
      nodes: changed.nodes.map(id => ({ id, labels: ['B'] })),
      edges: places.map(i => ({ ...place(i), type: 'S', target: before.nodeIds[before.targets[i]!]! })),
    };
    const text = (i: number) => `"text ${i}"`;
    const column = new PropertyColumnBuilder(edges);
    for (let i = 0; i < edges; i++) column.set(i, text(i), null);
    const columnBefore = atOnce(column.build());
    const pausesOf = <T>(steps: Steps<T>): [T, number] => {
      for (let pauses = 0; ; pauses++) {
        const step = steps.next();
        if (step.done) return [step.value, pauses];
      }
    };
    const [after, ofTopology] = pausesOf(bringTopologyForward(before, changed, now));
    const [moves, ofMoves] = pausesOf(movesOf('edges', before, after!, changed));
    const [, ofColumn] = pausesOf(bringColumnForward(columnBefore, moves!, new Map(moves!.inserted.map(i => [i, text(-i)])), () => null));
    for (const pauses of [ofTopology, ofMoves, ofColumn]) expect(pauses).toBeGreaterThan(edges / 4_096);
  });
});

/** The ids of the elements that differ. Unless `isExact`, also the ids of some elements that are equal. */
function changedOf<T>(before: Map<number, T>, after: Map<number, T>, isExact: boolean): number[] {
  const all = [...new Set([...before.keys(), ...after.keys()])];
  const differs = (id: number) => JSON.stringify(before.get(id)) !== JSON.stringify(after.get(id));
  return all.filter(id => differs(id) || (!isExact && id % 5 === 0));
}
