import { cutPieces } from '../../graph-index/tokenize-text.js';
import { type Mention, meaningOf } from './meaning.js';
import { isCommonWord, isStopWord, withoutStopWords } from './stop-words.js';

/** Words that say how many or how often. Where nothing has read them, the answer would be as if they were not there. */
const quantities = new Set('few many more less again exactly just'.split(' '));
/** `which one`, `the one`: it stands for what is asked for. */
const onePassed = /\b(?:which|the|that|this|each|every|any|no)\s+$/;
/** `what exactly`, and `just show me`. */
const lightly = { exactly: /\b(?:what|which|who|where|when|how)\s+$/, just: /^[\s,]*(?:please\s+)?$/ };
/** `city -1`, `city 1 to city 3`: neither names what its numbers name. The first character that is not a number's tells whether it is read. */
const signedOrSpan = /(?<=\s)-\d+|(?<=\d)\s*(?:\bto\b|\bthrough\b|至|到|~)\s*(?:\p{L}+\s*)?\d+/gu;
/** They stand before a noun or a verb and limit nothing. */
const determiners = new Set('该此本贵我您各每某这那任种类总求查找看算共又既且还再才刚将便均皆曾仍并亦即先后');
const numeral = /(?:(?!一[下些共起样直般切])[零一二两三四五六七八九十百千万亿])+/g;

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
  const modifiers = mentions.flatMap(({ text: own, start, meanings }) => {
    const isNoun = meanings.some(({ as }) => as === 'label' || as === 'relation' || as === 'value');
    const last = Math.max(0, ...mentions.filter(({ end }) => end <= start).map(({ end }) => end));
    const before = withoutStopWords(text.slice(last, start)).at(-1) ?? '';
    const isModifier =
      /^\p{Script=Han}$/u.test(before) && text.slice(last, start).endsWith(before) && !determiners.has(before) && !isCommonWord(before);
    return isNoun && isModifier && isFree(start - 1, start) ? [before + own] : [];
  });
  // `去过`: a verb that no relation is called by.
  const verbs = [...text.matchAll(/(\p{Script=Han})[过了](?=.)/gu)].flatMap(({ 0: own, 1: verb = '', index }) =>
    isFree(index, index + 1) && ![verb, own].some(word => isStopWord(word) || isCommonWord(word)) ? [own] : [],
  );
  return [...modifiers, ...verbs, ...signed, ...english.map(({ text: word }) => word), ...chinese.map(([own]) => own)];
}

/** Tells whether a word is a Chinese numeral, which {@link findUnclaimedQuantities} judges by its place. */
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

/** `华东和华南两个地区`: it only counts the names before it. */
function sumsUp(text: string, own: string, at: number, mentions: Mention[]): boolean {
  const before = mentions.filter(mention => mention.end <= at).slice(-2);
  const last = before.at(-1);
  const areNames = before.length === 2 && before.every(mention => meaningOf(mention, 'entity') ?? meaningOf(mention, 'value'));
  return (own === '两' || own === '二') && areNames && last !== undefined && /^\s*这?$/.test(text.slice(last.end, at));
}
