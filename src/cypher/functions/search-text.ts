import { spend } from '../syntax/effort.js';

/**
 * Maximum length of a part that the JavaScript engine searches for. For each position of the text the engine may compare the whole part.
 */
const longestForEngine = 64;

/** Whether the part occurs in the text. The time grows with the sum of the lengths instead of their product. */
export function hasPart(text: string, part: string): boolean {
  if (part.length > longestForEngine) return !placesIn(text, part).next().done;
  spendOnSearch(text, part);
  return text.includes(part);
}

/** Splits a text at each occurrence of a part that is not empty. The time grows with the sum of both lengths instead of their product. */
export function piecesOf(text: string, part: string): string[] {
  if (part.length <= longestForEngine) {
    spendOnSearch(text, part);
    const pieces = text.split(part);
    spend(2 * pieces.length);
    return pieces;
  }
  const pieces: string[] = [];
  let from = 0;
  for (const place of placesIn(text, part)) {
    pieces.push(text.slice(from, place));
    from = place + part.length;
  }
  return [...pieces, text.slice(from)];
}

function spendOnSearch(text: string, part: string): void {
  spend((text.length * Math.max(part.length, 8)) / 32);
}

/**
 * Yields the positions of a part, without overlaps, by the algorithm of Knuth, Morris and Pratt, https://doi.org/10.1137/0206024. The
 * search reads each character of the text once.
 */
function* placesIn(text: string, part: string): Generator<number> {
  if (text.length < part.length) return;
  const borders = bordersOf(part);
  spend(text.length >> 1);
  let matched = 0;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    while (matched > 0 && part.charCodeAt(matched) !== unit) matched = borders[matched - 1]!;
    if (part.charCodeAt(matched) === unit) matched += 1;
    if (matched < part.length) continue;
    matched = 0;
    yield at + 1 - part.length;
  }
}

/** For each prefix of the part, the length of its longest proper prefix that is also its suffix. */
function bordersOf(part: string): Uint32Array {
  spend(part.length >> 1);
  const borders = new Uint32Array(part.length);
  let border = 0;
  for (let i = 1; i < part.length; i += 1) {
    while (border > 0 && part.charCodeAt(border) !== part.charCodeAt(i)) border = borders[border - 1]!;
    if (part.charCodeAt(border) === part.charCodeAt(i)) border += 1;
    borders[i] = border;
  }
  return borders;
}
