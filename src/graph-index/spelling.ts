/** A shorter word is too easily another word, so it is not corrected. */
const shortestCorrected = 4;

/** The number of edits that a word of this length may be away from the intended one: none, 1, or 2 from eight letters on. */
export function allowedEdits(length: number): 0 | 1 | 2 {
  if (length < shortestCorrected) return 0;
  return length < 8 ? 1 : 2;
}

/** One bit for each letter; other characters share six bits. One edit changes at most two bits, so masks rule most words out. */
export function letterMask(word: string): number {
  let mask = 0;
  for (let i = 0; i < word.length; i++) {
    const code = word.charCodeAt(i) - 97;
    mask |= 1 << (code >= 0 && code < 26 ? code : 26 + (word.charCodeAt(i) % 6));
  }
  return mask >>> 0;
}

function countBits(value: number): number {
  let v = value - ((value >>> 1) & 0x55555555);
  v = (v & 0x33333333) + ((v >>> 2) & 0x33333333);
  return (((v + (v >>> 4)) & 0x0f0f0f0f) * 0x01010101) >>> 24;
}

/** False only if the words are certainly more than `edits` apart. */
export function mayBeWithin(maskA: number, maskB: number, edits: number): boolean {
  return countBits((maskA ^ maskB) >>> 0) <= 2 * edits;
}
