import variantsOfHongKong from 'opencc-js/dict/HKVariantsRev';
import simplified from 'opencc-js/dict/TSCharacters';
import variantsOfTaiwan from 'opencc-js/dict/TWVariantsRev';

/*
 * Tables of OpenCC, applied unit by unit. The right simplified form of a traditional character may depend on its word, so the form chosen
 * here may be wrong. Texts and queries are folded in the same way, so they still match. Simplified characters stay as they are, even if
 * some region writes another character for them.
 */
const pairs = [variantsOfHongKong, variantsOfTaiwan, simplified].map(readPairs);
const simplifiedUnits = new Set(pairs.at(-1)!.values());
const folded = new Uint16Array(0x10000).map((_, unit) => {
  if (simplifiedUnits.has(unit)) return unit;
  return pairs.reduce((now, table) => table.get(now) ?? now, unit);
});

/** Replaces traditional characters, and regional variants of characters, by simplified ones. The length of the text stays the same. */
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
