import { type Bilingual } from '../../text/bilingual.js';
import { type Evidence, type LeftOut } from '../../warehouse/references/source-table.js';

/** A part of a draft that no declaration of the source supports. */
export interface Guess {
  kind: 'key' | 'edge' | 'sensitive' | 'display' | 'collation';
  text: Bilingual;
  evidence: Evidence;
}

export interface DraftColumn {
  column: string;
  /** The name of the property; null if it is the name of the column. */
  property: string | null;
  type: string | null;
  /** True for a guessed key. If later rows repeat a value of this key, they are to be rejected instead of merged. */
  isUnique: boolean;
  guess: Guess | null;
}

export interface DraftNode {
  id: string;
  label: string;
  aliases: string[];
  table: string;
  key: string[];
  keyGuess: Guess | null;
  display: string | null;
  displayGuess: Guess | null;
  columns: DraftColumn[];
}

export interface DraftEnd {
  node: string;
  /** For each key column of the node: the edge's column that holds it. */
  match: [edgeColumn: string, nodeColumn: string][];
}

export interface DraftEdge {
  type: string;
  table: string;
  from: DraftEnd;
  to: DraftEnd;
  /** The columns that distinguish edges between the same two nodes. */
  key: string[];
  columns: DraftColumn[];
  guesses: Guess[];
}

export interface Draft {
  connection: string;
  nodes: DraftNode[];
  edges: DraftEdge[];
  leftOut: LeftOut[];
}
