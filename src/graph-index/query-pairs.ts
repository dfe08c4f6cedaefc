import { cutPieces } from './tokenize-text.js';

const longestName = 12;
/** Segments Chinese words by the dictionary of ICU, which is part of Node. */
const dictionary = new Intl.Segmenter('zh', { granularity: 'word' });

/**
 * The places in a normalised text at which a pair of CJK characters lies inside one word: a word of the dictionary, or a name of the graph.
 * A pair across two words (`为手` in `华为手机`) counts less in a search.
 * @param isName whether the graph has this name
 */
export function placesInWords(normalized: string, isName: (text: string) => boolean): ReadonlySet<number> {
  const places = new Set<number>();
  for (const { text, kind, start } of cutPieces(normalized)) {
    if (kind !== 'cjk') continue;
    for (const { segment, index } of dictionary.segment(text)) addWord(start + index, segment.length);
    for (let from = 0; from < text.length;) {
      let length = Math.min(longestName, text.length - from);
      while (length > 1 && !isName(text.slice(from, from + length))) length--;
      addWord(start + from, length);
      from += length;
    }
  }
  return places;

  function addWord(start: number, length: number): void {
    for (let i = 0; i + 1 < length; i++) places.add(start + i);
  }
}
