import { InvalidIdempotencyKeyError } from './idempotency.errors.js';

const plain = /^[\x21\x23-\x7e][\x21-\x7e]{0,254}$/;
/** A string of RFC 8941, section 3.3.3, as the draft of the header demands. Only quotes and backslashes are escaped. */
const quoted = /^"((?:[\x20\x21\x23-\x5b\x5d-\x7e]|\\["\\]){1,255})"$/;

/**
 * Reads an `Idempotency-Key`, either bare as in `8e03978e-40d5` or quoted as in draft-ietf-httpapi-idempotency-key-header:
 * `"8e03978e-40d5"`. Both spellings are the same key.
 * @throws InvalidIdempotencyKeyError also for two keys, which Node joins with a comma and a blank
 */
export function readIdempotencyKey(header: string): string {
  if (plain.test(header)) return header;
  const text = quoted.exec(header)?.[1];
  if (text === undefined) throw new InvalidIdempotencyKeyError();
  return text.replace(/\\(.)/g, '$1');
}
