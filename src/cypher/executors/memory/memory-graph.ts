import { type GraphAccess } from '../../functions/cypher-function.js';
import { type EdgeValue, type NodeValue } from '../../values/cypher-value.js';
import { type Direction } from '../../syntax/cypher-ast.js';

/** A graph that queries run on in memory. Nodes and edges are the same objects whenever they are asked for, or equal by id. */
export interface MemoryGraph extends GraphAccess {
  readonly nodeCount: number;
  nodes(): Iterable<NodeValue>;
  nodesWithLabel(label: string): Iterable<NodeValue>;
  countOfLabel(label: string): number;
  /** The edges at a node that lead out of it, into it, or both. No types means any. A loop is given once. */
  edgesOf(node: NodeValue, direction: Direction, types: readonly string[]): Iterable<EdgeValue>;
}
