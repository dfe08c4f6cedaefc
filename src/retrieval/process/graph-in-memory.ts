import { LRUCache } from 'lru-cache';
import { type MemoryGraph } from '../../cypher/executors/memory/memory-graph.js';
import { type Direction } from '../../cypher/syntax/cypher-ast.js';
import { type EdgeValue, type NodeValue } from '../../cypher/values/cypher-value.js';
import { type TextStore } from '../../graph-index/text-store.js';
import { indexOf, type Topology } from '../../graph-index/topology.js';
import { type GraphElements } from './graph-elements.js';
import { type PropertyTypes, propertyTypesOf, readProperties } from './source-values.js';

const none: PropertyTypes = new Map();

/** A query that comes to more nodes makes some of them anew. */
const mostKnown = 10_000;
/** The texts of properties that stay read, in characters. */
const mostRead = 4_000_000;

/**
 * One version of a graph, for queries that run in memory. Nodes and edges become objects when a query comes to them, and their properties
 * are read when it asks for one. The objects last as long as the query: make one of these for each.
 */
export class GraphInMemory implements MemoryGraph {
  private readonly known = new Map<number, NodeValue>();
  private readonly read = new LRUCache<string, NodeValue['properties']>({ maxSize: mostRead });
  /** The numbers of the sets of labels that contain a label. */
  private readonly setsWith = new Map<string, number[]>();
  private readonly typeNumbers: Map<string, number>;
  private readonly nodeTypes: PropertyTypes[];
  private readonly edgeTypes: PropertyTypes[];

  constructor(
    private readonly topology: Topology,
    private readonly nodeTexts: TextStore,
    private readonly edgeTexts: TextStore,
    schema: GraphElements,
  ) {
    for (const [number, labels] of topology.labels.entries())
      for (const label of labels) this.setsWith.set(label, [...(this.setsWith.get(label) ?? []), number]);
    this.typeNumbers = new Map(topology.types.map((type, i) => [type, i]));
    this.nodeTypes = topology.labels.map(([key]) => propertyTypesOf(schema.labels.find(({ name }) => name === key)?.properties ?? []));
    this.edgeTypes = topology.types.map(name =>
      propertyTypesOf(schema.edges.filter(edge => edge.type === name).flatMap(edge => edge.properties)),
    );
  }

  get nodeCount(): number {
    return this.topology.nodeIds.length;
  }

  *nodes(): Iterable<NodeValue> {
    for (let i = 0; i < this.nodeCount; i++) yield this.nodeAt(i);
  }

  *nodesWithLabel(label: string): Iterable<NodeValue> {
    const { offsets, edges } = this.topology.byLabel;
    for (const number of this.setsWith.get(label) ?? [])
      for (let i = offsets[number]!; i < offsets[number + 1]!; i++) yield this.nodeAt(edges[i]!);
  }

  countOfLabel(label: string): number {
    const { offsets } = this.topology.byLabel;
    return (this.setsWith.get(label) ?? []).reduce((count, number) => count + offsets[number + 1]! - offsets[number]!, 0);
  }

  nodeById(id: number): NodeValue {
    return this.nodeAt(indexOf(this.topology.nodeIds, id));
  }

  *edgesOf(node: NodeValue, direction: Direction, types: readonly string[]): Iterable<EdgeValue> {
    const wanted = types.length === 0 ? null : new Set(types.map(type => this.typeNumbers.get(type)));
    const at = indexOf(this.topology.nodeIds, node.id);
    const { out, into, edgeTypes, sources, targets } = this.topology;
    for (const { offsets, edges } of direction === 'both' ? [out, into] : [direction === 'out' ? out : into]) {
      for (let i = offsets[at]!; i < offsets[at + 1]!; i++) {
        const edge = edges[i]!;
        if (wanted && !wanted.has(edgeTypes[edge])) continue;
        // A loop lies in both lists.
        if (direction === 'both' && offsets === into.offsets && sources[edge] === targets[edge]) continue;
        yield this.edgeAt(edge);
      }
    }
  }

  private nodeAt(index: number): NodeValue {
    const known = this.known.get(index);
    if (known) return known;
    const { nodeIds, nodeLabels, labels } = this.topology;
    const set = nodeLabels[index]!;
    const types = this.nodeTypes[set] ?? none;
    const node = new LazyNode(nodeIds[index]!, labels[set]!, () => this.propertiesOf('n', this.nodeTexts, index, types));
    if (this.known.size < mostKnown) this.known.set(index, node);
    return node;
  }

  private edgeAt(index: number): EdgeValue {
    const { edgeIds, edgeTypes, sources, targets, nodeIds, types } = this.topology;
    const type = edgeTypes[index]!;
    const read = () => this.propertiesOf('e', this.edgeTexts, index, this.edgeTypes[type] ?? none);
    return new LazyEdge(edgeIds[index]!, types[type]!, nodeIds[sources[index]!]!, nodeIds[targets[index]!]!, read);
  }

  private propertiesOf(kind: 'n' | 'e', texts: TextStore, index: number, types: PropertyTypes): NodeValue['properties'] {
    const key = `${kind}${index}`;
    const known = this.read.get(key);
    if (known) return known;
    const text = texts.get(index);
    const properties = readProperties(text, types);
    this.read.set(key, properties, { size: text.length + 100 });
    return properties;
  }
}

class LazyNode implements NodeValue {
  readonly kind = 'node';

  constructor(
    readonly id: number,
    readonly labels: readonly string[],
    private readonly read: () => NodeValue['properties'],
  ) {}

  get properties(): NodeValue['properties'] {
    return this.read();
  }
}

class LazyEdge implements EdgeValue {
  readonly kind = 'edge';

  constructor(
    readonly id: number,
    readonly type: string,
    readonly source: number,
    readonly target: number,
    private readonly read: () => EdgeValue['properties'],
  ) {}

  get properties(): EdgeValue['properties'] {
    return this.read();
  }
}
