import { asksTooMuch } from './asks-too-much.js';
import { ApiError } from '../../common/errors/api-error.js';
import { type Bilingual } from '../../text/bilingual.js';
import { Pace } from '../../common/turns/pace.js';
import { type KnownValue } from '../../graph-index/value-dictionary.js';
import { type SearchResult } from '../../graph-index/search-index.js';
import { cutPieces, normalizeText, type TextPiece } from '../../graph-index/tokenize-text.js';
import { findBooleanValues } from './boolean-values.js';
import { findIdioms } from './idioms.js';
import { findIntents } from './find-intents.js';
import { isOfGrammar, isVerbHere } from './grammar-words.js';
import { findLetterValues, findUnreadLetters, isNoGrammar } from './letter-values.js';
import { type Lexicon } from './lexicon.js';
import { type EntityNode, intentsOf, type Mention, meaningOf } from './meaning.js';
import { findMetricWords } from './metric-words.js';
import { besidesNames } from './besides-names.js';
import { findTimes } from './parse-time.js';
import { limitsDate } from './compared-times.js';
import { NameHints } from './name-hints.js';
import { isNumeric, measureWord } from './numerals.js';
import { minusBehind, signBehind, valuesAsSigned } from './signed-names.js';
import { findOrders, withoutOrders } from './order-words.js';
import { findSums, isNumberOf, labelsNamed, withoutCousins, withoutForms, withNoun, withOrigin, withoutAspect } from './word-forms.js';
import { isCommonWord, isStopWord, isWeightyWord, saysOnlyWhere, withoutStopWords } from './stop-words.js';
import { findTextConditions } from './text-conditions.js';
import { behindLongUnit, unitPlaces } from './units.js';
import { joinsConditions } from './joining-but.js';
import { findUnclaimedQuantities, isNumeral } from './unclaimed-words.js';
import { findUnreadMarks } from './unread-marks.js';

/** The sources in which linking looks up names. */
export interface NameSource {
  findByName(text: string, limit: number): (EntityNode & { by: 'display' | 'key' })[];
  findValues(text: string): KnownValue[];
  search(text: string, limit: number): Promise<SearchResult>;
}

export interface LinkedQuestion {
  /** The normalised question. The offsets of mentions refer to this text. */
  text: string;
  /** The day to which the times of the question are relative. */
  today: string;
  /** The mentions in order, without overlap. */
  mentions: Mention[];
  /** Words that were not understood and may change the answer. */
  unknown: string[];
  /** Hints on how to rephrase words that were not understood. Absent if there are no hints. */
  advice?: Bilingual[];
  /** Nodes that an earlier question found. Set if this question asks only for some of these nodes. */
  among?: Among;
}

/** Nodes of one label, and the words that stand for them. */
export interface Among {
  text: string;
  label: string;
  nodes: EntityNode[];
}

/** The question is too long or has too many unknown words. It is refused as a whole, because a skipped word could be its only condition. */
export class TooManyWordsError extends ApiError {
  constructor() {
    super(422, 'question_too_long', {
      zh: '问题中不认识的词过多，无法逐一查找；请缩短问题，或改用 cypher',
      en: 'The question has too many words that are not known to look each of them up; shorten it, or use cypher',
    });
  }
}

const longestName = 80;
const mostNamesakes = 50;
/** Maximum hits of a search for a part of a name. A part that occurs in more names is too vague to stand for one node. */
const mostApproximate = 20;
/** Maximum length of a partial name that is searched for, in words or CJK characters. */
const longestPart = 12;
/** Minimum length of a key without Latin letters that counts as an entity although the word has another meaning. */
const shortestLoneCode = 4;
const shortestLoneWord = 4;
/** Maximum searches for the words without an exact match. A long question needs some hundred searches, each of some milliseconds. */
const mostSearches = 1_000;
const longestQuestion = 4_000;

/**
 * Finds the things that a question names: times, names of the schema, entities and values, the longest match first. Then it finds
 * entities in the remaining words, tolerant of spelling. The result is deterministic, and holds only things of the graph.
 * @param given mentions whose meaning is known beforehand, such as a pronoun for nodes of an earlier answer
 * @throws TooManyWordsError
 */
