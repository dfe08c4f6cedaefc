import { type GraphArrays, type MemoryGraph, type NodeColumn } from '../../cypher/executors/memory/memory-graph.js';
import { type Direction } from '../../cypher/syntax/cypher-ast.js';
import { spend } from '../../cypher/syntax/effort.js';
import { type CypherMap, type CypherValue, type EdgeValue, type NodeValue } from '../../cypher/values/cypher-value.js';
import { floatOf, isNumber } from '../../cypher/values/numbers.js';
import { bytesOfSlots, sizeOf } from '../../cypher/values/value-size.js';
import { cellAt, codeCountOf, type PropertyColumn } from '../../graph-index/property-column.js';
import { placesWith, type PropertyIndex } from '../../graph-index/property-index.js';
import { textAt } from '../../graph-index/stored-texts.js';
import { indexOf, type Topology } from '../../graph-index/topology.js';
import { type ElementTypes, elementTypesOf, noTypes } from './element-types.js';
import { type GraphElements } from './graph-elements.js';
import { type ElementKind, type WholeProperties } from './load/load-properties.js';
import { type PropertyTypes, readProperties, readProperty } from './source-values.js';

/** Types whose values a `PropertyIndex` can find, because they are compared as numbers or as texts. */
const indexedTypes = new Set(['none', 'string', 'bigint', 'float', 'decimal', 'boolean']);
/** Types whose values take long to parse. Lists take long too, see `isSlow`. */
const slowTypes = new Set(['date', 'time', 'timetz', 'localdatetime', 'datetime', 'duration', 'map', 'json']);
/** Maximum nodes that a lookup in an index returns. If more nodes have the value, a scan is as fast. */
const mostLookedUp = 10_000;
/** Maximum node objects that one query keeps. It makes further nodes anew each time it visits them. */
const mostKnown = 10_000;
/** Units of work that making one node object counts. */
const unitsOfNode = 12;
/** Maximum distinct texts of a column, and bytes of these texts, for which parsed values are kept. Larger columns are parsed each time. */
const mostValuesKept = 65_536;
const mostBytesKept = 8_388_608;
/** Maximum bytes of the heap for the parsed values of all columns that the thread keeps. */
const mostValueBytesKept = 67_108_864;

/** Parts of a graph in memory: its shape, and the properties that a query asks for. */
export interface LoadedElements {
  topology: Topology;
  columns: Record<ElementKind, ReadonlyMap<string, PropertyColumn>>;
  /** Indexes of node properties that a query compares with constants or variables, by name. */
  indexes: ReadonlyMap<string, PropertyIndex>;
  /** All properties of nodes and edges, for queries that may ask for any property; null for other queries. */
  whole: Record<ElementKind, WholeProperties> | null;
}

/**
 * One version of a graph, for one query in memory. A node or edge becomes an object when the query visits it, and its properties are read
 * when the query asks for one. Make one GraphInMemory for each query, because it keeps these objects.
 */
export class GraphInMemory implements MemoryGraph {
  private readonly known = new Map<number, MemoryNode>();
  private readonly typeNumbers: Map<string, number>;
  private readonly wanted = new Map<readonly string[], Uint8Array>();
  private readonly indexes: ReadonlyMap<string, PropertyIndex>;
  private readonly columns: ReadonlyMap<string, PropertyColumn>;
  private readonly types: ElementTypes;
  /** The property types of the key labels, each once: far fewer than the label sets. */
  private readonly typesOfLabels: readonly PropertyTypes[];
  private readonly nodeProperties: ElementProperties;
  private readonly edgeProperties: ElementProperties;

  constructor(
    private readonly topology: Topology,
    { columns, whole, indexes }: Omit<LoadedElements, 'topology'>,
    schema: GraphElements,
  ) {
    this.indexes = indexes;
    this.columns = whole ? new Map() : columns.nodes;
    this.typeNumbers = new Map(topology.types.map((type, i) => [type, i]));
    const types = elementTypesOf(topology, schema);
    this.types = types;
    this.typesOfLabels = [...new Set(types.nodes)];
    this.nodeProperties = new ElementProperties(
      columns.nodes,
      whole?.nodes ?? null,
      place => types.nodes[topology.nodeSets[place]!] ?? noTypes,
    );
    this.edgeProperties = new ElementProperties(
      columns.edges,
      whole?.edges ?? null,
      place => types.edges[topology.edgeTypes[place]!] ?? noTypes,
    );
  }

  get arrays(): GraphArrays {
    return Object.assign(Object.create(null) as object, this.topology, {
      nodeColumn: (name: string) => this.columnOf(name),
      readsSlowly: (name: string) => this.readsSlowly(name),
      nodeAt: (place: number) => this.nodeAt(place),
      edgeAt: (place: number) => this.edgeAt(place),
      placeOf: (node: NodeValue) => this.placeOf(node),
    });
  }

  get nodeCount(): number {
    return this.topology.nodeIds.length;
  }

