import { type Pace } from '../../common/turns/pace.js';
import { type KnownValue } from '../../graph-index/value-dictionary.js';
import { cutPieces, normalizeText, type TextPiece } from '../../graph-index/tokenize-text.js';
import { type Mention } from './meaning.js';
import { type NameHints } from './name-hints.js';
import { isSigned, minusBehind, signBehind, valuesAsSigned } from './signed-names.js';
import { isStopWord } from './stop-words.js';

const afterProperty = /^[\s-]*(?:的?(?:是|为|等于|[=:：])|\b(?:is|are|was|of|equals?)\b)?\s*$/;
const beforeProperty = /^[\s-]*的?$/;
const beforeLabel = /^[\s-]*[类型]?的?\s*$/;
const joining = /^\s*(?:[,，、/]|和|与|及|或者?|\band\b|\bor\b)\s*$/;
/** Matches the text after a letter if no singular noun follows, so that the letter cannot be an article: `grade a suppliers`, `level a`. */
const noNoun = /^\s*(?:$|[?？.!,，;)]|(?:in|of|from|and|or|with|that|who|which|have|has|is|are|was|were)\b|[a-z]+s\b|[^\x00-\x7f])/;
const inTheUs = /\b(?:in (?:the )?|the )$/;
/** English words that a Chinese question uses without limiting anything: `list一下`. */
const spoken = new Set('list show give tell find get please and or me name'.split(' '));

/** A letter with the values that it names. */
type Letter = TextPiece & { values: KnownValue[] };

/**
 * Finds the single Latin letters that are values. Such a letter stands beside its property (`A等级`, `level A`), before its label
 * (`A类供应商`), before 级 if the name of its property contains 级, or beside another such letter with a comma, "and" or "or" between.
 * Elsewhere `a` is an article, and the `t` of `don't` is part of a word.
 */
export async function findLetterValues(
  text: string,
  found: readonly Mention[],
  hints: NameHints,
  findValues: (text: string) => KnownValue[],
  pace: Pace,
): Promise<Mention[]> {
  const letters: Letter[] = [];
  const read: (Mention | undefined)[] = [];
  for (const each of lettersIn(text)) {
    if (pace.isOverdue) await pace.turn();
    const letter = withValues(each, text, findValues(each.text));
    letters.push(letter);
    read.push(readLetter(letter, text, found, hints));
  }
  // `A、B和C等级`: pass the property on from the letter beside it to the letters that are joined to it, in both directions.
  const places = letters.map((_, at) => at);
  for (const at of [...places, ...places.toReversed()]) {
    if (pace.isOverdue) await pace.turn();
    if (read[at] === undefined) read[at] = readJoined(letters[at]!, text, [read[at - 1], read[at + 1]]);
  }
  return read.filter(mention => mention !== undefined);
}

/** The letter with the values that it names. A minus behind the letter is added to it if a value has this form: `A-`. */
function withValues(letter: TextPiece, text: string, known: KnownValue[]): Letter {
  const { start, end } = letter;
  const fitting = valuesAsSigned(known, text, start, end);
  const signed = fitting.filter(({ value }) => normalizeText(value) === `${letter.text}-`);
  const sign = minusBehind(signed, text, end);
  if (sign !== '') return { ...letter, text: letter.text + sign, end: end + sign.length, values: signed };
  return { ...letter, values: isSigned(text, end) ? [] : fitting.filter(({ value }) => normalizeText(value) === letter.text) };
}

function readLetter({ values, ...letter }: Letter, text: string, found: readonly Mention[], hints: NameHints): Mention | undefined {
  if (values.length === 0) return undefined;
  const { start, end } = letter;
  const rest = text.slice(end);
  const isGrade = hints.standsAlone(start, end) && /^级(?!别)/.test(rest);
  const grades = isGrade ? values.filter(({ property }) => property.includes('级')) : [];
  if (grades.length > 0) return mentionOf({ start, end: end + 1, text: `${letter.text}级` }, grades);
  const mayBeArticle = isArticle(text, start, end, hints);
  // The few mentions beside the letter are selected before meanings are compared. In a schema of many labels, each mention has a meaning
  // and each letter has a value for every label.
  const propertiesBehind = propertiesOf(found.filter(mention => isBefore(text, mention.end, start, afterProperty)));
  const propertiesAhead = propertiesOf(found.filter(mention => isBefore(text, end, mention.start, beforeProperty)));
  const labelMentions = found.filter(mention => isBefore(text, end, mention.start, beforeLabel));
  const labels = labelsOf(labelMentions);
  const plurals = labelsOf(labelMentions.filter(mention => /[a-rt-z]s$/.test(mention.text)));
  const own = values.filter(({ label, property }) => {
    const key = propertyKey(label, property);
    const isAfter = propertiesBehind.has(key);
    return mayBeArticle ? (isAfter && noNoun.test(rest)) || plurals.has(label) : isAfter || propertiesAhead.has(key) || labels.has(label);
  });
  return own.length > 0 ? mentionOf(letter, own) : undefined;
}