export async function linkQuestion(
  question: string,
  today: string,
  lexicon: Lexicon,
  names: NameSource,
  pace = new Pace(),
  given: Mention[] = [],
): Promise<LinkedQuestion> {
  const text = normalizeText(question);
  // The length is checked again, because normalising may turn one character into eighteen.
  if (text.length > longestQuestion) throw new TooManyWordsError();
  const foundTimes = findTimes(text, today);
  const allTimes = foundTimes.map(({ text: own, start, end, span, isYearAssumed }): Mention => ({
    text: own,
    start,
    end,
    meanings: span ? [{ as: 'time', span, ...(isYearAssumed && { isYearAssumed }) }] : [],
  }));
  const hints = new NameHints(question, text);
  const isReal = ({ meanings }: Mention): boolean => meanings.length > 0;
  const idioms = findIdioms(text);
  // An idiom such as `the story` in `wrote the story` is not read as a name, unless it is spelt like one (capitals or quotes).
  const isIdiom = ({ start, end }: Mention): boolean =>
    idioms.some(idiom => idiom.start === start && idiom.end === end) && !hints.looksLikeName(start, end);
  const all = await findNames(text, lexicon, names, hints, allTimes.length > 0, pace);
  const labels = labelsNamed(all);
  const words: Mention[] = [];
  // Loops over pairs of mentions pause: a question has up to thousands of mentions, each with a meaning for each label of the schema.
  for (const mention of all) {
    if (pace.isOverdue) await pace.turn();
    if (!isIdiom(mention) && !isNumberOf(text, mention, all)) words.push(withoutCousins(mention, labels));
  }
  const found = [
    ...words,
    ...words.flatMap(word => withOrigin(word, text)),
    ...(await findLetterValues(text, words, hints, own => names.findValues(own), pace)),
    ...findBooleanValues(text, words),
  ];
  const times: Mention[] = [];
  for (const time of allTimes) {
    if (pace.isOverdue) await pace.turn();
    times.push(limitsDate(time, found, times.at(-1), text) ? time : { ...time, meanings: [] });
  }
  const intents: Mention[] = [];
  for (const mention of findIntents(text)) {
    if (pace.isOverdue) await pace.turn();
    if (intentsOf(mention, 'compare')?.isBare !== true || isValueOf(mention, found, text)) intents.push(withoutBeginning(mention, found));
  }
  const texts = await findTextConditions(question, text, [...times.filter(isReal), ...found], pace);
  const orders = findOrders(text, found);
  const named = [
    ...times.filter(isReal),
    ...withoutOrders(found, orders),
    ...orders,
    ...intents,
    ...findSums(text, found),
    ...texts.filter(isReal),
    ...idioms,
  ];
  const unreal = [
    ...[...times, ...texts].filter(mention => !isReal(mention)),
    ...intents.filter(takesNone).map(mention => ({ ...mention, meanings: [] })),
  ];
  const mentions = await chooseWithMetricWords(text, [...unreal, ...given], named, pace);
  if (asksTooMuch({ mentions })) return { text, today, mentions, unknown: [] };
  const linked = await linkApproximately(text, mentions, names, hints);
  const left = linked.unknown.filter(word => !isNumeral(word) && !isOfGrammar(word, text));
  const unknown = [...unreal.map(mention => mention.text), ...left];
  const quantities = findUnclaimedQuantities(text, linked.mentions).filter(word => !unknown.includes(word));
  const letters = findUnreadLetters(text, linked.mentions, hints).filter(word => !unknown.includes(word));
  const marks = findUnreadMarks(text, linked.mentions, [...unknown, ...quantities, ...letters]);
  const advice = foundTimes.flatMap(({ hint }) => hint ?? []);
  return {
    text,
    today,
    mentions: linked.mentions.filter(mention => isReal(mention) && !joinsConditions(text, mention, linked.mentions)),
    unknown: withoutParts([...unknown, ...quantities, ...letters, ...marks]),
    ...(advice.length > 0 && { advice }),
  };
}

/** Leaves out a single Chinese character that a longer unknown word contains: 子 beside 子公司. */
function withoutParts(unknown: string[]): string[] {
  return unknown.filter(word => !/^\p{Script=Han}$/u.test(word) || !unknown.some(other => other.length > 1 && other.includes(word)));
}

