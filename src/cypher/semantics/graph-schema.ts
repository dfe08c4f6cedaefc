/** The labels and edge types of a graph, over all jobs that write it. */
export interface GraphSchema {
  labels: LabelSchema[];
  edges: EdgeSchema[];
}

/** One kind of node: the nodes whose key has this label. */
export interface LabelSchema {
  name: string;
  aliases: string[];
  /**
   * The property that holds each key column, in order. An entry is '' if no property holds the exact text of the column; the list is
   * empty if the jobs of the label have different keys.
   */
  keyProperties: string[];
  displayProperty: string | null;
  properties: PropertySchema[];
  rowCount: number;
  /** Further labels that some of these nodes carry. A further label may also be the name of another kind of node. */
  furtherLabels?: FurtherLabelSchema[];
}

export interface FurtherLabelSchema {
  name: string;
  aliases: string[];
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
 * A property of nodes or edges. `type` is the mapping's word: string, int, bigint, decimal(p,s), float, boolean, date, time, timetz,
 * datetime, localdatetime, duration, one of these with [], json, map; or `mixed` if jobs disagree.
 */
export interface PropertySchema {
  name: string;
  type: string;
  column?: string;
  /** Synonyms of the property. Only questions use them, queries do not. */
  aliases?: string[];
}
