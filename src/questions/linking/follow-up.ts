import { normalizeText } from '../../graph-index/tokenize-text.js';
import { addDays } from '../../text/calendar.js';
import { type Bilingual } from '../../text/bilingual.js';
import { languageOf } from '../../text/language.js';
import { type EntityNode, fillPlaces, type Intent, intentsOf, type Meaning, type Mention, meaningOf } from './meaning.js';
import { asksTooMuch } from './asks-too-much.js';
import { type LinkedQuestion } from './link-question.js';
import { measureWord, numeralPattern } from './numerals.js';
import { isAgentNoun } from './word-roots.js';
import { findReference, type Reference } from './references.js';
import { asksItself, conditionsIn, mayHave, refined } from './refinements.js';

/** The question that a follow-up refers to. */
export interface EarlierQuestion {
  text: string;
  /** The nodes in the answer to this question; null if the answer had no nodes, or too many. */
  found: EntityNode[] | null;
  /** The nodes that a pronoun in this question stood for; null if the question had no pronoun. */
  meant: EntityNode[] | null;
}

/** One interpretation of a question. */
export interface Reading {
  /** The whole question that was read. */
  text: string;
  linked: LinkedQuestion;
  /** The nodes that the pronoun in the text stands for; null if the text has no pronoun. */
  meant: EntityNode[] | null;
  /** Returns a note on how the question was interpreted; null if the question was taken as it stands. */
  note: ((displayOf: (id: number) => string) => Bilingual) | null;
}

export type Link = (text: string, given: Mention[]) => Promise<LinkedQuestion>;

/** Matches words that only join a question to the question before it. */
const joining =
  /\b(?:and|but|or|so|then|ok|okay|now|what|how|about|the|same|for|in|of|by|from|with|at|on|to|during|since|instead|please|only|just)\b|或者|以及|还有|[那么呢换成改为如果是的在只看和与及跟或]|[\s,，、。.?？!！;；:：]/g;