/** Shortens a mention by a measure word that begins a longer name: `多少集装箱` is 多少 and 集装箱 (container), not 多少集 and 装箱. */
function withoutBeginning(mention: Mention, found: Mention[]): Mention {
  const last = mention.end - 1;
  const isName = ({ start, end, meanings }: Mention): boolean =>
    start === last && (end > mention.end || (end === mention.end && meanings.some(({ as }) => as === 'label')));
  const isMeasured = measured.test(mention.text) && found.some(isName);
  return isMeasured ? { ...mention, end: last, text: mention.text.slice(0, -1) } : mention;
}
const measured = new RegExp(`.${measureWord}$`);

/** Whether a ranking or a number asks for 0 things. Such a question is not answered. */
function takesNone(mention: Mention): boolean {
  return intentsOf(mention, 'top')?.count === 0 || intentsOf(mention, 'number')?.value === 0;
}

/** Whether a mention stands right after a word for a numeric property. */
function isValueOf({ start }: Mention, found: Mention[], text: string): boolean {
  return found.some(
    ({ end, meanings }) =>
      end <= start &&
      /^\s*(?:\bof\b\s*)?$/.test(text.slice(end, start)) &&
      meanings.every(meaning => meaning.as === 'property' && isNumeric(meaning.type)),
  );
}

/** Chooses mentions. Words such as "share" and "growth" get a meaning only if the question names a metric. */
async function chooseWithMetricWords(text: string, fixed: Mention[], named: Mention[], pace: Pace): Promise<Mention[]> {
  const isMetric = (mention: Mention): boolean => meaningOf(mention, 'metric') !== null;
  if (named.some(isMetric)) {
    const chosen = await chooseLongest(text, fixed, joinEqual([...named, ...findMetricWords(text)]), pace);
    if (chosen.some(isMetric)) return chosen;
  }
  return chooseLongest(text, fixed, joinEqual(named), pace);
}

/** Finds every name between boundaries of words or of single CJK characters. */
async function findNames(
  text: string,
  lexicon: Lexicon,
  names: NameSource,
  hints: NameHints,
  hasTime: boolean,
  pace: Pace,
): Promise<Mention[]> {
  const starts: number[] = [];
  const ends: number[] = [];
  for (const piece of cutPieces(text)) {
    if (piece.kind === 'word') {
      starts.push(piece.start);
      ends.push(piece.end);
    } else {
      for (let i = piece.start; i < piece.end; i++) {
        starts.push(i);
        ends.push(i + 1);
      }
    }
  }
  const found: Mention[] = [];
  const units = unitPlaces(text);
  const isCommon = (own: string): boolean => cutPieces(own).every(({ text: word }) => isCommonWord(word) || lexicon.find(word).length > 0);
  for (const [first, start] of starts.entries()) {
    // Words are sorted by offset, so the loop over the ends begins at the word that has this start.
    for (let at = first; at < ends.length; at++) {
      const end = ends[at] ?? 0;
      if (end - start > longestName) break;
      if (pace.isOverdue) await pace.turn();
      const own = text.slice(start, end);
      const known = isVerbHere(own, text, end) ? [] : withNoun(own, lexicon.find(own), lexicon);
      const words = known.length > 0 || /[a-z]/.test(own) ? known : lexicon.find(withoutAspect(own));
      const sign = words.length > 0 ? '' : signBehind(text, end);
      const isNothing =
        (own.length + sign.length < 2 && !isSingleValue(text, start, end, lexicon, names)) ||
        (isStopWord(own) && sign === '' && !isNoGrammar(text, start, end, hints)) ||
        saysOnlyWhere(text, start, end) ||
        units.has(`${start}-${end}`);
      const isName = sign !== '' || (own.length > 1 && (hints.looksLikeName(start, end) || !isCommon(own)));
      const namesakes = isName ? names.findByName(own, mostNamesakes) : [];
      const entities = namesakes.length > 0 && beginsBefore(own, start, names, hints) ? [] : namesakes;
      const values = isNothing ? [] : valuesAsSigned(names.findValues(own), text, start, end);
      const ofSchema = lexicon.has(own) ? words : withoutForms(words, values, text.slice(end), hasTime);
      const meanings = namesakes.length > 0 ? besidesNames(ofSchema, hints, text, start, end) : ofSchema;
      const byName = entities.filter(
        node => node.by === 'display' || /[a-z]/.test(own) || own.length >= shortestLoneCode || meanings.length === 0,
      );
      const all = [
        ...meanings,
        ...(byName.length > 0
          ? [{ as: 'entity' as const, nodes: byName.map(({ id, label }) => ({ id, label })), approximate: false }]
          : []),
        ...values.map(value => ({ as: 'value' as const, ...value })),
      ];
      const whole = text.slice(start, end + sign.length + (all.length === values.length ? minusBehind(values, text, end).length : 0));
      if (all.length > 0) found.push({ text: whole, start, end: start + whole.length, meanings: all });
    }
  }
  return found;
}

