import { createHash, type KeyObject, verify } from 'node:crypto';
import { decodeBase64 } from '../decode-base64.js';
import { LicenceRefusedError } from '../../licensing.errors.js';
import { parseHttpDate } from '../parse-time.js';

/** The signed parts of an answer of the licence server, and their signature. */
export interface SignedAnswer {
  /** The text of the date header, exactly as signed. */
  date: string;
  digest: string;
  signature: string;
  body: Buffer;
}

/**
 * Verifies Keygen's response signature (https://keygen.sh/docs/api/signatures/#response-signatures, after
 * draft-cavage-http-signatures): Ed25519 over request target, host, date and the SHA-256 digest of the body.
 * @returns the time when the server signed it.
 * @throws LicenceRefusedError answer_unsigned, answer_digest_mismatch, answer_malformed or signature_invalid.
 */
export function verifySignedAnswer(answer: SignedAnswer, endpoint: URL, publicKey: KeyObject): Date {
  const digest = `sha-256=${createHash('sha256').update(answer.body).digest('base64')}`;
  if (answer.digest !== digest) throw new LicenceRefusedError('answer_digest_mismatch');
  const signature = readSignature(answer.signature);
  const signedAt = parseHttpDate(answer.date);
  if (!signedAt) throw new LicenceRefusedError('answer_malformed', 'date');
  // Keygen signs the host without its port, but its published clients expect the port. Both name the same server.
  const genuine = [...new Set([endpoint.host, endpoint.hostname])].some(host => {
    const target = `post ${endpoint.pathname}${endpoint.search}`;
    const signed = `(request-target): ${target}\nhost: ${host}\ndate: ${answer.date}\ndigest: ${digest}`;
    return verify(null, Buffer.from(signed), publicKey, signature);
  });
  if (!genuine) throw new LicenceRefusedError('signature_invalid');
  return signedAt;
}

const parameter = /\s*([a-z]+)="([^"]*)"\s*(?:,|$)/gy;
const maxHeaderCharacters = 4096;

/**
 * Reads the signature bytes from a header such as `keyid="…", algorithm="ed25519", signature="…", headers="(request-target) host date
 * digest"`. @throws LicenceRefusedError
 */
function readSignature(header: string): Buffer {
  const parameters = new Map<string, string>();
  let end = 0;
  if (header.length <= maxHeaderCharacters) {
    for (const match of header.matchAll(parameter)) {
      if (parameters.has(match[1]!)) throw new LicenceRefusedError('answer_malformed', 'signature');
      parameters.set(match[1]!, match[2]!);
      end = match.index + match[0].length;
    }
  }
  // The server must not choose which parts are signed or with which algorithm, so any other form of the header is refused.
  const expected = parameters.get('algorithm') === 'ed25519' && parameters.get('headers') === '(request-target) host date digest';
  const signature = decodeBase64(parameters.get('signature') ?? '');
  if (end !== header.length || !expected || signature?.length !== 64) throw new LicenceRefusedError('answer_malformed', 'signature');
  return signature;
}
