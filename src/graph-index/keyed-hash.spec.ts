import { hashText } from './fnv.js';
import { keyedHash } from './keyed-hash.js';

describe('keyedHash', () => {
  it('gives the values of the reference', () => {
    // Source: the 32-bit test_vectors_hsiphash in lib/tests/siphash_kunit.c of Linux. Only the vectors with an even number of bytes are
    // used, since a text has two bytes a unit.
    const expected = [
      0x5814c896, 0xbc4b0e30, 0x7e059ea6, 0xa0080b65, 0x577999b1, 0xe4fa32cf, 0x6b28096c, 0x16658a7c, 0x8b31d501, 0x06712339,
    ];
    const key = new Uint32Array([0x03020100, 0x07060504]);
    const textOf = (units: number) => String.fromCharCode(...Array.from({ length: units }, (_, i) => 2 * i + ((2 * i + 1) << 8)));
    expect(expected.map((_, units) => keyedHash(textOf(units), key))).toEqual(expected);
  });

  it('differs for texts that were made to have one hash of FNV-1a', () => {
    const alike = textsOfOneHash(5);
    expect(new Set(alike.map(hashText)).size).toBe(1);
    // The probability that two of 32 random hashes of 32 bits are equal is one in nine million.
    expect(new Set(alike.map(text => keyedHash(text))).size).toBe(alike.length);
  });
});

/**
 * Returns 2^stages texts with the same hash: each stage appends one of two endings that lead to the same hash. Source: Joux,
 * Multicollisions in Iterated Hash Functions, 2004.
 */
function textsOfOneHash(stages: number): string[] {
  let texts = [''];
  for (let stage = 0; stage < stages; stage++) {
    const endings = new Map<number, string>();
    for (let i = 0; ; i++) {
      const mixed = Math.imul(i, 0x9e3779b1);
      const ending = String.fromCharCode(mixed & 0xffff, mixed >>> 16, i & 0xff);
      const hash = hashText(texts[0]! + ending);
      const other = endings.get(hash);
      if (other !== undefined) {
        texts = texts.flatMap(text => [text + other, text + ending]);
        break;
      }
      endings.set(hash, ending);
    }
  }
  return texts;
}
