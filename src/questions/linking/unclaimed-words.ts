import { cutPieces } from '../../graph-index/tokenize-text.js';
import { intentsOf, type Mention, meaningOf } from './meaning.js';
import { isCountry } from './name-synonyms.js';
import { measureWord } from './numerals.js';
import { isCommonWord, isParticle, withoutStopWords } from './stop-words.js';
import { behindLongUnit } from './units.js';

/** Words that say how many or how often. If no mention covers such a word, the answer would ignore it. */
const quantities = new Set('few many more less again exactly just'.split(' '));
/** Matches text before `one` where `one` stands for the thing asked for: `which one`, `the one`. */
const onePassed = /\b(?:which|the|that|this|each|every|any|no)\s+$/;
/** Text before `exactly` and `just` where they do not limit anything: `what exactly`, `just show me`. */
const lightly = { exactly: /\b(?:what|which|who|where|when|how)\s+$/, just: /^[\s,]*(?:please\s+)?$/ };
/**
 * Matches a signed number or a span of numbers: `city -1`, `city 1 to city 3`. A match is unread if no mention covers its first character.
 */
const signedOrSpan = /(?<=\s)-\d+|(?<=\d)\s*(?:\bto\b|\bthrough\b|至|到|~)\s*(?:\p{L}+\s*)?\d+/gu;
const units = new Set('人吨元块岁天年月日米克升度分秒层级页斤磅亩');
/** Chinese adverbs. They modify the verb, so they are unknown words by themselves and not a part of the name behind them. */
const adverbs = new Set('又再才刚将仍先后每各某任');
const article = new RegExp(`^一${measureWord}.{1,20}[吗么]\\s*[?？]?$`);
const numeral = /(?:(?!一[下些共起样直般切]|千[克米瓦])[零一二两三四五六七八九十百千万亿])+/g;

/** Finds the words for quantities that no mention covers. Most are stop words, so linking passes over them. */
export function findUnclaimedQuantities(text: string, mentions: Mention[]): string[] {
  const isFree = (start: number, end: number): boolean => !mentions.some(mention => mention.start < end && start < mention.end);
  const words = cutPieces(text).filter(({ kind, start, end }) => kind === 'word' && isFree(start, end));
  const english = words.filter(({ text: word, start, end }) => {
    const ahead = text.slice(0, start);
    if (word === 'exactly' || word === 'just') return !lightly[word].test(ahead);
    return word === 'one' ? !onePassed.test(ahead) && isBeforeNoun(text, end, mentions) : quantities.has(word);
  });
  const chinese = [...text.matchAll(numeral)].filter(
    ({ 0: own, index }) => isFree(index, index + own.length) && !sumsUp(text, own, index, mentions),
  );
  const signed = [...text.matchAll(signedOrSpan)].filter(({ index }) => isFree(index, index + 1)).map(([own]) => own.trim());
  // `去过`: an unread character before 过 or 了 is a verb that is not the name of a relation.
  const verbs = [...text.matchAll(/(\p{Script=Han})[过了](?=.)/gu)].flatMap(({ 0: own, 1: verb = '', index }) =>
    isFree(index, index + 1) && ![verb, own].some(isCommonWord) ? [own] : [],
  );
  // `whose name has 电`: a Chinese character between Latin words is a whole word.
  const alone = [...text.matchAll(/(?<![a-z])([a-z]+['"‘“]?\s['"‘“]?)(\p{Script=Han})(?![\p{L}\p{N}])/gu)].flatMap(
    ({ 0: own, 1: before = '', 2: character = '', index }) =>
      isFree(index + before.length, index + own.length) && !isCommonWord(character) ? [own] : [],
  );
  // `是哪家生产的`: the verb behind the question word is unknown.
  const asked = mentions.flatMap(mention => {
    const verb = intentsOf(mention, 'which') && /^(\p{Script=Han}{2,4}?)的?\s*[?？]?$/u.exec(text.slice(mention.end))?.[1];
    return verb && isFree(mention.end, mention.end + verb.length) && withoutStopWords(verb).length > 0 && !isTraded(mention.text + verb)
      ? [mention.text + verb]
      : [];
  });
  return [
    ...asked,
    ...modifiersIn(text, mentions),
    ...verbs,
    ...alone,
    ...signed,
    ...english.map(({ text: word }) => word),
    ...chinese.map(([own]) => own),
  ];
}

/** Whether 谁 stands before a verb of trade. Such a verb is not unknown: `trade-verbs.ts` finds out whether buyers or sellers are meant. */
function isTraded(asked: string): boolean {
  return /^谁[买卖]/.test(asked);
}

/** Unread characters right before a name, which limit the things that the name means: 子公司, 贵的药. */
function modifiersIn(text: string, mentions: Mention[]): string[] {
  return mentions.flatMap(({ text: own, start, meanings }, i) => {
    const previous = mentions[i - 1];
    const ahead = text.slice(previous?.end ?? 0, start).replace(/的$/, '');
    const before = withoutStopWords(ahead).at(-1) ?? '';
    const isNoun = meanings.some(({ as }) => as === 'label' || as === 'relation' || as === 'value' || as === 'property');
    // `少于3人的船`: 人 is the unit of the number and does not limit 船.
    const isBehindNumber = previous && (intentsOf(previous, 'compare') ?? intentsOf(previous, 'between'));
    // 日元 ends with 元, because 日 is passed over as a word for days.
    const isLong = previous !== undefined && ahead !== '' && behindLongUnit(text, previous.end) === previous.end + ahead.length;
    const isUnit = isBehindNumber && (isLong || (ahead === before && units.has(before)));
    const isModifier =
      /^\p{Script=Han}$/u.test(before) && ahead.endsWith(before) && !isParticle(before) && !adverbs.has(before) && !isCommonWord(before);
    // `中国籍乘客`: 国籍 behind 中 is not a property here, even if 中国 is not a known value.
    const country = /\p{Script=Han}$/u.exec(ahead)?.[0] ?? '';
    const isCountryCut = own.startsWith('国籍') && isCountry(`${country}国`) && !/^国籍\s*(?:是|为|=)/.test(text.slice(start));
    if (isCountryCut) return [country + own];
    return isNoun && isModifier && !isUnit ? [before + own] : [];
  });
}

/** Whether a character may be the unit of the number before it: 克 in 少于50克. */
export function isUnit(character: string): boolean {
  return units.has(character);
}

/** Whether a word is a Chinese numeral, which {@link findUnclaimedQuantities} judges by its place. */
export function isNumeral(word: string): boolean {
  return /^[零一二两三四五六七八九十百千万亿]+$/.test(word);
}

function isBeforeNoun(text: string, end: number, mentions: Mention[]): boolean {
  const next = end + (/^[\s-]+/.exec(text.slice(end))?.[0].length ?? 0);
  return (
    next > end &&
    mentions.some(mention => mention.start === next && mention.meanings.some(({ as }) => as !== 'relation' && as !== 'intent'))
  );
}

/** Whether a numeral only counts the names before it, or is an article: `华东和华南两个地区`, `是一家供应商吗`. */
function sumsUp(text: string, own: string, at: number, mentions: Mention[]): boolean {
  if (own === '一' && /是$/.test(text.slice(0, at)) && article.test(text.slice(at))) return true;
  const before = mentions.filter(mention => mention.end <= at).slice(-2);
  const last = before.at(-1);
  const areNames = before.length === 2 && before.every(mention => meaningOf(mention, 'entity') ?? meaningOf(mention, 'value'));
  return (own === '两' || own === '二') && areNames && last !== undefined && /^\s*这?$/.test(text.slice(last.end, at));
}
