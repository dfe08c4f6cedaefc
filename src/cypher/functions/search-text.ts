import { spend } from '../syntax/effort.js';

/** The engine's own search may compare the whole part at each place of the text, which is bearable up to this length. */
const longestForEngine = 64;

/** Whether the part occurs. The time grows with the lengths, and not with their product. */
export function hasPart(text: string, part: string): boolean {
  if (part.length > longestForEngine) return !placesIn(text, part).next().done;
  spendOnSearch(text, part);
  return text.includes(part);
}

/** What stands before, between and behind the places of a part that is not empty. Likewise. */
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

/** The places without overlaps, by Knuth, Morris and Pratt, https://doi.org/10.1137/0206024: no character is read twice. */
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

/** For each beginning of the part, the length of the longest shorter beginning that it ends with. */
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
