import variantsOfHongKong from 'opencc-js/dict/HKVariantsRev';
import simplified from 'opencc-js/dict/TSCharacters';
import variantsOfTaiwan from 'opencc-js/dict/TWVariantsRev';

/*
 * Tables of OpenCC, applied unit by unit. The simplified form of a traditional character may depend on its word. Texts and queries are
 * folded alike, so they still match.
 * Characters that are simplified ones stay as they are, also in regions that write another one for them.
 */
const pairs = [variantsOfHongKong, variantsOfTaiwan, simplified].map(readPairs);
const simplifiedUnits = new Set(pairs.at(-1)!.values());
const folded = new Uint16Array(0x10000).map((_, unit) => {
  if (simplifiedUnits.has(unit)) return unit;
  return pairs.reduce((now, table) => table.get(now) ?? now, unit);
});

/** Writes traditional characters, and variants of characters, as simplified ones. The length stays. */
export function foldTraditional(text: string): string {
  let at = 0;
  while (at < text.length && folded[text.charCodeAt(at)] === text.charCodeAt(at)) at++;
  if (at === text.length) return text;
  let result = text.slice(0, at);
  for (; at < text.length; at++) result += String.fromCharCode(folded[text.charCodeAt(at)]!);
  return result;
}

/** @param table pairs such as `東 东`, with `|` between them; the first target counts */
function readPairs(table: string): Map<number, number> {
  const read = new Map<number, number>();
  for (const pair of table.split('|')) {
    const [from, to] = pair.split(' ');
    if (from?.length === 1 && to?.length === 1) read.set(from.charCodeAt(0), to.charCodeAt(0));
  }
  return read;
}