  *nodes(): Iterable<NodeValue> {
    for (let i = 0; i < this.nodeCount; i++) yield this.nodeAt(i);
  }

  *nodesWithLabel(label: string): Iterable<NodeValue> {
    const { setOffsets, setNodes } = this.topology;
    for (const set of this.setsWith(label)) for (let i = setOffsets[set]!; i < setOffsets[set + 1]!; i++) yield this.nodeAt(setNodes[i]!);
  }

  countOfLabel(label: string): number {
    const { setOffsets } = this.topology;
    return this.setsWith(label).reduce((sum, set) => sum + setOffsets[set + 1]! - setOffsets[set]!, 0);
  }

  nodeById(id: number): NodeValue {
    return this.nodeAt(indexOf(this.topology.nodeIds, id));
  }

  nodesWith(property: string, value: CypherValue): readonly NodeValue[] | null {
    const index = this.indexes.get(property);
    // Do not use the index for a property of a time type: the text of a time may equal the given text, but the values are not equal.
    const isIndexed = index && this.typesOfLabels.every(types => indexedTypes.has(types.get(property) ?? 'none'));
    if (!isIndexed || (typeof value !== 'string' && !isNumber(value))) return null;
    const places = placesWith(index, typeof value === 'string' ? value : floatOf(value), mostLookedUp);
    return places && places.map(place => this.nodeAt(place));
  }

  edgesOf(node: NodeValue, direction: Direction, types: readonly string[]): Iterable<EdgeValue> {
    return new EdgesAt(this, this.topology, this.placeOf(node), direction, types.length === 0 ? null : this.wantedOf(types));
  }

  /**
   * A mask over the numbers of edge types: 1 for each wanted type. It is kept by list, because a query asks with the same list each time.
   */
  private wantedOf(types: readonly string[]): Uint8Array {
    const known = this.wanted.get(types);
    if (known) return known;
    const wanted = new Uint8Array(this.topology.types.length);
    for (const type of types) if (this.typeNumbers.has(type)) wanted[this.typeNumbers.get(type)!] = 1;
    this.wanted.set(types, wanted);
    return wanted;
  }

  edgeAt(place: number): EdgeValue {
    const { edgeIds, edgeTypes, sources, targets, nodeIds, types } = this.topology;
    const [source, target] = [nodeIds[sources[place]!]!, nodeIds[targets[place]!]!];
    return new MemoryEdge(place, edgeIds[place]!, types[edgeTypes[place]!]!, source, target, this.edgeProperties);
  }

  private placeOf(node: NodeValue): number {
    return node instanceof MemoryNode ? node.place : indexOf(this.topology.nodeIds, node.id);
  }

  private columnOf(name: string): NodeColumn | null {
    const column = this.columns.get(name);
    if (!column) return null;
    const { codes, numbers } = column;
    return { codes, numbers, codeCount: codeCountOf(column), readsSlowly: this.readsSlowly(name), readings: this.readingsOf(name) };
  }

  private readingsOf(property: string): Uint16Array {
    const byType = new Map<string | undefined, number>();
    return Uint16Array.from(this.types.nodes, types => {
      const type = types.get(property);
      const number = byType.get(type) ?? byType.size;
      byType.set(type, number);
      return number;
    });
  }

  private readsSlowly(property: string): boolean {
    return this.typesOfLabels.some(types => isSlow(types.get(property) ?? 'none'));
  }

  private setsWith(label: string): readonly number[] {
    return setsByLabelOf(this.topology.labelSets).get(label) ?? [];
  }

  private nodeAt(place: number): MemoryNode {
    const known = this.known.get(place);
    if (known) return known;
    spend(unitsOfNode);
    const { nodeIds, nodeSets, labelSets } = this.topology;
    const node = new MemoryNode(place, nodeIds[place]!, labelSets[nodeSets[place]!]!, this.nodeProperties);
    if (this.known.size < mostKnown) this.known.set(place, node);
    return node;
  }
}

function isSlow(type: string): boolean {
  return slowTypes.has(type) || type.endsWith('[]');
}

/** For each label, the numbers of the label sets with this label. Kept as long as the label sets, which all queries on a version share. */
const setsByLabel = new WeakMap<Topology['labelSets'], Map<string, number[]>>();

function setsByLabelOf(labelSets: Topology['labelSets']): ReadonlyMap<string, readonly number[]> {
  const known = setsByLabel.get(labelSets);
  if (known) return known;
  const found = new Map<string, number[]>();
  for (const [set, labels] of labelSets.entries())
    for (const label of labels) {
      const sets = found.get(label);
      if (sets) sets.push(set);
      else found.set(label, [set]);
    }
  setsByLabel.set(labelSets, found);
  return found;
}

/**
 * Iterates over the edges at a node, a loop once. A walk holds one iterator for each of its edges; a generator would take several times the
 * memory.
 */
class EdgesAt implements IterableIterator<EdgeValue> {
  private out: number;
  private into: number;

