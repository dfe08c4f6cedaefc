import { type Bilingual } from '../../text/bilingual.js';
import { type Expression } from '../syntax/cypher-ast.js';
import { type ResolvedProperty } from '../semantics/graph-schema.js';

/**
 * A query with its names resolved: which nodes and edges are joined how, what must hold, what is returned. Expressions stay trees over the
 * variables. Pure data apart from the Maps; compilePlan turns it into SQL.
 */
export interface LogicalPlan {
  /** The query text, for places in errors; '' for a tree built in code. */
  text: string;
  nodes: PlannedNode[];
  edges: PlannedEdge[];
  /** Later uses of an edge variable: the same edge must lie between these nodes as well. */
  repeats: EdgeRepeat[];
  /** Pairs of edges (indexes) that must differ, because they stand in one MATCH. */
  differentEdges: [number, number][];
  /** All must be true. */
  conditions: Expression[];
  variables: ReadonlyMap<string, PlannedVariable>;
  distinct: boolean;
  /** True when some item is computed over a group of matches. */
  aggregated: boolean;
  items: { name: string; expression: Expression }[];
  /** Aliases are already replaced by what they stand for. */
  orderBy: { expression: Expression; descending: boolean }[];
  skip: Expression | null;
  limit: Expression | null;
  warnings: PlanWarning[];
}

export interface PlannedVariable {
  kind: 'node' | 'edge';
  index: number;
}

export interface PlannedNode {
  variable: string;
  anonymous: boolean;
  /** Every group must hold; one label of a group is enough. */
  labels: string[][];
  /** Labels it can have as far as the schema knows, for property types; empty: not known. */
  possibleLabels: string[];
  properties: Map<string, ResolvedProperty>;
  /** The constants its key is made of, in key order, when label and conditions fix all of them. */
  keyEquals: { property: ResolvedProperty; value: Expression }[] | null;
}

/** From `nodes[source]` to `nodes[target]`; when `directed` is false, or the other way round. Empty `types`: any. */
export interface PlannedEdge {
  variable: string;
  anonymous: boolean;
  types: string[];
  directed: boolean;
  source: number;
  target: number;
  properties: Map<string, ResolvedProperty>;
}

export interface EdgeRepeat {
  edge: number;
  types: string[];
  directed: boolean;
  source: number;
  target: number;
}

export interface PlanWarning {
  code: 'unknown_label' | 'unknown_type' | 'unknown_property' | 'unused_parameter' | 'type_mismatch';
  text: Bilingual;
  context: Record<string, unknown>;
}
