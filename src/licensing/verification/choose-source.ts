import { createPublicKey, type KeyObject } from 'node:crypto';
import { findLicenceConflicts, isLicenseUrl, isPublicKey } from '../../config/license-settings.js';
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
  /** The secret that opens an encrypted file; null for a plain file. */
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
  /** The directory in which the last signed approval of the licence server is stored. */
  dataDirectory: string;
}

export type LicenceSource = OfflineSource | OnlineSource;

/**
 * Decides from the settings how the licence is checked. `LICENSE_FILE` means offline, and `LICENSE_KEY` then only opens an
 * encrypted file. Without a file, `LICENSE_KEY` and `LICENSE_URL` mean online.
 * @throws LicenceRefusedError when the settings are missing, incomplete or contradictory.
 */
export function chooseSource(settings: LicenceSettings): LicenceSource {
  const { licenseKey, licenseFile, licenseUrl, licensePublicKey, licenseFingerprint, dataDirectory } = settings;
  const [conflict] = findLicenceConflicts({
    file: licenseFile !== undefined,
    url: licenseUrl !== undefined,
    key: licenseKey !== undefined,
    publicKey: licensePublicKey !== undefined,
  });
  if (conflict !== undefined) throw new LicenceRefusedError(conflict);
  if (licenseUrl !== undefined && !isLicenseUrl(licenseUrl)) throw new LicenceRefusedError('url_invalid');
  const common = { fingerprint: licenseFingerprint ?? null, publicKey: toKeyObject(licensePublicKey!) };
  if (licenseFile !== undefined) return { mode: 'offline', file: licenseFile, key: licenseKey ?? null, ...common };
  return { mode: 'online', endpoint: new URL(licenseUrl!), key: licenseKey!, dataDirectory, ...common };
}

/** The bytes before the 32 bytes of an Ed25519 key in its DER form (RFC 8410, SubjectPublicKeyInfo). */
const spkiPrefix = Buffer.from('302a300506032b6570032100', 'hex');

function toKeyObject(hex: string): KeyObject {
  if (!isPublicKey(hex)) throw new LicenceRefusedError('public_key_invalid');
  try {
    return createPublicKey({ key: Buffer.concat([spkiPrefix, Buffer.from(hex, 'hex')]), format: 'der', type: 'spki' });
  } catch (cause) {
    throw new LicenceRefusedError('public_key_invalid', undefined, { cause });
  }
}
