import { asObject, parseJsonObject } from '../json-fields.js';
import { clockSkewMs } from '../licence.js';
import { findLicensee, readLicenceRecord, withoutKey } from '../licence-record.js';
import { LicenceRefusedError } from '../../licensing.errors.js';
import { parseUtcTime } from '../parse-time.js';

export interface Expected {
  key: string;
  fingerprint: string | null;
  /** The nonce of this request; null for a stored answer, whose request is over. */
  nonce: number | null;
  /** The time of the answer from another source than its body: the current time for a fresh answer, the signed date for a stored one. */
  at: Date;
}

export interface Verdict {
  name: string | null;
  licensee: string | null;
  expiry: Date | null;
}

/**
 * Reads the body of a `validate-key` answer with a verified signature: `{meta: {ts, valid, code, nonce, scope}, data}`. The HTTP status
 * does not matter: a suspended licence is a 200 with `valid: false`.
 * @throws LicenceRefusedError unless the answer is VALID, recent, made for this request, and about this key (and this machine).
 */
export function judgeAnswer(body: Buffer, { key, fingerprint, nonce, at }: Expected): Verdict {
  const document = parseJsonObject(body);
  const meta = asObject(document?.meta);
  const madeAt = parseUtcTime(meta?.ts);
  if (!document || !meta || !madeAt || typeof meta.valid !== 'boolean' || typeof meta.code !== 'string') {
    throw new LicenceRefusedError('answer_malformed');
  }
  if (nonce !== null && meta.nonce !== nonce) throw new LicenceRefusedError('answer_replayed');
  if (Math.abs(madeAt.getTime() - at.getTime()) > clockSkewMs) throw new LicenceRefusedError('answer_not_fresh');
  if (!meta.valid || meta.code !== 'VALID') throw new LicenceRefusedError('not_valid', /^[A-Z_]{1,40}$/.exec(meta.code)?.[0]);
  if (fingerprint !== null && asObject(meta.scope)?.fingerprint !== fingerprint) throw new LicenceRefusedError('fingerprint_mismatch');

  const data = asObject(document.data);
  if (data?.type !== 'licenses') throw new LicenceRefusedError('answer_malformed');
  const record = readLicenceRecord(data, 'answer_malformed');
  // The nonce shows that the answer is new, but not which key it is about. An attacker between the service and the server could have asked
  // about another key.
  if (record.key !== key) throw new LicenceRefusedError('answer_for_other_key');
  if (record.suspended) throw new LicenceRefusedError('suspended');
  return { name: withoutKey(record.name, key), licensee: withoutKey(findLicensee(document), key), expiry: record.expiry };
}
