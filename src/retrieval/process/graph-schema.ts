import { type EdgeSchema, type LabelSchema } from '../../cypher/semantics/graph-schema.js';

/** One kind of node of a graph, over all jobs that write it. */
export interface NodeElement extends LabelSchema {
  displayProperty: string | null;
  rowCount: number;
}

/** One kind of edge between two labels, over all jobs that write it. */
export interface EdgeElement extends EdgeSchema {
  rowCount: number;
}

/** Where the rows of one element and job came from: what a citation needs. */
export interface ElementSource {
  kind: 'node' | 'edge';
  /** Label or edge type. */
  name: string;
  sourceLabel: string;
  targetLabel: string;
  jobId: number;
  connection: string;
  connectionId: number;
  table: string;
  keyColumns: string[];
}

/** What a graph version is made of; also a `GraphSchema` of the Cypher compiler. */
export interface GraphElements {
  labels: NodeElement[];
  edges: EdgeElement[];
  sources: ElementSource[];
}
