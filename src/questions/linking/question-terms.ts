import { type Span } from '../../text/calendar.js';
import { type Comparison, type TextOperator, type EntityNode, fillPlaces, type Mention, type MeaningOf } from './meaning.js';

export interface LabelTerm {
  mention: Mention;
  label: string;
}

export interface EntityTerm {
  mention: Mention;
  nodes: EntityNode[];
  approximate: boolean;
  /** Stands for all of the nodes, and not for one of them. */
  isSet?: true;
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

/** Whether it stands for a boolean: the name of the property says which value is meant. */
export function isBoolean({ values }: ValueTerm): boolean {
  return values.every(({ value }) => value === 'true' || value === 'false');
}

export interface TimeTerm extends Span {
  mention: Mention;
  /** It names no year. This one was taken. */
  isYearAssumed?: true;
}

/** The mentions of a question, each with the one meaning chosen for it: the reading for the graph. */
export interface QuestionTerms {
  /** The text in which the offsets of mentions count. */
  text: string;
  /** The word that asks for all named things at once, if any: `都`, `both`. */
  together: string | null;
  labels: LabelTerm[];
  entities: EntityTerm[];
  relations: { mention: Mention; type: string }[];
  properties: PropertyTerm[];
  values: ValueTerm[];
  times: TimeTerm[];
  compares: { mention: Mention; operator: Comparison; value: number }[];
  /** What is said of texts. `property`: the word for what has the text, else it is the name. */
  texts: { mention: Mention; operator: TextOperator; values: string[]; isDenied: boolean; property: PropertyTerm | null }[];
  top: { mention: Mention; descending: boolean; count: number | null; by: 'date' | 'price' | null; ofTwo: boolean } | null;
  /** The word by which it wants yes or no. */
  whether: Mention | null;
  /** The word that compares one named thing with another. */
  than: Mention | null;
  counts: Mention[];
  groups: Mention[];
  whichs: Mention[];
  aggregate: { mention: Mention; function: 'avg' | 'sum' } | null;
  grain: Mention | null;
  /** Rankings and aggregates after the first; a plan takes only one. */
  further: Mention[];
  /** Negations that exclude nothing. The question means something else than its other words say. */
  negations: Mention[];
  /** All negations. */
  denials: Mention[];
}

/** The question with spaces in place of the values in it. */
export function outsideValues({ text, values }: QuestionTerms): string {
  return fillPlaces(
    text,
    values.map(({ mention }) => mention),
  );
}

/** The question with spaces in place of the names in it. */
export function outsideNames({ text, entities, values }: QuestionTerms): string {
  return fillPlaces(
    text,
    [...entities, ...values].map(({ mention }) => mention),
  );
}
