import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { parseJsonObject } from '../json-fields.js';
import { readBoundedFile } from '../offline/read-bounded-file.js';
import { type SignedAnswer } from './verify-signed-answer.js';

const fileName = 'license-answer';
const maxStoredBytes = 256 * 1024;
const ivBytes = 12;
const tagBytes = 16;

/**
 * Stores the last signed approval of the licence server under DATA_DIR. The answer quotes the licence key, so the file is readable only by
 * its owner, and is encrypted (AES-256-GCM) with a key derived from the licence key. The encryption proves nothing about the answer: a
 * stored answer must be verified like a fresh one.
 */
export async function storeAnswer(dataDirectory: string, licenceKey: string, answer: SignedAnswer): Promise<void> {
  const iv = randomBytes(ivBytes);
  const cipher = createCipheriv('aes-256-gcm', sealingKey(licenceKey), iv);
  const text = JSON.stringify({ ...answer, body: answer.body.toString('base64') });
  const sealed = Buffer.concat([iv, cipher.update(text), cipher.final(), cipher.getAuthTag()]);
  await mkdir(dataDirectory, { recursive: true, mode: 0o711 });
  const file = path.join(dataDirectory, fileName);
  const fresh = `${file}.${randomBytes(6).toString('hex')}`;
  try {
    await writeFile(fresh, sealed, { mode: 0o600, flag: 'wx' });
    await rename(fresh, file);
  } catch (error) {
    await rm(fresh, { force: true });
    throw error;
  }
}

/** The stored answer; null if there is none, or if this licence key does not decrypt it. */
export async function readStoredAnswer(dataDirectory: string, licenceKey: string): Promise<SignedAnswer | null> {
  const sealed = await readBoundedFile(path.join(dataDirectory, fileName), maxStoredBytes);
  if (typeof sealed === 'string' || sealed.length < ivBytes + tagBytes) return null;
  try {
    const decipher = createDecipheriv('aes-256-gcm', sealingKey(licenceKey), sealed.subarray(0, ivBytes));
    decipher.setAuthTag(sealed.subarray(-tagBytes));
    const { date, digest, signature, body } =
      parseJsonObject(Buffer.concat([decipher.update(sealed.subarray(ivBytes, -tagBytes)), decipher.final()])) ?? {};
    if ([date, digest, signature, body].some(field => typeof field !== 'string')) return null;
    return { date, digest, signature, body: Buffer.from(body as string, 'base64') } as SignedAnswer;
  } catch {
    return null;
  }
}

/** Removes the stored answer after a signed refusal. Otherwise unplugging the network would bring a withdrawn licence back. */
export async function forgetAnswer(dataDirectory: string): Promise<void> {
  await rm(path.join(dataDirectory, fileName), { force: true });
}

function sealingKey(licenceKey: string): Buffer {
  return Buffer.from(hkdfSync('sha256', licenceKey, 'graph-service', 'stored licence answer', 32));
}