/** Whether a single character is a value: it stands right before a label (女 in 女船员), or is a predicate (是女的). */
function isSingleValue(text: string, start: number, end: number, lexicon: Lexicon, names: NameSource): boolean {
  if (!/^\p{Script=Han}$/u.test(text.slice(start, end)) || isWeightyWord(text.slice(start, end))) return false;
  if (/[是为]$/.test(text.slice(0, start)) && /^的?\s*[吗?？。]?$/.test(text.slice(end))) return true;
  const from = end + (text[end] === '的' ? 1 : 0);
  const next = [1, 2, 3, 4, 5].map(length => text.slice(from, from + length));
  const labels = new Set(
    next.flatMap(word => [
      ...lexicon.find(word).flatMap(meaning => (meaning.as === 'label' ? meaning.label : [])),
      ...(word.length > 1 ? names.findValues(word).map(({ label }) => label) : []),
    ]),
  );
  return names.findValues(text.slice(start, end)).some(({ label }) => labels.has(label));
}

/** Whether a lower-case preposition precedes a name instead of beginning it: `appear in Darkness`, if Darkness is a name. */
function beginsBefore(own: string, start: number, names: NameSource, hints: NameHints): boolean {
  const preposition = /^(?:in|of|on|at|by|from|for|with|to) /.exec(own)?.[0];
  return preposition !== undefined && hints.isSmall(start) && names.findByName(own.slice(preposition.length), 1).length > 0;
}

/** Joins mentions at the same place: `1984` may be a year and a name. */
function joinEqual(candidates: Mention[]): Mention[] {
  const joined = new Map<string, Mention>();
  for (const mention of candidates) {
    const place = `${mention.start}-${mention.end}`;
    const known = joined.get(place);
    if (known && known.meanings[0]?.as !== 'intent' && mention.meanings[0]?.as !== 'intent') known.meanings.push(...mention.meanings);
    else joined.set(known ? `${place}-${joined.size}` : place, mention);
  }
  return [...joined.values()];
}

/** Chooses the longest mentions first: `供应商` before `供应`, `2024年3月` before `3`. A bare number counts as an entity only beside a label. */
async function chooseLongest(text: string, fixed: Mention[], candidates: Mention[], pace: Pace): Promise<Mention[]> {
  const chosen = [...fixed];
  const taken = new Uint8Array(text.length);
  for (const { start, end } of fixed) taken.fill(1, start, end);
  const overlaps = ({ start, end }: Mention): boolean => taken.subarray(start, end).includes(1);
  const rank = (mention: Mention): number => {
    if (intentsOf(mention, 'negation')) return 3;
    return mention.meanings.some(meaning => meaning.as !== 'intent' && meaning.as !== 'entity' && meaning.as !== 'value')
      ? 2
      : mention.meanings[0]?.as === 'intent'
        ? 0
        : 1;
  };
  const isBoolean = ({ meanings }: Mention): boolean => meanings.some(meaning => meaning.as === 'property' && meaning.type === 'boolean');
  const booleans = new Set(candidates.filter(isBoolean).map(({ start }) => start));
  const free = candidates.filter(mention => !(/^(?:不在|没有)$/.test(mention.text) && booleans.has(mention.start + 1)));
  const sorted = [...free].sort((a, b) => b.end - b.start - (a.end - a.start) || rank(b) - rank(a) || a.start - b.start);
  for (const mention of sorted) {
    if (pace.isOverdue) await pace.turn();
    if (overlaps(mention)) continue;
    if (isLoneNumber(mention) && !standsBesideLabel(text, mention, candidates)) continue;
    chosen.push(mention);
    taken.fill(1, mention.start, mention.end);
  }
  return chosen.sort((a, b) => a.start - b.start);
}

