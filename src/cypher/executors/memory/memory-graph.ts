import { type GraphAccess } from '../../functions/cypher-function.js';
import { type CypherValue, type EdgeValue, type NodeValue } from '../../values/cypher-value.js';
import { type Direction } from '../../syntax/cypher-ast.js';

/** A graph that queries run on in memory. Nodes and edges are the same objects whenever they are asked for, or equal by id. */
export interface MemoryGraph extends GraphAccess {
  readonly nodeCount: number;
  nodes(): Iterable<NodeValue>;
  nodesWithLabel(label: string): Iterable<NodeValue>;
  countOfLabel(label: string): number;
  /** The edges at a node that lead out of it, into it, or both. No types means any. A loop is given once. */
  edgesOf(node: NodeValue, direction: Direction, types: readonly string[]): Iterable<EdgeValue>;
  /** The nodes whose property equals the value, and perhaps others, from an index. Null where it has none, or not for such a value. */
  nodesWith?(property: string, value: CypherValue): readonly NodeValue[] | null;
  readonly arrays?: GraphArrays;
}

/** The same graph by places in arrays, to count without making objects: compressed sparse rows of both directions. */
export interface GraphArrays {
  /** The number of each node's set of labels. */
  nodeSets: Uint32Array;
  labelSets: readonly (readonly string[])[];
  setOffsets: Uint32Array;
  setNodes: Uint32Array;
  edgeTypes: Uint32Array;
  types: readonly string[];
  sources: Uint32Array;
  targets: Uint32Array;
  /** The edges out of node i are `outOffsets[i]` to `outOffsets[i + 1]`. */
  outOffsets: Uint32Array;
  /** Those into it are `intoEdges[intoOffsets[i]]` to `intoEdges[intoOffsets[i + 1] - 1]`. */
  intoOffsets: Uint32Array;
  intoEdges: Uint32Array;
  /** A property of all nodes; null where it is not in memory as a column. */
  nodeColumn(name: string): NodeColumn | null;
  /** Whether the property is a time, a list or a map of some nodes, which take long to read and to compare. */
  readsSlowly(name: string): boolean;
  nodeAt(place: number): NodeValue;
  edgeAt(place: number): EdgeValue;
  placeOf(node: NodeValue): number;
}

/** The values of one property by place, as codes: 0 without a value, 1 for the number in `numbers`, and others for other values, the same for equal texts. */
export interface NodeColumn {
  codes: Uint32Array;
  /** Integers and floats; which of them, the labels of the node tell. */
  numbers: Float64Array;
  readsSlowly: boolean;
  /** Codes are below it. */
  codeCount: number;
  /** By set of labels: the number of the type by which the property's texts are read. The types are few. */
  readings: Uint16Array;
}
