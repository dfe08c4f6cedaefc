import { type Mention } from './meaning.js';

/**
 * Phrases that do not change what is asked: `who in the world wrote it`, `describe what it is about`, `describe it in a few words`, `give
 * me a few examples`.
 */
const idioms = [
  /(?<=\b(?:who|what|which|where|when|how|why) )(?:in the world|on earth)\b/g,
  /(?<=\b(?:write|writes|wrote|written) )(?:the|a) story\b/g,
  /\bin (?:a few|some|other|one|your own) words?\b/g,
  /(?<=\b(?:give|list|name|show|suggest|tell)(?: me| us)? )a few\b/g,
  /(?<=\bdescrib(?:e|es|ing) what [^,?]{1,80} )is about\b/g,
  /(?<=\bdescrib(?:e|es|ing) )what(?= [^,?]{1,80} is about\b)/g,
  /到底|究竟/g,
];

/** Finds the idioms of a normalised text, as mentions without a meaning, because no word of an idiom names anything. */
export function findIdioms(text: string): Mention[] {
  return idioms.flatMap(idiom =>
    [...text.matchAll(idiom)].map(match => ({ text: match[0], start: match.index, end: match.index + match[0].length, meanings: [] })),
  );
}
