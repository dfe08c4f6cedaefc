import { type Span } from './calendar.js';
import { type EntityNode, type Mention, type MeaningOf } from './meaning.js';

export interface LabelTerm {
  mention: Mention;
  label: string;
}

export interface EntityTerm {
  mention: Mention;
  nodes: EntityNode[];
  approximate: boolean;
  negated: boolean;
}

export interface PropertyTerm {
  mention: Mention;
  owners: MeaningOf<'property'>[];
}

export interface ValueTerm {
  mention: Mention;
  values: MeaningOf<'value'>[];
  negated: boolean;
}

export interface TimeTerm extends Span {
  mention: Mention;
}

/** The mentions of a question, each taken for one thing: the reading for the graph. */
export interface QuestionTerms {
  /** The text that the offsets of mentions count in. */
  text: string;
  /** The word, if any, that asks for all of what is named at once: `都`, `both`. */
  together: string | null;
  labels: LabelTerm[];
  entities: EntityTerm[];
  relations: { mention: Mention; type: string }[];
  properties: PropertyTerm[];
  values: ValueTerm[];
  times: TimeTerm[];
  compares: { mention: Mention; operator: string; value: number }[];
  top: { mention: Mention; descending: boolean; count: number | null } | null;
  counts: Mention[];
  groups: Mention[];
  whichs: Mention[];
  aggregate: { mention: Mention; function: 'avg' | 'sum' } | null;
  grain: Mention | null;
  /** Rankings and aggregates after the first: a plan takes one. */
  further: Mention[];
  /** Negations that nothing was excluded by: the question means something else than its other words say. */
  negations: Mention[];
}
