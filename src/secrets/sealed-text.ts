import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

const version = 'v1';
const algorithm = 'aes-256-gcm';
const nonceBytes = 12;
const tagBytes = 16;

/** A key that encrypts texts. Its id is part of each text that it encrypted, and reveals nothing about the key. */
export interface SealingKey {
  id: string;
  key: Buffer;
}

/** Derives the key and its id from a secret of any length, with HKDF (RFC 5869). */
export function sealingKey(secret: string): SealingKey {
  const derive = (purpose: string, bytes: number): Buffer => Buffer.from(hkdfSync('sha256', secret, '', `graph-service ${purpose}`, bytes));
  return { id: derive('key id', 6).toString('base64url'), key: derive('sealing key', 32) };
}

/**
 * Encrypts a text as `v1:key_id:nonce:ciphertext:tag`, each part in base64url.
 * @param owner the place where the text belongs, such as `connection 7`; with another owner the text cannot be decrypted
 */
export function seal(text: string, owner: string, { id, key }: SealingKey): string {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv(algorithm, key, nonce, { authTagLength: tagBytes }).setAAD(Buffer.from(owner));
  const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return [version, id, ...[nonce, sealed, cipher.getAuthTag()].map(part => part.toString('base64url'))].join(':');
}

/** The id of the key that encrypted the text; null for a text that `seal` has not made. */
export function keyIdOf(sealed: string): string | null {
  const parts = sealed.split(':');
  return parts.length === 5 && parts[0] === version ? parts[1]! : null;
}

/** Decrypts a text of `seal`. @throws Error if the text was encrypted with another key or for another owner, or was changed */
export function open(sealed: string, owner: string, { key }: SealingKey): string {
  const [, , nonce, text, tag] = sealed.split(':').map(part => Buffer.from(part, 'base64url'));
  const decipher = createDecipheriv(algorithm, key, nonce!, { authTagLength: tagBytes }).setAAD(Buffer.from(owner)).setAuthTag(tag!);
  return Buffer.concat([decipher.update(text!), decipher.final()]).toString('utf8');
}
