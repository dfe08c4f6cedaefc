import { type CalendarGrain } from '../../metrics/formula/formula-tree.js';
import { type Span } from '../../text/calendar.js';

/** A possible meaning of a stretch of a question. */
export type Meaning =
  | { as: 'label'; label: string }
  /** `part`: the words are only a part of the name of the relation. */
  | { as: 'relation'; type: string; part?: true }
  /**
   * `isEvent`: the word names only the event of a date: `hired` for `hire date`. `isCousin`: the word fits another date property better.
   */
  | { as: 'property'; owner: 'node' | 'edge'; ownerName: string; property: string; type: string; isEvent?: true; isCousin?: true }
  | { as: 'metric'; metricId: number }
  | { as: 'dimension'; metricId: number; dimension: string }
  /** `isSet`: the mention stands for all of the nodes, not for one of them. `approximate`: the nodes were found by a part of a name. */
  | { as: 'entity'; nodes: EntityNode[]; approximate: boolean; isSet?: true }
  | { as: 'value'; label: string; property: string; value: string }
  | { as: 'time'; span: Span; isYearAssumed?: true }
  | { as: 'intent'; intent: Intent }
  | { as: 'measure'; word: MetricWord };

export interface EntityNode {
  id: number;
  label: string;
}

/** Unit of time by which dates are grouped. */
export type Period = CalendarGrain | 'weekday';

export type Comparison = '>' | '<' | '>=' | '<=' | '=';

export type TextOperator = 'CONTAINS' | 'STARTS WITH' | 'ENDS WITH' | 'IS NULL';

export type Intent =
  | { kind: 'count' }
  | { kind: 'which' }
  | { kind: 'group' }
  | { kind: 'grain'; grain: Period }
  /** `by`: the kind of property that is ranked if no property is named. `ofTwo`: the ranking compares named things only. */
  | { kind: 'top'; descending: boolean; count: number | null; by?: 'date' | 'price'; ofTwo?: true }
  | { kind: 'aggregate'; function: 'avg' | 'sum' }
  /** A statistic that no question can ask for: the median, the variance. */
  | { kind: 'statistic' }
  /** `excludes`: the negation excludes the entities or values beside it. Other negations (`only`, `without`) restrict in another way. */
  | { kind: 'negation'; excludes: boolean }
  /** `isBare`: `是5` is a comparison only right after the property that has the value; elsewhere the number may be a name. */
  | { kind: 'compare'; operator: Comparison; value: number; isBare?: true }
  /** A range that includes both bounds. */
  | { kind: 'between'; low: number; high: number }
  /** A text contains, starts or ends with one of the values (in lower case), or none of them if `isDenied`. `IS NULL` has no values. */
  | { kind: 'text'; operator: TextOperator; values: string[]; isDenied: boolean }
  /** The question wants yes or no. */
  | { kind: 'whether' }
  /** The word compares one named thing with another. */
  | { kind: 'than' }
  /** A word for the order of a list: `sorted`, 降序. `descending` is null if the word tells no direction. */
  | { kind: 'order'; descending: boolean | null }
  /** The number of things that a ranking returns: `five products with the highest price`. */
  | { kind: 'number'; value: number };

/**
 * A word that asks for something about a metric, such as its share or growth. It has this meaning only in a question that names a metric.
 */
export type MetricWord =
  /** The part of a total: 占比, "share of". */
  | { kind: 'share' }
  /** The change since an earlier period. `since` is the year before or the period before; null if the question does not say. */
  | { kind: 'growth'; since: 'year' | 'period' | null }
  /** The time beside the word is the same period of an earlier year: 去年同期. */
  | { kind: 'samePeriod' }
  /** A bound of the metric. `value` is exact decimal text. `unit` is the sign or word of a currency; null if the bound has none. */
  | { kind: 'bound'; operator: '>' | '<' | '>=' | '<='; value: string; unit: string | null }
  /** Asks which of the named things has the higher value of the metric, or the lower value. */
  | { kind: 'more'; descending: boolean }
  /** A word that joins other metric words and limits nothing. */
  | { kind: 'link' };

/** A stretch of the (normalised) question and all its possible meanings. */
export interface Mention {
  text: string;
  start: number;
  end: number;
  meanings: Meaning[];
}

export type MeaningOf<K extends Meaning['as']> = Extract<Meaning, { as: K }>;

/** The first meaning of a mention that is of one kind; null if the mention has none. */
export function meaningOf<K extends Meaning['as']>(mention: Mention, kind: K): MeaningOf<K> | null {
  return (mention.meanings.find(meaning => meaning.as === kind) as MeaningOf<K> | undefined) ?? null;
}

export function intentsOf<K extends Intent['kind']>(mention: Mention, kind: K): Extract<Intent, { kind: K }> | null {
  const meaning = mention.meanings.find(candidate => candidate.as === 'intent' && candidate.intent.kind === kind);
  return meaning?.as === 'intent' ? (meaning.intent as Extract<Intent, { kind: K }>) : null;
}

/** Whether only blanks or 的 stand between two places: `在职的船员`, `German customers`. */
export function isJoined(text: string, end: number, start: number): boolean {
  return end <= start && /^[\s的]*$/.test(text.slice(end, start));
}

/** Returns the text with each character of the places replaced by the character `by`, so that offsets stay valid. */
export function fillPlaces(text: string, places: readonly Pick<Mention, 'start' | 'end'>[], by = ' '): string {
  const characters = text.split('');
  for (const { start, end } of places) characters.fill(by, start, end);
  return characters.join('');
}
