import { createDecipheriv, createHash } from 'node:crypto';
import { decodeBase64 } from '../decode-base64.js';
import { type JsonObject, parseJsonObject } from '../json-fields.js';
import { LicenceRefusedError } from '../../licensing.errors.js';

/** Decodes `enc` of a plain certificate with a verified signature. */
export function decodePayload(enc: string): JsonObject {
  const bytes = decodeBase64(enc);
  const payload = bytes && parseJsonObject(bytes);
  if (!payload) throw new LicenceRefusedError('payload_malformed');
  return payload;
}

/**
 * Decrypts `enc` of an encrypted certificate: `ciphertext.iv.tag` in base64, AES-256-GCM without additional data, with the SHA-256 of the
 * secret as the key (https://keygen.sh/docs/api/cryptography/#cryptographic-lic-decrypt).
 * @param secret The licence key; for a machine file followed by the fingerprint.
 */
export function decryptPayload(enc: string, secret: string): JsonObject {
  const [ciphertext, iv, tag, ...more] = enc.split('.').map(decodeBase64);
  // Only full tags of 16 bytes are accepted: GCM allows shorter tags, which are easier to guess.
  if (!ciphertext || iv?.length !== 12 || tag?.length !== 16 || more.length > 0) throw new LicenceRefusedError('payload_malformed');
  let plain: Buffer;
  try {
    const decipher = createDecipheriv('aes-256-gcm', createHash('sha256').update(secret).digest(), iv, { authTagLength: 16 });
    decipher.setAuthTag(tag);
    plain = Buffer.concat([decipher.update(ciphertext), decipher.final()]);
  } catch {
    throw new LicenceRefusedError('decryption_failed');
  }
  const payload = parseJsonObject(plain);
  if (!payload) throw new LicenceRefusedError('payload_malformed');
  return payload;
}
