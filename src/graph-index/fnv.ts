/* FNV-1a, http://www.isthe.com/chongo/tech/comp/fnv: 32 bits, over code units or bytes. */

const offset = 0x811c9dc5;
const prime = 0x01000193;

/** The hash of a text, as an unsigned integer of 32 bits. */
export function hashText(text: string): number {
  let hash = offset;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), prime);
  return hash >>> 0;
}

/** The hash of bytes, as an unsigned integer of 32 bits. */
export function hashBytes(bytes: Uint8Array): number {
  let hash = offset;
  for (const byte of bytes) hash = Math.imul(hash ^ byte, prime);
  return hash >>> 0;
}

/** Two independent hashes of a name. Together they distinguish a hundred million names without storing them. */
export function hashName(text: string): [number, number] {
  let a = offset;
  let b = 0x050c5d1f;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    a = Math.imul(a ^ code, prime);
    b = Math.imul(b ^ (code + i), prime);
  }
  return [a >>> 0, b >>> 0];
}
