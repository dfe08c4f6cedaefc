import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { crc32 } from 'node:zlib';

/*
 * An API key is gsk_<8 public id>_<43 secret><6 checksum>, all base62. The public id finds the record. The checksum distinguishes junk from
 * keys without a query. The secret has 256 bits, so a fast hash keeps it safe.
 */

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const publicIdLength = 8;
const secretLength = 43;
const checksumLength = 6;
const shape = new RegExp(`^gsk_([0-9A-Za-z]{${publicIdLength}})_([0-9A-Za-z]{${secretLength}})([0-9A-Za-z]{${checksumLength}})$`);

export interface NewApiKey {
  rawKey: string;
  publicId: string;
  secretHash: Buffer;
}

export interface ParsedApiKey {
  publicId: string;
  secretHash: Buffer;
}

/** Makes a new key. A rotation passes the public id of the old key, which the new key keeps. */
export function createApiKey(publicId = randomBase62(publicIdLength)): NewApiKey {
  const secret = randomBase62(secretLength);
  const rawKey = `gsk_${publicId}_${secret}${checksum(publicId, secret)}`;
  return { rawKey, publicId, secretHash: hashSecret(secret) };
}

/** Splits a key into its parts. Returns null, without a query, for a text that cannot be a key of this service. */
export function parseApiKey(text: string): ParsedApiKey | null {
  const [, publicId, secret, sum] = shape.exec(text) ?? [];
  if (publicId === undefined || secret === undefined || sum !== checksum(publicId, secret)) return null;
  return { publicId, secretHash: hashSecret(secret) };
}

/** Compares two hashes of secrets in constant time. */
export function isSameSecret(given: Buffer, stored: Buffer): boolean {
  return given.length === stored.length && timingSafeEqual(given, stored);
}

function hashSecret(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}

function checksum(publicId: string, secret: string): string {
  let rest = crc32(`${publicId}_${secret}`);
  let text = '';
  for (let index = 0; index < checksumLength; index++) {
    text = alphabet[rest % alphabet.length]! + text;
    rest = Math.floor(rest / alphabet.length);
  }
  return text;
}

/** A random text of letters and digits. Bytes of 248 and above are drawn again, so that every character is equally likely. */
function randomBase62(length: number): string {
  let text = '';
  while (text.length < length) {
    for (const byte of randomBytes(length)) {
      if (byte < 248 && text.length < length) text += alphabet[byte % alphabet.length]!;
    }
  }
  return text;
}
