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
/** Matches text behind a letter that cannot be an article, because no singular noun follows: `grade a suppliers`, `level a`. */
const noNoun = /^\s*(?:$|[?？.!,，;)]|(?:in|of|from|and|or|with|that|who|which|have|has|is|are|was|were)\b|[a-z]+s\b|[^\x00-\x7f])/;
const inTheUs = /\b(?:in (?:the )?|the )$/;
/** English words that a Chinese question uses without limiting anything: `list一下`. */
const spoken = new Set('list show give tell find get please and or me name'.split(' '));

/**
 * Finds the single Latin letters that are values. Such a letter stands beside its property (`A等级`, `level A`), before its label
 * (`A类供应商`), before 级 if the name of its property contains 级, or beside another such letter with a comma, "and" or "or" between.
 * Elsewhere `a` is an article, and the `t` of `don't` is part of a word.
 */
export function findLetterValues(
  text: string,
  found: readonly Mention[],
  hints: NameHints,
  findValues: (text: string) => KnownValue[],
): Mention[] {
  const letters = lettersIn(text).map(letter => withValues(letter, text, findValues(letter.text)));
  const read = letters.flatMap(letter => readLetter(letter, text, found, hints));
  // `A、B和C等级`: go from the letter beside the property to the letters that are joined to it.
  for (const { values, ...letter } of [...letters, ...letters.reverse()]) {
    const known = read.find(other => other.start === letter.start);
    const beside = read.filter(
      other => isBefore(text, other.end, letter.start, joining) || isBefore(text, letter.end, other.start, joining),
    );
    const joined = values.filter(value => beside.some(other => other.meanings.some(meaning => isOf(meaning, value))));
    if (!known && joined.length > 0) read.push(mentionOf(letter, joined));
  }
  return read;
}

/** The letter with the values that it names. A minus behind the letter is added to it if a value has this form: `A-`. */
function withValues(letter: TextPiece, text: string, known: KnownValue[]): TextPiece & { values: KnownValue[] } {
  const { start, end } = letter;
  const fitting = valuesAsSigned(known, text, start, end);
  const signed = fitting.filter(({ value }) => normalizeText(value) === `${letter.text}-`);
  const sign = minusBehind(signed, text, end);
  if (sign !== '') return { ...letter, text: letter.text + sign, end: end + sign.length, values: signed };
  return { ...letter, values: isSigned(text, end) ? [] : fitting.filter(({ value }) => normalizeText(value) === letter.text) };
}

function readLetter(
  { values, ...letter }: TextPiece & { values: KnownValue[] },
  text: string,
  found: readonly Mention[],
  hints: NameHints,
): Mention[] {
  const { start, end } = letter;
  const rest = text.slice(end);
  const isGrade = hints.standsAlone(start, end) && /^级(?!别)/.test(rest);
  const grades = isGrade ? values.filter(({ property }) => property.includes('级')) : [];
  if (grades.length > 0) return [mentionOf({ start, end: end + 1, text: `${letter.text}级` }, grades)];
  const mayBeArticle = isArticle(text, start, end, hints);
  const own = values.filter(value => {
    const properties = found.filter(({ meanings }) => meanings.some(meaning => meaning.as === 'property' && meaning.ownerName === value.label && meaning.property === value.property)); // prettier-ignore
    const labels = found.filter(({ meanings }) => meanings.some(meaning => meaning.as === 'label' && meaning.label === value.label));
    const isAfter = properties.some(property => isBefore(text, property.end, start, afterProperty));
    const isBeforeIt = properties.some(property => isBefore(text, end, property.start, beforeProperty));
    const before = labels.filter(label => isBefore(text, end, label.start, beforeLabel));
    const isBeforeMany = before.some(label => /[a-rt-z]s$/.test(label.text));
    return mayBeArticle ? (isAfter && noNoun.test(rest)) || isBeforeMany : isAfter || isBeforeIt || before.length > 0;
  });
  return own.length > 0 ? [mentionOf(letter, own)] : [];
}

/**
 * Finds Latin words that look like grammar but are used as names here, and that no mention covers: `A等级`, `IT部门`, `level A`, `in the US`.
 * @param mentions all mentions of the question
 */
export function findUnreadLetters(text: string, mentions: readonly Mention[], hints: NameHints): string[] {
  const isRead = (word: TextPiece): boolean => mentions.some(({ start, end }) => start < word.end && word.start < end);
  const isAfterProperty = (at: number): boolean =>
    mentions.some(({ meanings, end }) => meanings.some(({ as }) => as === 'property') && isBefore(text, end, at, afterProperty));
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

function isOf(meaning: Mention['meanings'][number], { label, property }: KnownValue): boolean {
  return meaning.as === 'value' && meaning.label === label && meaning.property === property;
}

function mentionOf({ text, start, end }: Pick<TextPiece, 'text' | 'start' | 'end'>, values: KnownValue[]): Mention {
  return { text, start, end, meanings: values.map(value => ({ as: 'value', ...value })) };
}
