/** What a graph is made of, over all jobs that write it. */
export interface GraphSchema {
  labels: LabelSchema[];
  edges: EdgeSchema[];
}

/** One kind of node. */
export interface LabelSchema {
  name: string;
  aliases: string[];
  /** The property that holds each key column, in order; '' where none holds its very text, and empty where jobs disagree. */
  keyProperties: string[];
  displayProperty: string | null;
  properties: PropertySchema[];
  rowCount: number;
}

/** One kind of edge between two labels. */
export interface EdgeSchema {
  type: string;
  aliases: string[];
  sourceLabel: string;
  targetLabel: string;
  properties: PropertySchema[];
  rowCount: number;
}

/**
 * `type` is the mapping's word: string, int, bigint, decimal(p,s), float, boolean, date, time, datetime, json, string[], int[]; or `mixed`
 * where jobs disagree.
 */
export interface PropertySchema {
  name: string;
  type: string;
  column?: string;
}
