import { type CypherValue, type EdgeValue, type NodeValue } from '../../values/cypher-value.js';
import { type Row } from './scope.js';
import { type Walk } from './walk-edges.js';

/** Edges and walks that the patterns of one clause have matched so far, for one row. */
export interface Walked {
  /** Ids of the matched edges. A clause matches each edge at most once. */
  taken: Set<number>;
  /** Walks that belong to a path, by the slot of their edges. */
  walks: Map<number, PartOfPath>;
}

export interface PartOfPath {
  walk: Walk;
  /** Whether the walk goes from the left node of the edge pattern to the right one. */
  isForward: boolean;
}

/** Binds slots of the row to one candidate after the other. Yields true for each candidate, and null where the query may pause. */
export type Step = (row: Row, walked: Walked) => Generator<true | null>;

export function isNode(value: CypherValue): value is NodeValue {
  return typeof value === 'object' && value !== null && 'kind' in value && value.kind === 'node';
}

export function isEdge(value: CypherValue): value is EdgeValue {
  return typeof value === 'object' && value !== null && 'kind' in value && value.kind === 'edge';
}