/** Reads a letter that is joined to one of its neighbours among the letters, as a value of the same property. */
function readJoined({ values, ...letter }: Letter, text: string, neighbours: (Mention | undefined)[]): Mention | undefined {
  if (values.length === 0) return undefined;
  const beside = neighbours.filter(
    other => other !== undefined && (isBefore(text, other.end, letter.start, joining) || isBefore(text, letter.end, other.start, joining)),
  );
  const properties = new Set(
    beside.flatMap(other => other?.meanings.flatMap(meaning => (meaning.as === 'value' ? propertyKey(meaning.label, meaning.property) : [])) ?? []), // prettier-ignore
  );
  const joined = values.filter(({ label, property }) => properties.has(propertyKey(label, property)));
  return joined.length > 0 ? mentionOf(letter, joined) : undefined;
}

function propertiesOf(mentions: readonly Mention[]): Set<string> {
  return new Set(
    mentions.flatMap(({ meanings }) =>
      meanings.flatMap(each => (each.as === 'property' ? propertyKey(each.ownerName, each.property) : [])),
    ),
  );
}

function labelsOf(mentions: readonly Mention[]): Set<string> {
  return new Set(mentions.flatMap(({ meanings }) => meanings.flatMap(each => (each.as === 'label' ? each.label : []))));
}

function propertyKey(label: string, property: string): string {
  return JSON.stringify([label, property]);
}

/**
 * Finds Latin words that look like grammar but are used as names here, and that no mention covers: `A等级`, `IT部门`, `level A`, `in the US`.
 * @param mentions all mentions of the question
 */
export function findUnreadLetters(text: string, mentions: readonly Mention[], hints: NameHints): string[] {
  const isRead = (word: TextPiece): boolean => mentions.some(({ start, end }) => start < word.end && word.start < end);
  const isAfterProperty = (at: number): boolean =>
    mentions.some(({ meanings, end }) => isBefore(text, end, at, afterProperty) && meanings.some(({ as }) => as === 'property'));
  const letters = lettersIn(text).filter(
    ({ start, end }) => (isAfterProperty(start) && noNoun.test(text.slice(end))) || !isArticle(text, start, end, hints),
  );
  const words = cutPieces(text).filter(
    ({ kind, text: own, start, end }) =>
      kind === 'word' &&
      own.length > 1 &&
      isStopWord(own) &&
      (!spoken.has(own) || hints.isAcronym(start, end)) &&
      isNoGrammar(text, start, end, hints),
  );
  return [...letters, ...words].filter(word => !isRead(word)).map(({ text: own }) => own);
}

/** Whether a word that is usually grammar is used as a name: `US`, `IT部门`, `in the us`. */
export function isNoGrammar(text: string, start: number, end: number, hints: NameHints): boolean {
  const isBesideHan = /\p{Script=Han}/u.test(`${text[start - 1] ?? ''}${text[end] ?? ''}`);
  const isCountry = text.slice(start, end) === 'us' && inTheUs.test(text.slice(0, start));
  return hints.isAcronym(start, end) || isCountry || (end - start > 1 && isBesideHan && hints.standsAlone(start, end));
}

function lettersIn(text: string): TextPiece[] {
  return cutPieces(text).filter(
    ({ text: own, start, end }) =>
      /^[a-z]$/.test(own) && !/['’.]/.test(text[start - 1] ?? '') && !/['’]/.test(text[end] ?? '') && signBehind(text, end) === '',
  );
}

/** Whether a letter may be an article or a pronoun: a lower-case letter, the first letter of the question, or `I`. */
function isArticle(text: string, start: number, end: number, hints: NameHints): boolean {
  if (hints.standsAlone(start, end) || isSigned(text, end)) return false;
  return text[start] === 'i' || text.slice(0, start).trim() === '' || !hints.isCapital(start);
}

function isBefore(text: string, end: number, start: number, between: RegExp): boolean {
  return end <= start && between.test(text.slice(end, start));
}

function mentionOf({ text, start, end }: Pick<TextPiece, 'text' | 'start' | 'end'>, values: KnownValue[]): Mention {
  return { text, start, end, meanings: values.map(value => ({ as: 'value', ...value })) };
}
