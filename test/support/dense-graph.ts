import { type MemoryGraph } from '../../src/cypher/executors/memory/memory-graph.js';
import { PropertyColumnBuilder } from '../../src/graph-index/property-column.js';
import { buildPropertyIndex } from '../../src/graph-index/property-index.js';
import { TopologyBuilder } from '../../src/graph-index/topology.js';
import { type GraphElements } from '../../src/retrieval/process/graph-elements.js';
import { GraphInMemory } from '../../src/retrieval/process/graph-in-memory.js';
import { atOnce } from '../../src/text/steps.js';
import { Dice } from './dice.js';

const labelSets = [['A'], ['B'], ['A', 'C']];
const types = ['R', 'S', 'T'];

/**
 * A graph as retrieval keeps it in memory, with edges between random nodes. A node's property `x` is its number, from 0.
 * @param toHubs the share of edge ends that are at one of ten nodes
 * @param textLength characters of the property `t`, which is different for each node; 0 for none
 */
export function denseGraph(nodes: number, edges: number, toHubs = 0, textLength = 0): MemoryGraph {
  const dice = new Dice(1);
  const builder = new TopologyBuilder();
  const labels = Array.from({ length: nodes }, (_, i) => i % labelSets.length);
  labels.forEach((set, i) => builder.addNode(1 + i, set));
  const end = () => 1 + dice.below(dice.chance(toHubs) ? 10 : nodes);
  for (let i = 0; i < edges; i++) builder.addEdge(nodes + i + 1, dice.below(types.length), end(), end());
  const topology = atOnce(builder.build(labelSets, types));
  const column = (jsonOf: (i: number) => string, kind: 'integer' | 'float') => {
    const values = new PropertyColumnBuilder(nodes);
    for (let i = 0; i < nodes; i++) values.set(i, jsonOf(i), kind);
    return atOnce(values.build());
  };
  const x = column(i => String(i), 'integer');
  const columns = {
    x,
    y: column(i => JSON.stringify(`name ${i % 97}`), 'integer'),
    z: column(i => String(i / 7), 'float'),
    ...(textLength > 0 && { t: column(i => JSON.stringify(`${'x'.repeat(textLength)}${i}`), 'integer') }),
  };
  const word = (name: string, type: string) => ({ name, type });
  const schema = {
    labels: ['A', 'B', 'C'].map(name => ({
      name,
      properties: [word('x', 'bigint'), word('y', 'string'), word('z', 'float'), word('t', 'string')],
    })),
    edges: [],
  } as unknown as GraphElements;
  const loaded = {
    columns: { nodes: new Map(Object.entries(columns)), edges: new Map() },
    indexes: new Map([['x', atOnce(buildPropertyIndex(x))]]),
    whole: null,
  };
  return new GraphInMemory(topology, loaded, schema);
}
