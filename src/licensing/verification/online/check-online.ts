import { randomInt } from 'node:crypto';
import { type OnlineSource } from '../choose-source.js';
import { clockSkewMs, dayMs, earlier, type LicenceProof } from '../licence.js';
import { judgeClock } from '../judge-clock.js';
import { LicenceRefusedError } from '../../licensing.errors.js';
import { type AskLimits, askLicenseServer, type ServerAnswer } from './ask-license-server.js';
import { judgeAnswer, type Verdict } from './judge-answer.js';
import { forgetAnswer, readStoredAnswer, storeAnswer } from './stored-answer.js';
import { type SignedAnswer, verifySignedAnswer } from './verify-signed-answer.js';

/** The time in ms for which one signed answer lets the service run while the licence server cannot be reached. */
export const answerHoldsMs = 7 * dayMs;

const maxNonce = 2 ** 48 - 1;
const json = /^application\/(?:[a-z0-9.-]+\+)?json\s*(?:;|$)/i;

/**
 * Proves a licence by asking Keygen's `validate-key`. If the licence server cannot be reached, its last signed answer counts.
 * @throws LicenceRefusedError
 */
export async function checkOnline(
  source: OnlineSource,
  now: Date,
  { latestSeen, limits }: { latestSeen: Date | null; limits: AskLimits },
): Promise<LicenceProof> {
  const { endpoint, key, fingerprint, publicKey, dataDirectory } = source;
  const nonce = randomInt(1, maxNonce);
  const scope = fingerprint === null ? {} : { scope: { fingerprint } };
  const answer = await askLicenseServer(endpoint, { meta: { key, nonce, ...scope } }, limits);
  if ('unreachable' in answer) return proveFromStore(source, { now, latestSeen }, answer.unreachable);

  const signed = readSigned(answer);
  const signedAt = verifySignedAnswer(signed, endpoint, publicKey);
  if (Math.abs(signedAt.getTime() - now.getTime()) > clockSkewMs) throw new LicenceRefusedError('answer_not_fresh');
  try {
    const verdict = judgeAnswer(signed.body, { key, fingerprint, nonce, at: now });
    const proof = toProof(verdict, signedAt, now);
    const stored = await storeAnswer(dataDirectory, key, signed).then(
      () => true,
      () => false,
    );
    return stored ? proof : { ...proof, warnings: [notStored] };
  } catch (error) {
    if (error instanceof LicenceRefusedError && endsTheLicence(error)) await forgetAnswer(dataDirectory).catch(() => {});
    throw error;
  }
}

/** Whether the licensor has signed the refusal. Such a refusal withdraws an earlier signed approval. */
export function endsTheLicence({ reason }: LicenceRefusedError): boolean {
  return reason === 'not_valid' || reason === 'suspended';
}

function readSigned({ status, headers, body }: ServerAnswer): SignedAnswer {
  if (status >= 300 && status < 400) throw new LicenceRefusedError('server_redirect', `HTTP ${status}`);
  if (status !== 200) throw new LicenceRefusedError('server_status', `HTTP ${status}`);
  if (!json.test(headers['content-type'] ?? '')) throw new LicenceRefusedError('answer_not_json');
  // Proxies such as nginx replace the Date header. Keygen repeats the signed values in headers whose names begin with `keygen-`.
  const date = header(headers['keygen-date']) ?? headers.date;
  const digest = header(headers['keygen-digest']) ?? header(headers.digest);
  const signature = header(headers['keygen-signature']);
  if (date === undefined || digest === undefined || signature === undefined) throw new LicenceRefusedError('answer_unsigned');
  return { date, digest, signature, body };
}

function header(value: string | string[] | undefined): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function toProof({ name, licensee, expiry }: Verdict, signedAt: Date, now: Date): LicenceProof {
  if (expiry !== null && now > expiry) throw new LicenceRefusedError('expired', expiry.toISOString());
  const holdsUntil = earlier(expiry, new Date(signedAt.getTime() + answerHoldsMs));
  return { mode: 'online', status: 'valid', name, licensee, issued: signedAt, expiry, holdsUntil, warnings: [] };
}

async function proveFromStore(
  { endpoint, key, fingerprint, publicKey, dataDirectory }: OnlineSource,
  { now, latestSeen }: { now: Date; latestSeen: Date | null },
  cause: string,
) {
  const stored = await readStoredAnswer(dataDirectory, key);
  if (stored === null) throw new LicenceRefusedError('server_unreachable', cause);
  try {
    const signedAt = verifySignedAnswer(stored, endpoint, publicKey);
    if (signedAt.getTime() - now.getTime() > clockSkewMs) throw new LicenceRefusedError('answer_not_fresh');
    const at = judgeClock(now, latestSeen);
    if (at.getTime() - signedAt.getTime() > answerHoldsMs) throw new LicenceRefusedError('answer_not_fresh');
    const verdict = judgeAnswer(stored.body, { key, fingerprint, nonce: null, at: signedAt });
    const proof = toProof(verdict, signedAt, at);
    return { ...proof, status: 'grace', warnings: [storedWarning(cause, proof.holdsUntil!)] } satisfies LicenceProof;
  } catch (error) {
    if (!(error instanceof LicenceRefusedError)) throw error;
    throw new LicenceRefusedError('server_unreachable', `${cause}, ${error.reason}`, { cause: error });
  }
}

const notStored =
  '许可证服务器的应答无法存入 DATA_DIR，服务器不可达时将无法启动 / ' +
  'The answer of the licence server cannot be stored in DATA_DIR: without the server the service will not start';

function storedWarning(cause: string, holdsUntil: Date): string {
  const stops = holdsUntil.toISOString();
  return (
    `无法连接许可证服务器（${cause}），凭最近一次应答可用至 ${stops} / ` +
    `The licence server cannot be reached (${cause}); its last answer holds until ${stops}`
  );
}
