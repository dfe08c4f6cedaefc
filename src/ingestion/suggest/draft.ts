import { type Bilingual } from '../../text/bilingual.js';
import { type Evidence, type LeftOut } from '../../warehouse/references/source-table.js';

/** A part of a draft that no declaration of the source backs. */
export interface Guess {
  kind: 'key' | 'edge' | 'sensitive' | 'display';
  text: Bilingual;
  evidence: Evidence;
}

export interface DraftColumn {
  column: string;
  /** Null if it is named like the column. */
  property: string | null;
  type: string | null;
  /** A guessed key, whose later repetitions are to be rejected rather than merged. */
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
  /** The edge's column for each key column of the node. */
  match: [edgeColumn: string, nodeColumn: string][];
}

export interface DraftEdge {
  type: string;
  table: string;
  from: DraftEnd;
  to: DraftEnd;
  /** Columns that tell edges between the same two nodes apart. */
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
