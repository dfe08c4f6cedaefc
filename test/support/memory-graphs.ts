import { type MemoryGraph } from '../../src/cypher/executors/memory/memory-graph.js';
import { prepareInMemory } from '../../src/cypher/executors/memory/run-in-memory.js';
import { parseCypher } from '../../src/cypher/syntax/parse-cypher.js';
import { keyOf } from '../../src/cypher/values/equality.js';
import { type PropertyColumn, PropertyColumnBuilder } from '../../src/graph-index/property-column.js';
import { buildPropertyIndex } from '../../src/graph-index/property-index.js';
import { TopologyBuilder } from '../../src/graph-index/topology.js';
import { type GraphElements } from '../../src/retrieval/process/graph-elements.js';
import { GraphInMemory } from '../../src/retrieval/process/graph-in-memory.js';
import { atOnce } from '../../src/text/steps.js';

export interface World {
  nodes: { labels: number; x: string | null; y?: string | null }[];
  edges: { type: number; source: number; target: number }[];
  /** Number of additional nodes without edges, so that the nodes of `nodes` are few among all nodes. */
  others?: number;
}

const labelSets = [['A'], ['A', 'C'], ['B'], ['D']];
/** The type of the property x for each label set. */
const typesOfX = ['bigint', 'bigint', 'float', 'none'];
export const types = ['R', 'S', 'T', 'U', 'V', 'W', 'X'];
export const now = { epochNanoseconds: 0n, timeZone: 'UTC' };
export const limits = { steps: 1e9, heldBytes: 1e9 };
const schema = {
  labels: [
    { name: 'A', properties: [{ name: 'x', type: 'bigint' }] },
    { name: 'B', properties: [{ name: 'x', type: 'float' }] },
  ],
  edges: [],
} as unknown as GraphElements;

export function graphOf({ nodes, edges, others = 0 }: World): GraphInMemory {
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
export function plainly(graph: GraphInMemory): MemoryGraph {
  return {
    nodeCount: graph.nodeCount,
    nodes: () => graph.nodes(),
    nodesWithLabel: label => graph.nodesWithLabel(label),
    countOfLabel: label => graph.countOfLabel(label),
    nodeById: id => graph.nodeById(id),
    edgesOf: (node, direction, of) => graph.edgesOf(node, direction, of),
  };
}

export function answerOf(graph: MemoryGraph, text: string): { rows: string[]; cited: Set<number>[]; isCut: boolean[] } {
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
