import { randomBytes } from 'node:crypto';

/** The hash key. Each process has a random key of its own, so nobody can construct texts with equal hashes. */
const key = new Uint32Array(new Uint8Array(randomBytes(8)).buffer);

/**
 * The hash of a text under a key, as an unsigned integer of 32 bits: HalfSipHash-1-3 over its UTF-16 units, two at a time.
 * Source: Aumasson and Bernstein, SipHash: a fast short-input PRF, 2012, https://github.com/veorq/SipHash
 */
export function keyedHash(text: string, [k0, k1]: Uint32Array = key): number {
  let [v0, v1, v2, v3] = [k0!, k1!, 0x6c796765 ^ k0!, 0x74656462 ^ k1!];
  const pairs = text.length >> 1;
  for (let step = 0; step < pairs + 4; step++) {
    // The last part holds the length in bytes; three rounds without any part follow.
    let part = 0;
    if (step < pairs) part = text.charCodeAt(2 * step) | (text.charCodeAt(2 * step + 1) << 16);
    else if (step === pairs) part = (text.length << 25) | (text.length & 1 ? text.charCodeAt(text.length - 1) : 0);
    v3 ^= part;
    v0 = (v0 + v1) | 0;
    v1 = ((v1 << 5) | (v1 >>> 27)) ^ v0;
    v0 = (v0 << 16) | (v0 >>> 16);
    v2 = (v2 + v3) | 0;
    v3 = ((v3 << 8) | (v3 >>> 24)) ^ v2;
    v0 = (v0 + v3) | 0;
    v3 = ((v3 << 7) | (v3 >>> 25)) ^ v0;
    v2 = (v2 + v1) | 0;
    v1 = ((v1 << 13) | (v1 >>> 19)) ^ v2;
    v2 = (v2 << 16) | (v2 >>> 16);
    v0 ^= part;
    if (step === pairs) v2 ^= 0xff;
  }
  return (v1 ^ v3) >>> 0;
}
