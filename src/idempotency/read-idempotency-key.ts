import { InvalidIdempotencyKeyError } from './idempotency.errors.js';

const plain = /^[\x21\x23-\x7e][\x21-\x7e]{0,254}$/;
/** A string of RFC 8941, section 3.3.3, as the draft asks for. Only a quote and a backslash are escaped. */
const quoted = /^"((?:[\x20\x21\x23-\x5b\x5d-\x7e]|\\["\\]){1,255})"$/;

/**
 * Reads an `Idempotency-Key`: `8e03978e-40d5` or, as draft-ietf-httpapi-idempotency-key-header has it, `"8e03978e-40d5"`. Both are
 * the same key.
 * @throws InvalidIdempotencyKeyError also for two keys, which Node joins with a comma and a blank
 */
export function readIdempotencyKey(header: string): string {
  if (plain.test(header)) return header;
  const text = quoted.exec(header)?.[1];
  if (text === undefined) throw new InvalidIdempotencyKeyError();
  return text.replace(/\\(.)/g, '$1');
}