function isLoneNumber(mention: Mention): boolean {
  return /^\d+$/.test(mention.text) && !meaningOf(mention, 'time') && mention.meanings[0]?.as !== 'intent';
}

const percent = /^\s?%/;
/** Matches a noun behind a number, which shows that the number is a count. */
const counted = /^\s+(?:[a-z]+s|people|men|women|children|staff|personnel|crew)\b/;

/** Whether the name of an entity stands beside its label: `order 10248` and `10248号订单`, but not `10 orders`, which is a count. */
function standsBesideLabel(text: string, mention: Mention, candidates: Mention[]): boolean {
  const labels = new Set(meaningOf(mention, 'entity')?.nodes.map(node => node.label));
  const rest = text.slice(mention.end);
  if (percent.test(rest)) return false;
  return candidates.some(other => {
    const label = meaningOf(other, 'label')?.label;
    if (label === undefined || !labels.has(label)) return false;
    const between = other.end <= mention.start ? text.slice(other.end, mention.start) : text.slice(mention.end, other.start);
    return /^[\s#：:"'“”号]*$/.test(between) && (other.end <= mention.start || (mention.end <= other.start && !counted.test(rest)));
  });
}

/** Searches for the words without an exact match: partial names (`华为` for `华为技术有限公司`) and names with typing errors. */
async function linkApproximately(
  text: string,
  mentions: Mention[],
  names: NameSource,
  hints: NameHints,
): Promise<{ mentions: Mention[]; unknown: string[] }> {
  const finder = new PartFinder(text, names, hints, mentions);
  const all = [...mentions];
  const unknown: string[] = [];
  for (const stretch of leftovers(text, mentions, hints)) {
    const found = await finder.find(stretch);
    all.push(...found.mentions);
    unknown.push(...found.unknown);
  }
  return { mentions: all.sort((a, b) => a.start - b.start), unknown };
}

/** Finds parts of names in the words without an exact match. Equal words are looked up only once. */
class PartFinder {
  private readonly known = new Map<string, EntityNode[]>();

  constructor(
    private readonly text: string,
    private readonly names: NameSource,
    private readonly hints: NameHints,
    private readonly mentions: readonly Mention[],
  ) {}

  /** Turns the longest part of a stretch that occurs in a name into a mention, then searches the text before and behind this part. */
  async find(units: Unit[], longest = longestPart): Promise<{ mentions: Mention[]; unknown: string[] }> {
    for (let length = Math.min(units.length, longest); length > 0; length--) {
      for (let from = 0; from + length <= units.length; from++) {
        const [first, last] = [units[from], units[from + length - 1]];
        if (!first || !last) continue;
        const own = this.text.slice(first.start, last.end);
        if (own.length < 2 || isCommonWord(own) || (/[a-z]/.test(own) && !this.hints.mayBeName(first.start, last.end))) continue;
        const nodes = /^[\d.,\s-]+$/.test(own) ? this.findNumber(own, first.start, last.end) : await this.findBest(own);
        if (nodes.length === 0) continue;
        // The stretch has no match of more than `length` units, so the text before and behind this match has none either.
        const before = await this.find(units.slice(0, from), length);
        const after = await this.find(units.slice(from + length), length);
        const mention: Mention = { text: own, start: first.start, end: last.end, meanings: [{ as: 'entity', nodes, approximate: true }] };
        return { mentions: [...before.mentions, mention, ...after.mentions], unknown: [...before.unknown, ...after.unknown] };
      }
    }
    const [first, last] = [units[0], units.at(-1)];
    if (!first || !last) return { mentions: [], unknown: [] };
    return { mentions: [], unknown: unknownIn(this.text.slice(behindLongUnit(this.text, first.start), last.end)) };
  }

  /** The nodes whose whole name is the number. Empty if the number may be the value of a named property, or if a plural noun follows it. */
  private findNumber(own: string, start: number, end: number): EntityNode[] {
    if (this.mentions.some(mention => meaningOf(mention, 'property')) || counted.test(this.text.slice(end))) return [];
    const nodes = this.names.findByName(own, mostApproximate);
    // `city 1000`: right behind a label the number names only nodes of this label.
    const label = this.mentions.flatMap(mention => (/^[\s#]*$/.test(this.text.slice(mention.end, start)) && mention.end <= start ? (meaningOf(mention, 'label') ?? []) : []))[0]; // prettier-ignore
    return label ? nodes.filter(node => node.label === label.label) : nodes;
  }

  /**
   * Finds nodes whose names contain all words of the text. All hits with the best score are kept, because the question cannot
   * distinguish them. Hits of a Latin word with lower scores are kept if no word was corrected: a surname has a lower score than a first
   * word. Empty if there are more than `mostApproximate` hits.
   */
  private async findBest(own: string): Promise<EntityNode[]> {
    const known = this.known.get(own);
    if (known) return known;
    if (this.known.size >= mostSearches) throw new TooManyWordsError();
    const { hits: all, corrections } = await this.names.search(own, mostApproximate + 1);
    const hits = saysEnough(own, corrections.length) ? all.filter(hit => hit.coverage > 0.99) : [];
    const least = corrections.length === 0 && /[a-z]/.test(own) ? -Infinity : (hits[0]?.score ?? 0) - 1e-6;
    const nodes = hits.length > mostApproximate ? [] : hits.filter(hit => hit.score >= least).map(({ id, label }) => ({ id, label }));
    this.known.set(own, nodes);
    return nodes;
  }
}

/**
 * The words of a stretch, without stop words. A stop word such as 日 is kept if a single other character stands beside it: `日本` may be a
 * name.
 */
function unknownIn(stretch: string): string[] {
  const words = withoutStopWords(stretch);
  const name = /\p{Script=Han}?[年月日号区上下中内里]\p{Script=Han}?/u.exec(stretch)?.[0] ?? '';
  const [left, ...others] = words.filter(word => name.length > 1 && word.length === 1 && name.includes(word));
  return left !== undefined && others.length === 0 ? words.map(word => (word === left ? name : word)) : words;
}

/**
 * Whether enough of a text matches a name. Many words are one letter away from some name, so at least one word must match without
 * correction. One word must be CJK or have at least `shortestLoneWord` letters.
 */
function saysEnough(own: string, corrected: number): boolean {
  const words = cutPieces(own);
  return corrected < words.length && words.some(({ text, kind }) => kind === 'cjk' || text.length >= shortestLoneWord);
}

interface Unit {
  start: number;
  end: number;
}

/** The percent sign behind a number, because `10%` does not count things; '' if no percent sign follows. */
function percentBehind(text: string, { text: own, end }: TextPiece): string {
  return /\d$/.test(own) ? (percent.exec(text.slice(end))?.[0] ?? '') : '';
}

/** The stretches of the text that no mention covers: runs of CJK characters, and runs of Latin words up to a stop word. */
function leftovers(text: string, mentions: Mention[], hints: NameHints): Unit[][] {
  const stretches: Unit[][] = [];
  const taken = new Uint8Array(text.length);
  for (const { start, end } of mentions) taken.fill(1, start, end);
  const covered = (at: number): boolean => taken[at] === 1;
  const append = (unit: Unit, joins: RegExp): void => {
    const last = stretches.at(-1)?.at(-1);
    if (last && joins.test(text.slice(last.end, unit.start))) stretches.at(-1)?.push(unit);
    else stretches.push([unit]);
  };
  for (const piece of cutPieces(text)) {
    if (piece.kind === 'word') {
      const isOfGrammar = isStopWord(piece.text) && signBehind(text, piece.end) === '' && !hints.standsAlone(piece.start, piece.end);
      if (!covered(piece.start) && !isOfGrammar && !saysOnlyWhere(text, piece.start, piece.end))
        append({ start: piece.start, end: piece.end + (signBehind(text, piece.end) || percentBehind(text, piece)).length }, /^[\s.&'’-]+$/);
      continue;
    }
    for (let at = piece.start; at < piece.end; at++) if (!covered(at)) append({ start: at, end: at + 1 }, /^$/);
  }
  return stretches;
}