  constructor(
    private readonly graph: Pick<GraphInMemory, 'edgeAt'>,
    private readonly topology: Topology,
    private readonly place: number,
    private readonly direction: Direction,
    private readonly wanted: Uint8Array | null,
  ) {
    this.out = topology.outOffsets[direction === 'in' ? place + 1 : place]!;
    this.into = topology.intoOffsets[direction === 'out' ? place + 1 : place]!;
  }

  [Symbol.iterator](): this {
    return this;
  }

  next(): IteratorResult<EdgeValue, undefined> {
    const { topology, place, direction, wanted } = this;
    const { outOffsets, intoOffsets, intoEdges, edgeTypes, sources } = topology;
    const [outEnd, intoEnd] = [outOffsets[place + 1]!, intoOffsets[place + 1]!];
    const [firstOut, firstInto] = [this.out, this.into];
    let found: EdgeValue | null = null;
    while (found === null && this.out < outEnd) {
      const edge = this.out++;
      if (wanted === null || wanted[edgeTypes[edge]!] === 1) found = this.graph.edgeAt(edge);
    }
    while (found === null && this.into < intoEnd) {
      const edge = intoEdges[this.into++]!;
      // A loop is in both lists, so skip it in the second.
      if (direction === 'both' && sources[edge] === place) continue;
      if (wanted === null || wanted[edgeTypes[edge]!] === 1) found = this.graph.edgeAt(edge);
    }
    // Skipped edges count too, because a hub may have any number of edges of other types.
    spend((this.out - firstOut + this.into - firstInto) >> 2);
    if (found !== null) return { done: false, value: found };
    return { done: true, value: undefined };
  }
}

class MemoryNode implements NodeValue {
  readonly kind = 'node';

  constructor(
    readonly place: number,
    readonly id: number,
    readonly labels: readonly string[],
    private readonly values: ElementProperties,
  ) {}

  get properties(): CypherMap {
    return this.values.at(this.place);
  }
}

class MemoryEdge implements EdgeValue {
  readonly kind = 'edge';

  constructor(
    readonly place: number,
    readonly id: number,
    readonly type: string,
    readonly source: number,
    readonly target: number,
    private readonly values: ElementProperties,
  ) {}

  get properties(): CypherMap {
    return this.values.at(this.place);
  }
}

/** The properties of all nodes, or of all edges. */
class ElementProperties {
  /** The element read last, because a query often asks for several properties of one element in a row. */
  private last: { place: number; properties: CypherMap } | null = null;

  constructor(
    private readonly columns: ReadonlyMap<string, PropertyColumn>,
    private readonly whole: WholeProperties | null,
    private readonly typesAt: (place: number) => PropertyTypes,
  ) {}

  /** All properties of an element, or a map that finds only those that the query asks for. */
  at(place: number): CypherMap {
    if (!this.whole) return new ColumnsAt(this, place) as Partial<CypherMap> as CypherMap;
    if (this.last?.place === place) return this.last.properties;
    const properties = readProperties(textAt(this.whole, this.whole.texts[place]!), this.typesAt(place));
    this.last = { place, properties };
    return properties;
  }

  valueAt(place: number, name: string): CypherValue | undefined {
    const column = this.columns.get(name);
    const cell = column && cellAt(column, place);
    if (!cell) return undefined;
    const type = this.typesAt(place).get(name);
    if ('number' in cell) return type === 'float' ? cell.number : BigInt(cell.number);
    return textValue(column, cell.text, type);
  }
}

/**
 * The properties of one element, looked up in columns. It can only `get` and `has`: for a query that needs more, `propertiesRead` returns
 * null names, and the whole properties are loaded instead.
 */
class ColumnsAt implements Pick<CypherMap, 'get' | 'has'> {
  constructor(
    private readonly elements: ElementProperties,
    private readonly place: number,
  ) {}

  get(name: string): CypherValue | undefined {
    return this.elements.valueAt(this.place, name);
  }

  has(name: string): boolean {
    return this.get(name) !== undefined;
  }
}

/** Parsed values of texts, by column and type, for all graphs of this thread. All are dropped beyond `mostValueBytesKept` bytes. */
let kept = new WeakMap<PropertyColumn, Map<string | undefined, CypherValue[]>>();
let bytesKept = 0;

function textValue(column: PropertyColumn, text: number, type: string | undefined): CypherValue | undefined {
  if (column.textOffsets.length - 1 > mostValuesKept || column.textBytes.length > mostBytesKept)
    return readProperty(textAt(column, text), type) ?? undefined;
  let byType = kept.get(column);
  if (!byType) kept.set(column, (byType = new Map<string | undefined, CypherValue[]>()));
  let values = byType.get(type);
  if (!values) byType.set(type, (values = []));
  const known = values[text];
  if (known !== undefined) return known ?? undefined;
  const value = readProperty(textAt(column, text), type);
  bytesKept += sizeOf(value) + bytesOfSlots(1);
  if (bytesKept > mostValueBytesKept) {
    kept = new WeakMap();
    bytesKept = 0;
  } else values[text] = value;
  return value ?? undefined;
}
