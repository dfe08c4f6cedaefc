import { type GraphAccess } from '../../functions/cypher-function.js';
import { type CypherValue, type EdgeValue, type NodeValue } from '../../values/cypher-value.js';
import { type Direction } from '../../syntax/cypher-ast.js';

/** A graph that queries run on in memory. A node or edge that is read twice is the same object, or an object with the same id. */
export interface MemoryGraph extends GraphAccess {
  readonly nodeCount: number;
  nodes(): Iterable<NodeValue>;
  nodesWithLabel(label: string): Iterable<NodeValue>;
  countOfLabel(label: string): number;
  /** The edges out of a node, into it, or both, by `direction`. Empty `types` means any type. A loop is given once. */
  edgesOf(node: NodeValue, direction: Direction, types: readonly string[]): Iterable<EdgeValue>;
  /**
   * The nodes whose property equals the value, and perhaps others, from an index. Null if no index has the property, or if the index cannot
   * be used for this value.
   */
  nodesWith?(property: string, value: CypherValue): readonly NodeValue[] | null;
  readonly arrays?: GraphArrays;
}

/**
 * The nodes and edges of a graph in arrays, to count matches without making objects: compressed sparse rows of both directions. The place
 * of a node or edge is its index in these arrays.
 */
export interface GraphArrays {
  /** For each node: the index in `labelSets` of its set of labels. */
  nodeSets: Uint32Array;
  labelSets: readonly (readonly string[])[];
  setOffsets: Uint32Array;
  setNodes: Uint32Array;
  edgeTypes: Uint32Array;
  types: readonly string[];
  sources: Uint32Array;
  targets: Uint32Array;
  /** The edges out of node i are those from `outOffsets[i]` up to and without `outOffsets[i + 1]`. */
  outOffsets: Uint32Array;
  /** The edges into node i are `intoEdges[intoOffsets[i]]` to `intoEdges[intoOffsets[i + 1] - 1]`. */
  intoOffsets: Uint32Array;
  intoEdges: Uint32Array;
  /** The column of a property over all nodes; null where the property is not in memory as a column. */
  nodeColumn(name: string): NodeColumn | null;
  /** Whether the property of some nodes is a time, a list or a map. Such values take long to read and to compare. */
  readsSlowly(name: string): boolean;
  nodeAt(place: number): NodeValue;
  edgeAt(place: number): EdgeValue;
  placeOf(node: NodeValue): number;
}

/**
 * The values of one property by the place of the node, as codes: 0 for no value, 1 for a number (in `numbers`), and other codes for all
 * other values. Equal texts have the same code.
 */
export interface NodeColumn {
  codes: Uint32Array;
  /** The numbers by place. The labels of the node decide whether its number is an integer or a float. */
  numbers: Float64Array;
  readsSlowly: boolean;
  /** All codes are below this number. */
  codeCount: number;
  /**
   * For each set of labels, by its index in `labelSets`: the number of the type as which its nodes read the texts of the property. There
   * are few such types.
   */
  readings: Uint16Array;
}
