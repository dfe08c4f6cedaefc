import { decodeBase64 } from '../decode-base64.js';
import { parseJsonObject } from '../json-fields.js';
import { LicenceRefusedError } from '../../licensing.errors.js';

export type CertificateKind = 'license' | 'machine';

/** The envelope of a licence file. Only `enc` is signed; `alg` is unproven. */
export interface Certificate {
  kind: CertificateKind;
  /** The encoded or encrypted content of the file, exactly as signed. */
  enc: string;
  /** Ed25519 signature, 64 bytes. */
  signature: Buffer;
  encrypted: boolean;
}

const frame = /^-----BEGIN (LICENSE|MACHINE) FILE-----\r?\n((?:[A-Za-z0-9+/=]+\r?\n)+)-----END (LICENSE|MACHINE) FILE-----(?:\r?\n)*$/;

/**
 * Reads the text of a licence or machine file: `{"enc", "sig", "alg"}` as base64 in lines, between a begin mark and an end mark
 * (https://keygen.sh/docs/api/cryptography/#cryptographic-lic). A file that names a weaker algorithm is refused.
 * @throws LicenceRefusedError file_malformed or algorithm_refused.
 */
export function parseCertificate(text: string): Certificate {
  const match = frame.exec(text);
  if (!match || match[1] !== match[3]) throw new LicenceRefusedError('file_malformed');
  const json = decodeBase64(match[2]!.replace(/\r?\n/g, ''));
  const envelope = json && parseJsonObject(json);
  const { enc, sig, alg } = envelope ?? {};
  if (typeof enc !== 'string' || typeof sig !== 'string' || typeof alg !== 'string') throw new LicenceRefusedError('file_malformed');
  if (alg !== 'base64+ed25519' && alg !== 'aes-256-gcm+ed25519') throw new LicenceRefusedError('algorithm_refused');
  const signature = decodeBase64(sig);
  if (signature?.length !== 64) throw new LicenceRefusedError('file_malformed');
  return { kind: match[1] === 'LICENSE' ? 'license' : 'machine', enc, signature, encrypted: alg.startsWith('aes') };
}
