export interface AnswerNode {
  id: number;
  /** The label to which `key` belongs. Keys are unique among the nodes of one label. */
  label: string;
  /** All labels, with `label` first. */
  labels: string[];
  key: string;
  display: string;
  properties: Record<string, unknown>;
  /** Set for a node that was made only as the end of an edge, with key properties only. Absent in all other nodes. */
  stub?: true;
}

export interface AnswerEdge {
  id: number;
  type: string;
  source_id: number;
  target_id: number;
  key: string;
  properties: Record<string, unknown>;
}

export interface AnswerGraph {
  nodes: AnswerNode[];
  edges: AnswerEdge[];
}
