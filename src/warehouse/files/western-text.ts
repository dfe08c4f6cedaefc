import { isUtf8 } from 'node:buffer';

/** The most bytes before and behind a letter beyond ASCII that are shown with it. */
const mostShown = 40;

/** Characters of windows-1252 at 0x80 to 0x9f, by the WHATWG Encoding Standard; five bytes without a character stay control characters. */
const windows1252 = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ';

/** Converts a chunk to UTF-8. Every byte is one character, so a chunk may be cut anywhere. */
export function decodeSingleBytes(bytes: Buffer, encoding: 'windows-1252' | 'iso-8859-1'): Buffer {
  const text = bytes.toString('latin1');
  if (encoding === 'iso-8859-1') return Buffer.from(text);
  return Buffer.from(text.replace(/[\u0080-\u009f]/g, character => toCharacter(character.charCodeAt(0))));
}

function toCharacter(byte: number): string {
  return windows1252[byte - 0x80] ?? String.fromCharCode(byte);
}

/** Whether a byte is rare in windows-1252 texts. Texts in Shift-JIS and in the Cyrillic code pages of DOS have many such bytes. */
const isRare = (byte: number): boolean =>
  (byte >= 0x81 && byte <= 0x90 && byte !== 0x85 && byte !== 0x8a && byte !== 0x8c) || byte === 0x9d;

/** The letters of windows-1252 beyond ASCII, by case. */
const small = /[ªµºß-öø-ÿšœž]/;
const capital = /[À-ÖØ-ÞŠŒŽŸ]/;
/** Signs that hardly stand directly before a letter. The most frequent characters of Big5 begin with their bytes. */
const apart = /[¢-¦¨¬¯±¶¸¼-¾]/;
/** Signs that stand before a letter only within a word, such as `geht´s`, `3×a` and `m²pro`. */
const inner = /[\u00ad®²-´¹×÷]/;

/** Whether the character of the byte at `at` stands where western texts have it: capitals begin words, or parts such as in `preisÄnderung`. */
function fitsWord(sample: Buffer, at: number): boolean {
  const [before, byte, after] = [sample[at - 1], sample[at]!, sample[at + 1]];
  const character = toCharacter(byte);
  if (small.test(character)) return true;
  if (capital.test(character)) return !isSmallLetter(before) || (byte >= 0xc0 && isSmallLetter(after));
  if (!isLetter(after)) return true;
  // The sign stands before names such as `©ACME`. In GBK its byte and the letter O are `㎡`, mostly behind a number.
  if (character === '©') return !isLetter(before) && !isDigit(before) && isLetter(sample[at + 2]);
  return inner.test(character) ? isLetter(before) || isDigit(before) : !apart.test(character);
}

const noBreakSpace = 0xa0;
const wordEnd = /[\t-\r ,;|"]/;

/** The byte of ß in windows-1252. With a quotation mark after it, it is also a valid UTF-8 character, but one of the rare script N'Ko. */
const sharpS = 0xdf;

/**
 * Returns whether a text that is not UTF-8 is probably windows-1252: its accented letters stand alone or among ASCII letters, and hardly a
 * capital at the end of a word, or a sign directly before a letter, as in `½s` of Big5. In the multi-byte encodings of Asia, and in the
 * code pages of other alphabets, several high bytes follow each other. A text with valid UTF-8 characters beyond ASCII is probably UTF-8
 * with some broken bytes, because hardly any windows-1252 word looks like a UTF-8 character. It is not western: as windows-1252, all these
 * letters would be wrong.
 */
export function looksWestern(sample: Buffer): boolean {
  if (isUtf8(wholeCharacters(sample))) return false;
  let runs = 0;
  let western = 0;
  for (let at = 0; at < sample.length; at++) {
    const start = at;
    while (at < sample.length && sample[at]! >= 0x80) if (isRare(sample[at++]!)) return false;
    if (at === start) continue;
    if (sample[start] !== sharpS && isUtf8(sample.subarray(start, at))) return false;
    runs++;
    if (!fitsWord(sample, start)) continue;
    if (at - start === 1 || (at - start <= 3 && isLetter(sample[start - 1]) && isLetter(sample[at]))) western++;
  }
  return western >= runs * 0.8;
}

/**
 * The first word beyond ASCII of a text that `looksWestern`, with its 1-based line: the evidence for the guess. Its words end at blanks and
 * separators of ASCII. A word with no other sign beyond ASCII than no-break spaces, such as a number, is given only if there is no other.
 */
export function westernWord(sample: Buffer): { line: number; word: string } {
  const visible = sample.findIndex(byte => byte >= 0x80 && byte !== noBreakSpace);
  const first = visible === -1 ? sample.indexOf(noBreakSpace) : visible;
  const before = sample
    .toString('latin1', Math.max(0, first - mostShown), first)
    .split(wordEnd)
    .at(-1)!;
  const behind = sample.toString('latin1', first, first + mostShown).split(wordEnd)[0]!;
  return {
    line: sample.toString('latin1', 0, first).split('\n').length,
    word: decodeSingleBytes(Buffer.from(before + behind, 'latin1'), 'windows-1252').toString(),
  };
}

function isSmallLetter(byte: number | undefined): boolean {
  return byte !== undefined && byte >= 97 && byte <= 122;
}

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= 48 && byte <= 57;
}

function isLetter(byte: number | undefined): boolean {
  return byte !== undefined && (byte | 32) >= 97 && (byte | 32) <= 122;
}

/** Returns `bytes` without an incomplete UTF-8 character at the end. */
function wholeCharacters(bytes: Buffer): Buffer {
  for (let back = 1; back <= 3 && back <= bytes.length; back++) {
    const byte = bytes[bytes.length - back]!;
    if (byte >= 0xc0) return back < (byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2) ? bytes.subarray(0, bytes.length - back) : bytes;
    if (byte < 0x80) return bytes;
  }
  return bytes;
}
