import { createPublicKey, type KeyObject } from 'node:crypto';
import { LicenceRefusedError } from '../licensing.errors.js';

/** The settings that the licence gate reads. */
export interface LicenceSettings {
  dataDirectory: string;
  licenseKey?: string | undefined;
  licenseFile?: string | undefined;
  licenseUrl?: string | undefined;
  licensePublicKey?: string | undefined;
  licenseFingerprint?: string | undefined;
}

export interface OfflineSource {
  mode: 'offline';
  file: string;
  /** Opens an encrypted file; null with a plain one. */
  key: string | null;
  fingerprint: string | null;
  publicKey: KeyObject;
}

export interface OnlineSource {
  mode: 'online';
  endpoint: URL;
  key: string;
  fingerprint: string | null;
  publicKey: KeyObject;
  /** Where the last good answer is stored. */
  dataDirectory: string;
}

export type LicenceSource = OfflineSource | OnlineSource;

/**
 * Decides from the settings how the licence is checked: `LICENSE_FILE` means offline, and `LICENSE_KEY` then only opens an
 * encrypted file; otherwise `LICENSE_KEY` and `LICENSE_URL` mean online.
 * @throws LicenceRefusedError when they say nothing, too little or two things at once.
 */
export function chooseSource(settings: LicenceSettings): LicenceSource {
  const { licenseKey, licenseFile, licenseUrl, licenseFingerprint, dataDirectory } = settings;
  const fingerprint = licenseFingerprint ?? null;
  if (licenseFile !== undefined) {
    if (licenseUrl !== undefined) throw new LicenceRefusedError('mode_ambiguous');
    return { mode: 'offline', file: licenseFile, key: licenseKey ?? null, fingerprint, publicKey: readPublicKey(settings) };
  }
  if (licenseKey === undefined && licenseUrl === undefined) throw new LicenceRefusedError('nothing_configured');
  if (licenseKey === undefined) throw new LicenceRefusedError('key_missing');
  if (licenseUrl === undefined) throw new LicenceRefusedError('url_missing');
  const endpoint = readEndpoint(licenseUrl);
  return { mode: 'online', endpoint, key: licenseKey, fingerprint, publicKey: readPublicKey(settings), dataDirectory };
}

/** What precedes the 32 bytes of an Ed25519 key in its DER form (RFC 8410, SubjectPublicKeyInfo). */
const spkiPrefix = Buffer.from('302a300506032b6570032100', 'hex');

function readPublicKey({ licensePublicKey: hex }: LicenceSettings): KeyObject {
  if (hex === undefined) throw new LicenceRefusedError('public_key_missing');
  if (!/^[0-9a-f]{64}$/i.test(hex)) throw new LicenceRefusedError('public_key_invalid');
  try {
    return createPublicKey({ key: Buffer.concat([spkiPrefix, Buffer.from(hex, 'hex')]), format: 'der', type: 'spki' });
  } catch (cause) {
    throw new LicenceRefusedError('public_key_invalid', undefined, { cause });
  }
}

const loopback = /^(localhost|127\.\d{1,3}\.\d{1,3}\.\d{1,3}|\[::1\])$/;

function readEndpoint(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : null;
  const secure = url?.protocol === 'https:' || (url?.protocol === 'http:' && loopback.test(url.hostname));
  if (!url || !secure || url.username !== '' || url.password !== '' || url.hash !== '') throw new LicenceRefusedError('url_invalid');
  return url;
}
