import { asksForTime } from './asked-time.js';
import { isUnit } from './unclaimed-words.js';
import { isUnitOfNumber } from './units.js';

/**
 * Words that belong to the grammar of a question if their pattern matches it: `part` in `is part of`. In other questions they may be names.
 */
const grammar: ReadonlyMap<string, RegExp> = new Map([
  ['co', /\bco-[a-z]/],
  ['又', /[既又].*又|^\s*又/],
  ['先', /^\s*先/],
  ['归', /归[哪谁]/],
  ['货', /(?:哪些|什么|哪种|啥)货/],
  ['单', /(?:多少|几)单/],
  ['part', /\bparts? of\b/],
  ['parts', /\bparts? of\b/],
]);
const formAsNoun = /\b(?:the|an?|which|what|each|every|in|this|that) forms?\b/;

/**
 * Whether an unknown word belongs to the question's grammar: `date` in `what was the release date`, `co` in `who co-starred with`, the
 * second word of 既…又…, the unit of a number, `part` in `is part of`.
 */
export function isOfGrammar(word: string, text: string): boolean {
  const pattern = grammar.get(word);
  if (pattern) return pattern.test(text);
  if (word === 'form' || word === 'forms') return !formAsNoun.test(text);
  if (isUnit(word))
    return new RegExp(`[\\d零一二两三四五六七八九十百千万亿]\\s*${word}${'人页斤磅亩'.includes(word) ? '' : `|(?:多少|几)${word}`}`).test(
      text,
    );
  return (/^dates?$/.test(word) && asksForTime(text)) || isUnitOfNumber(word, text);
}

/** Whether `sort` is a verb, as in `sort them by price`. In `what sort of film` the word asks for a kind. */
export function isVerbHere(own: string, text: string, end: number): boolean {
  return /^sort(?:ed|s|ing)?$/.test(own) && !(/^sorts?$/.test(own) && text.startsWith(' of ', end));
}
