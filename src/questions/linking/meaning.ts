import { type CalendarGrain } from '../../metrics/formula/formula-tree.js';
import { type Span } from '../../text/calendar.js';

/** A possible meaning of a stretch of a question. */
export type Meaning =
  | { as: 'label'; label: string }
  /** `part`: the words are only a part of its name. */
  | { as: 'relation'; type: string; part?: true }
  /** `isEvent`: the word only says what happens at that date: `hired` of `hire date`. `isCousin`: it is nearer to another date. */
  | { as: 'property'; owner: 'node' | 'edge'; ownerName: string; property: string; type: string; isEvent?: true; isCousin?: true }
  | { as: 'metric'; metricId: number }
  | { as: 'dimension'; metricId: number; dimension: string }
  /** `isSet`: it stands for all of the nodes, and not for one of them. */
  | { as: 'entity'; nodes: EntityNode[]; approximate: boolean; isSet?: true }
  | { as: 'value'; label: string; property: string; value: string }
  | { as: 'time'; span: Span; isYearAssumed?: true }
  | { as: 'intent'; intent: Intent }
  | { as: 'measure'; word: MetricWord };

export interface EntityNode {
  id: number;
  label: string;
}

/** By what dates are grouped. */
export type Period = CalendarGrain | 'weekday';

export type Comparison = '>' | '<' | '>=' | '<=' | '=';

export type TextOperator = 'CONTAINS' | 'STARTS WITH' | 'ENDS WITH';

export type Intent =
  | { kind: 'count' }
  | { kind: 'which' }
  | { kind: 'group' }
  | { kind: 'grain'; grain: Period }
  /** `by`: what is ranked if no property is named. `ofTwo`: it compares named things, and ranks nothing else. */
  | { kind: 'top'; descending: boolean; count: number | null; by?: 'date' | 'price'; ofTwo?: true }
  | { kind: 'aggregate'; function: 'avg' | 'sum' }
  /** `excludes`: takes away the entities or values beside it. Otherwise it says more (`only`, `without`) than is understood. */
  | { kind: 'negation'; excludes: boolean }
  /** `isBare`: `是5`, which is a comparison only right after what has the value; else the number may be a name. */
  | { kind: 'compare'; operator: Comparison; value: number; isBare?: true }
  /** Both bounds are included. */
  | { kind: 'between'; low: number; high: number }
  /** A text has one of the values in it, in small letters, or none of them. */
  | { kind: 'text'; operator: TextOperator; values: string[]; isDenied: boolean }
  /** The question wants yes or no. */
  | { kind: 'whether' }
  /** It compares one named thing with another. */
  | { kind: 'than' }
  /** How many a ranking takes: `five products with the highest price`. */
  | { kind: 'number'; value: number };

/** A word that says what is wanted of a metric. It means this only in a question that names a metric. */
export type MetricWord =
  /** The part of a total: 占比, "share of". */
  | { kind: 'share' }
  /** The change since an earlier period. `since` is the year before, the period before, or not said. */
  | { kind: 'growth'; since: 'year' | 'period' | null }
  /** The time beside it is the same period of an earlier year: 去年同期. */
  | { kind: 'samePeriod' }
  /** A bound of the metric. `value` is exact decimal text, `currency` an ISO code if one is named. */
  | { kind: 'bound'; operator: '>' | '<' | '>=' | '<='; value: string; currency: string | null }
  /** Asks which of the named things has more, or less. */
  | { kind: 'more'; descending: boolean }
  /** Joins the others and limits nothing. */
  | { kind: 'link' };

/** A stretch of the (normalised) question and all its possible meanings. */
export interface Mention {
  text: string;
  start: number;
  end: number;
  meanings: Meaning[];
}

export type MeaningOf<K extends Meaning['as']> = Extract<Meaning, { as: K }>;

/** The mention's meaning of one kind, if it has one. */
export function meaningOf<K extends Meaning['as']>(mention: Mention, kind: K): MeaningOf<K> | null {
  return (mention.meanings.find(meaning => meaning.as === kind) as MeaningOf<K> | undefined) ?? null;
}

export function intentsOf<K extends Intent['kind']>(mention: Mention, kind: K): Extract<Intent, { kind: K }> | null {
  const meaning = mention.meanings.find(candidate => candidate.as === 'intent' && candidate.intent.kind === kind);
  return meaning?.as === 'intent' ? (meaning.intent as Extract<Intent, { kind: K }>) : null;
}

/** Whether nothing stands between two places but 的: `在职的船员`, `German customers`. */
export function isJoined(text: string, end: number, start: number): boolean {
  return end <= start && /^[\s的]*$/.test(text.slice(end, start));
}

/** The text with each of these places filled, so that offsets stay as they are. */
export function fillPlaces(text: string, places: readonly Pick<Mention, 'start' | 'end'>[], by = ' '): string {
  const characters = text.split('');
  for (const { start, end } of places) characters.fill(by, start, end);
  return characters.join('');
}
