import { type Span } from '../../text/calendar.js';
import { type Comparison, type TextOperator, type EntityNode, fillPlaces, intentsOf, type Mention, type MeaningOf } from './meaning.js';

export interface LabelTerm {
  mention: Mention;
  label: string;
}

export interface EntityTerm {
  mention: Mention;
  nodes: EntityNode[];
  approximate: boolean;
  /** Set if the term stands for all of the nodes instead of one of them. */
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

/** Whether a term is a boolean value: the question names the property, which implies the value true or false. */
export function isBoolean({ values }: ValueTerm): boolean {
  return values.every(({ value }) => value === 'true' || value === 'false');
}

export interface TimeTerm extends Span {
  mention: Mention;
  /** Set if the year was assumed, because the time does not name one. */
  isYearAssumed?: true;
}

/** The mentions of a question, each with the one meaning that it has in a question about the graph. */
export interface QuestionTerms {
  /** The text to which the offsets of mentions refer. */
  text: string;
  /** The day to which the times are relative. */
  today: string;
  /** The word that asks for all named things at once, if any: `都`, `both`. */
  together: string | null;
  labels: LabelTerm[];
  entities: EntityTerm[];
  relations: { mention: Mention; type: string }[];
  properties: PropertyTerm[];
  values: ValueTerm[];
  times: TimeTerm[];
  compares: { mention: Mention; operator: Comparison; value: number }[];
  /** Conditions on texts. `property` is the word for the property that holds the text; null for the name of the thing. */
  texts: { mention: Mention; operator: TextOperator; values: string[]; isDenied: boolean; property: PropertyTerm | null }[];
  /** `isTurned`: the highest has the lowest number, as the highest rank does. */
  top: { mention: Mention; descending: boolean; count: number | null; by: 'date' | 'price' | null; ofTwo: boolean; isTurned?: true } | null;
  /** The word by which the question wants yes or no. */
  whether: Mention | null;
  /** The word that compares one named thing with another. */
  than: Mention | null;
  counts: Mention[];
  groups: Mention[];
  whichs: Mention[];
  aggregate: { mention: Mention; function: 'avg' | 'sum' } | null;
  /** The words for the order of a list. */
  orders: { mention: Mention; descending: boolean | null }[];
  /** The word for a statistic that cannot be asked for, such as 中位数. */
  statistic: Mention | null;
  grain: Mention | null;
  /** Rankings, aggregates, comparisons, periods and numbers after the first of their kind. A plan uses only one of each kind. */
  further: Mention[];
  /** Negations that do not exclude a name or value. They change the meaning of the other words. */
  negations: Mention[];
  /** All negations, including those that exclude a name or value. */
  denials: Mention[];
}

/** The question with spaces in place of negations and of words that name something. Question words such as `how many` are kept. */
export function unreadOf({ text, mentions }: { text: string; mentions: Mention[] }): string {
  const isRead = (mention: Mention): boolean => mention.meanings[0]?.as !== 'intent' || intentsOf(mention, 'negation') !== null;
  return fillPlaces(text, mentions.filter(isRead));
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
