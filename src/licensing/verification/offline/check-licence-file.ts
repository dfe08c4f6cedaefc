import { verify } from 'node:crypto';
import { type OfflineSource } from '../choose-source.js';
import { asObject, type JsonObject } from '../json-fields.js';
import { judgeClock } from '../judge-clock.js';
import { clockSkewMs, dayMs, earlier, type LicenceProof } from '../licence.js';
import { findLicensee, findResources, readLicenceRecord, withoutKey } from '../licence-record.js';
import { LicenceRefusedError } from '../../licensing.errors.js';
import { parseUtcTime } from '../parse-time.js';
import { decodePayload, decryptPayload } from './open-payload.js';
import { type Certificate, parseCertificate } from './parse-certificate.js';
import { readBoundedFile } from './read-bounded-file.js';

export const maxFileBytes = 64 * 1024;

/** The time in ms for which an expired licence file is still accepted, as in Keygen's own gate. */
export const expiredGraceMs = 30 * dayMs;

interface Times {
  now: Date;
  latestSeen: Date | null;
}

/**
 * Proves a licence from a file in Keygen's format, without network access.
 * @throws LicenceRefusedError
 */
export async function checkLicenceFile(source: OfflineSource, now: Date, latestSeen: Date | null): Promise<LicenceProof> {
  const certificate = parseCertificate(await readText(source.file));
  const { kind, enc, signature } = certificate;
  // The signature covers the encoded text, so it is checked before the content is read. The prefix `kind` is part of the signed text, so
  // that a signature for one kind of file is not valid for the other kind.
  if (!verify(null, Buffer.from(`${kind}/${enc}`), source.publicKey, signature)) throw new LicenceRefusedError('signature_invalid');
  return judgePayload(openCertificate(certificate, source), certificate, source, { now, latestSeen });
}

async function readText(file: string): Promise<string> {
  const bytes = await readBoundedFile(file, maxFileBytes);
  if (typeof bytes === 'string') throw new LicenceRefusedError(`file_${bytes}`);
  if (bytes.length === 0) throw new LicenceRefusedError('file_empty');
  return bytes.toString('latin1');
}

function openCertificate({ kind, enc, encrypted }: Certificate, { key, fingerprint }: OfflineSource): JsonObject {
  if (kind === 'machine' && fingerprint === null) throw new LicenceRefusedError('fingerprint_missing');
  if (kind === 'license' && fingerprint !== null) throw new LicenceRefusedError('fingerprint_unexpected');
  if (!encrypted) {
    if (key !== null) throw new LicenceRefusedError('key_unexpected');
    return decodePayload(enc);
  }
  if (key === null) throw new LicenceRefusedError('key_needed');
  return decryptPayload(enc, kind === 'machine' ? key + fingerprint! : key);
}

function judgePayload(
  payload: JsonObject,
  { kind }: Certificate,
  { key, fingerprint }: OfflineSource,
  { now, latestSeen }: Times,
): LicenceProof {
  const data = asObject(payload.data);
  if (data?.type !== `${kind}s`) throw new LicenceRefusedError('payload_malformed');
  if (kind === 'machine' && asObject(data.attributes)?.fingerprint !== fingerprint) throw new LicenceRefusedError('fingerprint_mismatch');

  const records = findResources(payload, 'licenses').map(resource => readLicenceRecord(resource, 'payload_malformed'));
  const { issued, expiry: fileExpiry } = readTerms(payload);
  if (issued.getTime() - now.getTime() > clockSkewMs) throw new LicenceRefusedError('clock_set_back', issued.toISOString());
  const at = judgeClock(now, latestSeen);
  if (records.some(record => record.suspended)) throw new LicenceRefusedError('suspended');

  // The file expires with its own term or with the term of its licence, whichever ends first.
  const expiry = records.reduce((end, record) => earlier(end, record.expiry), fileExpiry);
  const holdsUntil = expiry && new Date(expiry.getTime() + expiredGraceMs);
  if (holdsUntil && at >= holdsUntil) throw new LicenceRefusedError('expired', expiry.toISOString());
  const expired = expiry !== null && at > expiry;
  const secrets = [key, ...records.map(record => record.key)];
  return {
    mode: 'offline',
    status: expired ? 'grace' : 'valid',
    name: withoutKey(records[0]?.name ?? null, ...secrets),
    licensee: withoutKey(findLicensee(payload), ...secrets),
    issued,
    expiry,
    holdsUntil,
    warnings: expired ? [expiredWarning(expiry, holdsUntil!)] : [],
  };
}

/** Reads `meta` of the payload. If `meta` has a time to live (seconds) but no expiry, the expiry is computed from the time to live. */
function readTerms(payload: JsonObject): { issued: Date; expiry: Date | null } {
  const { issued: issuedText, expiry: expiryText, ttl } = asObject(payload.meta) ?? {};
  const issued = parseUtcTime(issuedText);
  const expiry = parseUtcTime(expiryText);
  const unreadable = issued === null || (expiry === null && expiryText !== null);
  if (unreadable || !(ttl === null || (Number.isSafeInteger(ttl) && (ttl as number) > 0)))
    throw new LicenceRefusedError('payload_malformed');
  if (expiry !== null && expiry <= issued) throw new LicenceRefusedError('payload_malformed');
  if (expiry !== null || ttl === null) return { issued, expiry };
  const byLifetime = new Date(issued.getTime() + (ttl as number) * 1000);
  if (Number.isNaN(byLifetime.getTime())) throw new LicenceRefusedError('payload_malformed');
  return { issued, expiry: byLifetime };
}

function expiredWarning(expiry: Date, holdsUntil: Date): string {
  const [ended, stops] = [expiry.toISOString(), holdsUntil.toISOString()];
  return (
    `许可证已于 ${ended} 过期，服务可用至 ${stops}，请尽快更换 LICENSE_FILE / ` +
    `The licence expired at ${ended}; the service runs until ${stops}: replace LICENSE_FILE`
  );
}
