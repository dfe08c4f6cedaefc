import { type EdgeSchema } from '../../cypher/semantics/graph-schema.js';
import { fillPlaces, isJoined, type Mention } from '../linking/meaning.js';
import { type QuestionTerms } from '../linking/question-terms.js';
import { from, saysIn, to, type WayEnd } from './direction-words.js';
import { keptBy } from './kept-by-schema.js';

/** Matches 从 where it begins a phrase, as in 请问从, and not 和从 and 师从. */
export const beginsWithFrom = /(?<![和与及、并或自师服听]\s?)(?:来自|从)$/;

/** Matches text that ends with no word to which a preposition behind it could belong, as in `are from` and 列出从. */
const ownWord =
  /^\s*$|\s(?:those|(?:is|are|was|were)(?:\s+there)?)\s*$|(?:[的是有,，请]|[列给]出|列举|查[询找]|看看|统计|显示|所有|全部|哪些|多少)\s*$/;

/** Matches the text between a noun and a preposition, without the limits of the noun. */
const betweenLimits = /^\s+(?:(?:with|having|of|and|the|an?)\s+)*$/;

/** The name of a thing in a question, before which a preposition may stand. */
export interface NamePlace {
  name: Mention;
  terms: QuestionTerms;
  /** The words for what is asked for, to which a preposition may join the name. */
  nouns: readonly Mention[];
  /** Those of them that are asked for themselves. In `loans of artifacts with weight over 5 from A` the artifacts may be from A. */
  heads: readonly Mention[];
  /** The words for the kind of the named thing. */
  kinds: readonly Mention[];
}

/** The text before a name, without quotes and the words for its kind: `loans from` in `loans from the museum "Harbor Museum"`. */
export function aheadOf({ text }: { text: string }, name: Mention, kinds: readonly Mention[]): string {
  const cut = (before: string): string => before.replace(/(?:\bthe\b|[\s"'“”‘’「『《])+$/, '');
  const ahead = cut(text.slice(0, name.start));
  const kind = kinds.find(({ end }) => end === ahead.length);
  return kind ? cut(text.slice(0, kind.start)) : ahead;
}

/**
 * Whether a text ends with a noun that the preposition behind it may join to a name, or with no word at all. In `related to A`, `to and
 * from A` and 到和从A the preposition belongs to another word, and tells no end.
 */
export function joinsNoun(before: string, { terms, nouns, heads, kinds }: NamePlace): boolean {
  const { text, entities, values, times, denials, grain } = terms;
  const names = [...entities, ...values, ...times].map(({ mention }) => mention);
  const kindsBehind = kinds.filter(({ start }) => names.some(({ end }) => isJoined(text, end, start)));
  const { length } = before.replace(/[\s"'”’」』》]+$/, '');
  // `loans from` may be one mention, whose first word also names the relation `loaned_from`.
  const hasPreposition = nouns.some(({ start, end }) => start < length && end > before.length);
  const places = [...nouns, ...names, ...kindsBehind, ...denials, ...(grain ? [grain] : [])];
  if (hasPreposition || ownWord.test(before) || places.some(({ end }) => end === length)) return true;
  // No name belongs to the limits in `transfers with copies over 5 from A`, so the preposition belongs to the noun before them.
  const limits = [...terms.properties, ...terms.compares, ...terms.orders, ...(terms.top ? [terms.top] : [])].map(each => each.mention);
  const rest = fillPlaces(
    before,
    [...limits, ...terms.groups].filter(({ end }) => end <= before.length),
  );
  return heads.some(({ end }) => end < length && betweenLimits.test(rest.slice(end)));
}

/** The end that the preposition right before a name tells, and the opposite one; undefined if there is none. */
function endBefore(place: NamePlace): { end: WayEnd; opposite: WayEnd } | undefined {
  const ahead = aheadOf(place.terms, place.name, place.kinds);
  if (from.preposition.test(ahead)) return { end: from, opposite: to };
  return to.preposition.test(ahead) ? { end: to, opposite: from } : undefined;
}

/** Whether the preposition right before a name joins the name to what is asked for. */
function isJoining(place: NamePlace, { preposition }: WayEnd): boolean {
  const ahead = aheadOf(place.terms, place.name, place.kinds);
  return beginsWithFrom.test(ahead) || joinsNoun(ahead.replace(preposition, ''), place);
}

/**
 * The only one of several names that means the end told by the preposition right before a name. Undefined if none or several mean it, and
 * null if the preposition may belong to another word.
 */
export function endSaid<T>(place: NamePlace, all: readonly T[], namesOf: (each: T) => readonly string[]): T | null | undefined {
  const said = endBefore(place);
  if (!said || all.length < 2) return undefined;
  const { end, opposite } = said;
  const saying = (word: RegExp): T[] => all.filter(each => saysIn(namesOf(each), word));
  const exact = saying(end.name);
  const others = saying(opposite.said);
  // 发出 and 到达 also say other things than an end, so they need a name for the opposite end beside them.
  const [only, ...further] = exact.length > 0 || others.length === 0 ? exact : saying(end.said).filter(each => !others.includes(each));
  if (only === undefined || further.length > 0) return undefined;
  return isJoining(place, end) ? only : null;
}

/**
 * The relation between two labels that the preposition before a name means, if several relations join these labels, as `endSaid`. Undefined
 * if nodes of several labels have the name and relations to them tell this end in some words: `from North` may mean a depot and a shipper.
 */
export function relationSaid(
  place: NamePlace,
  edges: readonly EdgeSchema[],
  asked: ReadonlySet<string>,
  named: readonly string[],
): string | null | undefined {
  const joining = edges.filter(
    ({ sourceLabel, targetLabel }) =>
      (asked.has(sourceLabel) && named.includes(targetLabel)) || (asked.has(targetLabel) && named.includes(sourceLabel)),
  );
  const end = endBefore(place)?.end;
  const telling = joining.filter(edge => end && tells(edge)(end));
  const labels = telling.map(({ sourceLabel, targetLabel }) => (asked.has(sourceLabel) ? targetLabel : sourceLabel));
  if (new Set(labels).size > 1) return undefined;
  const said = endSaid(place, joining, namesOf);
  return said === null ? null : said?.type;
}

const namesOf = ({ type, aliases }: EdgeSchema): string[] => [type, ...aliases];

/** Whether a relation tells an end by any word. A question may have sixty names, for each of which all relations are asked. */
const tells = keptBy((edge: EdgeSchema) => keptBy((end: WayEnd): boolean => saysIn(namesOf(edge), end.said)));

/** An end that a preposition tells, if relations tell it and the opposite end. */
export interface PairedEnd {
  word: string;
  end: WayEnd;
  opposite: WayEnd;
}

/** The end that the preposition before a name tells, if two of the relations of what is asked for tell this end and the opposite one. */
export function pairedEnd(place: NamePlace, relations: readonly EdgeSchema[]): PairedEnd | undefined {
  const found = endBefore(place);
  const isTold = (end: WayEnd): boolean => relations.some(edge => tells(edge)(end));
  if (!found || !isTold(found.end) || !isTold(found.opposite) || !isJoining(place, found.end)) return undefined;
  return { ...found, word: found.end.preposition.exec(aheadOf(place.terms, place.name, place.kinds))?.[0] ?? '' };
}
