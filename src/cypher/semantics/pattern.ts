/** The nodes and edges that a query matches together, with their names resolved. */
export interface Pattern {
  nodes: PatternNode[];
  edges: PatternEdge[];
  /** Later uses of the variable of an edge. The edge must lie between the nodes of each later use as well. */
  repeats: EdgeRepeat[];
  /** Pairs of edges (indexes) that must differ because they stand in one MATCH. */
  differentEdges: [number, number][];
}

export interface PatternNode {
  variable: string;
  anonymous: boolean;
  /** The label groups: the node must have at least one label of every group. */
  labels: string[][];
  /** Labels that the node may have according to the schema, for property types. Empty means unknown. */
  possibleLabels: string[];
}

/** An edge from `nodes[source]` to `nodes[target]`, or also the other way round when `directed` is false. Empty `types` means any. */
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

/** The node or edge that a variable stands for, as an index into `nodes` or `edges`. */
export interface PatternVariable {
  kind: 'node' | 'edge';
  index: number;
}