/** Matches the text behind a name before a comma: in `Alien, when was it released` the pronoun stands for this name. */
const asksAfter =
  /^[!！]?["'”’》」]?\s*[,，:：;；—-]+\s*(?:(?:(?:when|who|what|which|where|how|did|does|do|has|is|was)\b|谁|什么|何|哪)[^,，;；]*)?$/;
/** A preposition makes a name a place or a time: in `in Germany, which products does it supply` "it" does not stand for Germany. */
const afterPreposition = /(?:\b(?:in|at|from|on|by|with|since|during) (?:the )?|[在从由于]\s*)$/;
const between = /^\s*(?:(?:,|，|、|和|与|及|或者?|and|or)\s*)?(?:(?:the|in|from|of)\s*)?$/;

/**
 * Reads a question that may follow an earlier question. A pronoun stands for nodes that the earlier question found or named. A question
 * that only names something (`and in 1998?`) repeats the earlier question, with the new name in place of a name of the same kind.
 * @returns the readings, of which the caller takes the one that can be answered; or the reason why there is no reading
 */
export async function readFollowUp(text: string, earlier: EarlierQuestion | null, link: Link): Promise<Reading[] | Bilingual> {
  const linked = await link(text, []);
  const reference = findReference(withoutNames(linked));
  // The planner refuses such a question, so do not resolve its pronouns.
  if (asksTooMuch(linked)) return [{ text, linked, meant: null, note: null }];
  if (!earlier) {
    return reference && isOpen(reference, linked) ? noReferent(reference) : [{ text, linked, meant: null, note: null }];
  }
  if (reference && isOpen(reference, linked)) return readReference(text, reference, earlier, link);
  const replaced = onlyNames(linked) ? await readReplaced(text, linked, earlier, link) : null;
  if (replaced && !('unlike' in replaced)) return replaced;
  const conditions = conditionsIn(linked);
  const refinement = conditions && (await readRefined(text, linked, conditions, earlier, link));
  if (replaced && !Array.isArray(refinement)) return noPlace(replaced.unlike);
  return refinement ?? [{ text, linked, meant: null, note: namesNone(linked) ? () => onItsOwn : null }];
}

/** A name for which nothing in the earlier question is of the same kind. */
interface Unlike {
  unlike: string;
}

/** Reads a question that only names something as the earlier question with this name in the place of its like. */
async function readReplaced(
  text: string,
  linked: LinkedQuestion,
  earlier: EarlierQuestion,
  link: Link,
): Promise<Reading[] | Bilingual | Unlike> {
  const before = await linkEarlier(earlier, link);
  if (asksTooMuch(before)) return noPlace(text);
  const merged = replaceLike(written(earlier.text, before.text), before, written(text, linked.text), linked);
  if (typeof merged !== 'string') return merged;
  const again = await linkEarlier({ ...earlier, text: merged }, link);
  return [{ text: merged, linked: again, meant: earlier.meant, note: () => ({ zh: `按“${merged}”理解`, en: `Read as "${merged}"` }) }];
}

/**
 * Reads a question that names only properties and values as a question about the nodes that the earlier question found. Null for a question
 * that asks for something by itself about other things: `average salary?` after a list of artifacts.
 */
async function readRefined(
  text: string,
  linked: LinkedQuestion,
  conditions: Mention[],
  earlier: EarlierQuestion,
  link: Link,
): Promise<Reading[] | Bilingual | null> {
  const [node] = earlier.found ?? [];
  if (!node || !mayHave(node.label, conditions)) return asksItself(linked) ? null : onlyCondition(conditions[0]!);
  const rest = withoutNames(linked);
  const { text: whole, word, start } = refined(text, languageOf(/[a-z]/.test(rest) ? rest : text));
  const reference = { text: word, start, end: start + word.length, isPlural: true, isPart: true, isOpen: true };
  return readReference(whole, reference, earlier, link);
}

const onItsOwn: Bilingual = {
  zh: '此问题按字面单独理解，没有限定于上一问题的答案；要限定请写出名称，或用“它”“他们”',
  en: 'This question was read on its own, not limited to what the one before found; to limit it, name that, or say "it" or "they"',
};

/** Whether the question lacks a name, a value and a time of its own. */
function namesNone({ mentions }: LinkedQuestion): boolean {
  return !mentions.some(mention => (['entity', 'value', 'time'] as const).some(kind => meaningOf(mention, kind) !== null));
}

/** The text with spaces in place of names, because a name may look like a pronoun: `Her` may be a film. */
function withoutNames({ text, mentions }: LinkedQuestion): string {
  return fillPlaces(
    text,
    mentions.filter(mention => !isIntent(mention)),
  );
}

function isIntent(mention: Mention): boolean {
  return mention.meanings.every(meaning => (meaning.as === 'intent' || meaning.as === 'measure') && kindsOf(meaning).length === 0);
}

/** Whether a pronoun must stand for something in an earlier question, because its own question names nothing that it could mean. */
function isOpen({ text: own, start, isOpen: open, isPlural }: Reference, { text, mentions }: LinkedQuestion): boolean {
  const before = mentions.filter(mention => mention.end <= start);
  const names = (mention: Mention, kinds: Meaning['as'][]): boolean => kinds.some(kind => meaningOf(mention, kind) !== null);
  const isNamedFirst = before.some(
    mention =>
      names(mention, ['entity']) && !afterPreposition.test(text.slice(0, mention.start)) && asksAfter.test(text.slice(mention.end, start)),
  );
  // `the writers that ... in their films`: `their` stands for the noun that names the doers.
  const isAgent = (mention: Mention): boolean =>
    isPlural &&
    names(mention, ['relation']) &&
    isAgentNoun(mention.text) &&
    /^ (?:that|who|whose|which) /.test(text.slice(mention.end, start));
  // `which players scored in it`: `it` does not stand for a plural.
  const isSeveral = (mention: Mention): boolean =>
    !isPlural && names(mention, ['label']) && !names(mention, ['entity', 'value']) && /[a-z]s$/.test(mention.text);
  const isNoun = (mention: Mention): boolean => names(mention, ['label', 'entity', 'value']) && !isSeveral(mention);
  // `how many patients visited them`: the pronoun does not stand for the patients.
  const isObject = own === 'them' && before.filter(mention => names(mention, ['label', 'entity', 'value'])).length === 1;
  return isObject || (open && (isPlural || !isNamedFirst)) || !before.some(mention => isNoun(mention) || isAgent(mention));
}

async function readReference(text: string, reference: Reference, earlier: EarlierQuestion, link: Link): Promise<Reading[] | Bilingual> {
  const further = findReference(normalizeText(text).slice(reference.end));
  if (further) return severalReferences(reference, further);
  const named = reference.isPlural ? [] : await namedBefore(earlier, link);
  const found = earlier.found ?? [];
  const referents = reference.isPlural ? [found] : [found.length === 1 ? found : [], named];
  const distinct = referents.filter((nodes, i) => nodes.length > 0 && referents.findIndex(other => same(other, nodes)) === i);
  if (distinct.length === 0) return noneFound(reference);
  const readings: Reading[] = [];
  for (const nodes of distinct) {
    const linked = await linkReference(text, reference, nodes, link);
    if (!linked) return severalKinds(reference);
    const note = (displayOf: (id: number) => string): Bilingual => {
      const names = nodes.slice(0, 3).map(({ id }) => displayOf(id));
      const more = nodes.length - names.length;
      return {
        zh: `“${reference.text}”指${names.join('、')}${more > 0 ? `等 ${nodes.length} 个` : ''}`,
        en: `"${reference.text}" stands for ${names.join(', ')}${more > 0 ? ` and ${more} more` : ''}`,
      };
    };
    readings.push({ text, linked, meant: nodes, note });
  }
  return readings;
}

/** Links a question in which a pronoun stands for the nodes. Null if the nodes have several labels, or if there are no nodes. */
async function linkReference(text: string, reference: Reference, nodes: EntityNode[], link: Link): Promise<LinkedQuestion | null> {
  const [label, ...others] = new Set(nodes.map(node => node.label));
  if (label === undefined || others.length > 0) return null;
  const { start, end } = reference;
  const meaning: Meaning = reference.isPart
    ? { as: 'label', label }
    : { as: 'entity', nodes, approximate: false, ...(nodes.length > 1 && { isSet: true as const }) };
  const linked = await link(text, [{ text: reference.text, start, end, meanings: [meaning] }]);
  return reference.isPart ? { ...linked, among: { text: reference.text, label, nodes } } : linked;
}

/** Links the earlier question. A pronoun in it stands for the nodes that it stood for when that question was asked. */
async function linkEarlier({ text, meant }: EarlierQuestion, link: Link): Promise<LinkedQuestion> {
  const reference = meant && findReference(normalizeText(text));
  return (reference && (await linkReference(text, reference, meant, link))) ?? link(text, []);
}

/** The only node that the earlier question named; empty if it named no node or several nodes. */
async function namedBefore(earlier: EarlierQuestion, link: Link): Promise<EntityNode[]> {
  const { mentions } = await linkEarlier(earlier, link);
  const named = mentions.flatMap(mention => meaningOf(mention, 'entity') ?? []);
  return named.length === 1 && named[0]?.nodes.length === 1 ? named[0].nodes : [];
}

/** Whether a question only names things and times, besides words that join it to the question before. */
function onlyNames(linked: LinkedQuestion): boolean {
  const { mentions, unknown } = linked;
  const isJoining = (words: string): boolean => words.replaceAll(joining, '') === '';
  const rest = fillPlaces(
    withoutNames(linked),
    mentions.filter(mention => intentsOf(mention, 'group')),
  );
  return unknown.every(isJoining) && mentions.some(mention => !isIntent(mention)) && isJoining(rest);
}

/** The names by which a question groups: 类别 in 按类别, `region` in `by region`. */
function groupsIn({ text, mentions }: LinkedQuestion): Mention[] {
  const words = mentions.filter(mention => intentsOf(mention, 'group'));
  return mentions.filter(
    mention => !isIntent(mention) && words.some(({ end }) => end <= mention.start && text.slice(end, mention.start).trim() === ''),
  );
}

/** Returns the earlier question with its names replaced by names of the same kind in the new question, or the reason why it cannot. */
function replaceLike(earlierText: string, earlier: LinkedQuestion, text: string, linked: LinkedQuestion): string | Bilingual | Unlike {
  const { mentions } = linked;
  const [group] = groupsIn(linked);
  if (group && mentions.every(mention => mention === group || isIntent(mention)))
    return replaceGroup(earlierText, earlier, text.slice(group.start, group.end));
  const groups = spans(
    text,
    mentions.filter(mention => !isIntent(mention)),
  );
  const places: { start: number; end: number; by: string }[] = [];
  for (const span of groups) {
    const like = spans(
      earlierText,
      earlier.mentions.filter(mention => isLike(mention, span.mentions[0]!)),
    );
    const [place, ...others] = like;
    const said = withNumber(text.slice(span.start, span.end), span.mentions, place?.mentions ?? []);
    const by = place ? withYear(said, span.mentions, place.mentions) : said;
    if (by === null) return severalYears(said);
    if (others.length > 0)
      return severalPlaces(
        by,
        like.map(({ start, end }) => earlierText.slice(start, end)),
      );
    if (place) places.push({ ...place, by });
    else if (!meaningOf(span.mentions[0]!, 'time')) return { unlike: by };
    else if (languageOf(withoutNames(earlier)) === 'zh') places.push({ start: 0, end: 0, by });
    else {
      const end = endOfWords(earlierText);
      places.push({ start: end, end, by: ` ${/^\d/.test(by) ? 'in ' : ''}${by}` });
    }
  }
  const distinct = new Set(places.map(({ start, end }) => `${start}-${end}`));
  if (distinct.size < places.length) return noPlace(text);
  return places
    .sort((a, b) => b.start - a.start)
    .reduce((whole, { start, end, by }) => whole.slice(0, start) + by + whole.slice(end), earlierText);
}

/** Returns the earlier question with another grouping, or with a grouping if it had none: `and by category?`, 那按类别呢. */
function replaceGroup(earlierText: string, earlier: LinkedQuestion, by: string): string | Bilingual {
  const [replaced, ...others] = groupsIn(earlier);
  if (others.length > 0)
    return severalPlaces(
      by,
      [replaced!, ...others].map(({ start, end }) => earlierText.slice(start, end)),
    );
  if (replaced) return earlierText.slice(0, replaced.start) + by + earlierText.slice(replaced.end);
  if (languageOf(withoutNames(earlier)) === 'zh') return `各${by}${earlierText}`;
  const end = endOfWords(earlierText);
  return `${earlierText.slice(0, end)} by ${by}${earlierText.slice(end)}`;
}

/** The offset behind the last word of a question, before its punctuation. */
function endOfWords(text: string): number {
  return /[\s?？.。!！]*$/.exec(text)!.index;
}

/** Adds the number of the replaced ranking: 最低的 in place of 最高的三个 becomes 最低的三个. */
function withNumber(said: string, mentions: Mention[], replaced: Mention[]): string {
  const [now, before] = [mentions, replaced].map(([first]) => first && intentsOf(first, 'top'));
  if (!now || !before || now.count !== null || before.count === null) return said;
  const number = chineseNumber.exec(replaced[0]?.text ?? '')?.[0];
  if (/[a-z]$/i.test(said)) return `${said} ${before.count}`;
  return said + (number ?? `${before.count}个`);
}

const chineseNumber = new RegExp(`${numeralPattern}${measureWord}?的?$`);

/** Adds the year of the replaced time: 4月 in place of `2025年3月` keeps 2025. Null for several new times, or several replaced years. */
function withYear(said: string, mentions: Mention[], replaced: Mention[]): string | null {
  const times = mentions.flatMap(mention => meaningOf(mention, 'time') ?? []);
  const before = replaced.flatMap(mention => meaningOf(mention, 'time') ?? []);
  if (!times.some(({ isYearAssumed }) => isYearAssumed) || before.every(({ isYearAssumed }) => isYearAssumed)) return said;
  const years = new Set(before.flatMap(({ span: { from, to } }) => [from, addDays(to, -1)]).map(day => day.slice(0, 4)));
  const [year, ...others] = years;
  if (year === undefined || others.length > 0 || times.length > 1) return null;
  return /^[a-z]/i.test(said) ? `${said} ${year}` : `${year}年${said}`;
}

/** Joins mentions of one kind into a span if only a comma or a conjunction stands between the mentions. */
function spans(text: string, mentions: Mention[]): { start: number; end: number; mentions: Mention[] }[] {
  const all: { start: number; end: number; mentions: Mention[] }[] = [];
  for (const mention of mentions) {
    const last = all.at(-1);
    if (last && isLike(last.mentions[0]!, mention) && between.test(text.slice(last.end, mention.start))) {
      last.end = mention.end;
      last.mentions.push(mention);
    } else all.push({ start: mention.start, end: mention.end, mentions: [mention] });
  }
  return all;
}

/** Whether two mentions may mean things of one kind. */
function isLike(a: Mention, b: Mention): boolean {
  const kinds = kindsIn(b);
  return [...kindsIn(a)].some(kind => kinds.has(kind));
}

/** Cache of the kinds of each mention, because a name that a thousand labels share has a thousand meanings. */
const kindsOfMentions = new WeakMap<Mention, ReadonlySet<string>>();

function kindsIn(mention: Mention): ReadonlySet<string> {
  const kinds = kindsOfMentions.get(mention) ?? new Set(mention.meanings.flatMap(kindsOf));
  kindsOfMentions.set(mention, kinds);
  return kinds;
}

function kindsOf(meaning: Meaning): string[] {
  switch (meaning.as) {
    case 'entity':
      return meaning.nodes.map(({ label }) => JSON.stringify(['entity', label]));
    case 'value':
      return [JSON.stringify(['value', meaning.label, meaning.property])];
    case 'property':
      return [JSON.stringify(['property', meaning.ownerName])];
    case 'dimension':
      return [JSON.stringify(['dimension', meaning.metricId])];
    case 'label':
    case 'relation':
    case 'metric':
    case 'time':
      return [meaning.as];
    case 'intent':
      return kindsOfIntent(meaning.intent);
    case 'measure':
      return meaning.word.kind === 'bound' ? ['bound'] : [];
    default:
      return [];
  }
}

/** The kinds of an intent that a follow-up can replace: `and over 300?` replaces a bound, 最低的呢 replaces a ranking. */
function kindsOfIntent(intent: Intent): string[] {
  if (intent.kind === 'compare' || intent.kind === 'between') return ['bound'];
  return intent.kind === 'top' && intent.ofTwo !== true ? ['top'] : [];
}

const same = (a: EntityNode[], b: EntityNode[]): boolean => a.length === b.length && a.every(({ id }, i) => id === b[i]?.id);

/** The text as written, if it is as long as the normalised text, so that offsets fit both texts; else the normalised text. */
export function written(text: string, normalised: string): string {
  return text.length === normalised.length ? text : normalised;
}

function noReferent({ text }: Reference): Bilingual {
  return {
    zh: `不清楚“${text}”指什么；请写出名称，或在 context 中给出上一个问题`,
    en: `it is not clear what "${text}" stands for; name it, or give the earlier question in context`,
  };
}

function noneFound({ text }: Reference): Bilingual {
  return {
    zh: `上一答案没有列出节点，或超过 200 个，不清楚“${text}”指什么；请写出名称或条件`,
    en: `the earlier answer lists no nodes, or more than 200, so it is not clear what "${text}" stands for; name it, or say what limits it`,
  };
}

function onlyCondition({ text }: Mention): Bilingual {
  return {
    zh: `“${text}”只是条件，上一答案中没有能有它的节点；请写出整个问题`,
    en: `"${text}" is only a condition, and the earlier answer has no nodes that could meet it; ask the whole question`,
  };
}

function severalReferences({ text }: Reference, further: Reference): Bilingual {
  return {
    zh: `不清楚“${text}”与“${further.text}”各指什么，请写出其中一个的名称`,
    en: `it is not clear what "${text}" and "${further.text}" each stand for; name one of them`,
  };
}

function severalKinds({ text }: Reference): Bilingual {
  return {
    zh: `上一答案中有几种节点，不清楚“${text}”指哪一种`,
    en: `the earlier answer has nodes of several labels, so it is not clear which "${text}" stands for`,
  };
}

function severalPlaces(by: string, places: string[]): Bilingual {
  return {
    zh: `不清楚“${by}”代替“${places.join('”还是“')}”；请写出整个问题`,
    en: `it is not clear whether "${by}" takes the place of "${places.join('" or "')}"; ask the whole question`,
  };
}

function severalYears(by: string): Bilingual {
  return {
    zh: `不清楚“${by}”是哪一年，请写出年份`,
    en: `it is not clear of which year "${by}" is; give the year`,
  };
}

function noPlace(by: string): Bilingual {
  return {
    zh: `上一个问题里没有与“${by}”同类的内容可以替换；请写出整个问题`,
    en: `nothing in the earlier question is like "${by}" and could be replaced; ask the whole question`,
  };
}
