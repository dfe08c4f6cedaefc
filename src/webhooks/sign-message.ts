import { createHmac, randomBytes } from 'node:crypto';

const prefix = 'whsec_';
/** Minimum and maximum number of bytes of a secret, see https://www.standardwebhooks.com/ */
const [minBytes, maxBytes] = [24, 64];

export function newSecret(): string {
  return prefix + randomBytes(32).toString('base64');
}

/** Whether a text is `whsec_` followed by the base64 form of 24 to 64 bytes. */
export function isSecret(text: string): boolean {
  const key = Buffer.from(text.slice(prefix.length), 'base64');
  return text.startsWith(prefix) && prefix + key.toString('base64') === text && key.length >= minBytes && key.length <= maxBytes;
}

/**
 * Returns the headers of one attempt, with one signature for each secret as Standard Webhooks specifies. `seconds` is the time of the
 * attempt in Unix seconds.
 */
export function signatureHeaders(secrets: string[], id: string, seconds: number, body: string): Record<string, string> {
  const signatures = secrets.map(secret => {
    const key = Buffer.from(secret.slice(prefix.length), 'base64');
    return `v1,${createHmac('sha256', key).update(`${id}.${seconds}.${body}`).digest('base64')}`;
  });
  return { 'webhook-id': id, 'webhook-timestamp': String(seconds), 'webhook-signature': signatures.join(' ') };
}
