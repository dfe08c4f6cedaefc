/** The nodes and edges that a query matches together, with their names resolved. */
export interface Pattern {
  nodes: PatternNode[];
  edges: PatternEdge[];
  /** Later uses of an edge variable: the same edge must lie between these nodes as well. */
  repeats: EdgeRepeat[];
  /** Pairs of edges (indexes) that must differ, because they stand in one MATCH. */
  differentEdges: [number, number][];
}

export interface PatternNode {
  variable: string;
  anonymous: boolean;
  /** Every group must hold; one label of a group is enough. */
  labels: string[][];
  /** Labels it can have as far as the schema knows, for property types; empty: not known. */
  possibleLabels: string[];
}

/** From `nodes[source]` to `nodes[target]`; when `directed` is false, or the other way round. Empty `types`: any. */
export interface PatternEdge {
  variable: string;
  anonymous: boolean;
  types: string[];
  directed: boolean;
  source: number;
  target: number;
}

export interface EdgeRepeat {
  edge: number;
  types: string[];
  directed: boolean;
  source: number;
  target: number;
}

/** What a variable of a pattern stands for: an index among its nodes or edges. */
export interface PatternVariable {
  kind: 'node' | 'edge';
  index: number;
}
