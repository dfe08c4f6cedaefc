import { type EdgeSchema } from '../../cypher/semantics/graph-schema.js';
import { fillPlaces, isJoined, type Mention } from '../linking/meaning.js';
import { type QuestionTerms } from '../linking/question-terms.js';
import { from, saysIn, to } from './direction-words.js';

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

/**
 * The only one of several names that means the end told by the preposition right before a name. Undefined if none or several mean it, and
 * null if the preposition may belong to another word.
 */
export function endSaid<T>(place: NamePlace, all: readonly T[], namesOf: (each: T) => readonly string[]): T | null | undefined {
  const ahead = aheadOf(place.terms, place.name, place.kinds);
  const [end, opposite] = from.preposition.test(ahead) ? [from, to] : [to, from];
  if (!end.preposition.test(ahead) || all.length < 2) return undefined;
  const saying = (word: RegExp): T[] => all.filter(each => saysIn(namesOf(each), word));
  const exact = saying(end.name);
  const others = saying(opposite.said);
  // 发出 and 到达 also say other things than an end, so they need a name for the opposite end beside them.
  const [said, ...further] = exact.length > 0 || others.length === 0 ? exact : saying(end.said).filter(each => !others.includes(each));
  if (said === undefined || further.length > 0) return undefined;
  return beginsWithFrom.test(ahead) || joinsNoun(ahead.replace(end.preposition, ''), place) ? said : null;
}

/** The relation between two labels that the preposition before a name means, if several relations join these labels, as `endSaid`. */
export function relationSaid(
  place: NamePlace,
  edges: readonly EdgeSchema[],
  from: ReadonlySet<string>,
  to: readonly string[],
): string | null | undefined {
  const joining = edges.filter(
    ({ sourceLabel, targetLabel }) =>
      (from.has(sourceLabel) && to.includes(targetLabel)) || (from.has(targetLabel) && to.includes(sourceLabel)),
  );
  const said = endSaid(place, joining, ({ type, aliases }) => [type, ...aliases]);
  return said === null ? null : said?.type;
}
