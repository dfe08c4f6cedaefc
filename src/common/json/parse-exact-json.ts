import { significantDigits, trimDecimals } from '../../text/trim-zeros.js';

const suspectNumber = /\d[\d.]{15}|\d[eE][+-]?\d/;
const jsonNumber = /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
/** A string, or a number that may have too many digits. */
const stringOrSuspect = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]{15,}|-?\d[\d.]{0,15}[eE][+-]?\d+/g;

/**
 * A decimal as it goes over the wire: a number within ±(2^53 - 1) that has all its digits, else its digits as text, so that none is
 * lost. Neither has zeros after its last decimal.
 */
export function toExactNumber(text: string): number | string {
  const value = Number(text);
  if (Math.abs(value) <= Number.MAX_SAFE_INTEGER && hasDigits(value, text)) return value;
  return /^-?\d+\.\d+$/.test(text) ? trimDecimals(text) : text;
}

/** Tells whether a number is what its text says. `value` is the nearest to it, so that equal digits are enough. */
function hasDigits(value: number, text: string): boolean {
  return String(value) === text || significant(value.toExponential()) === significant(text);
}

function significant(text: string): string {
  return significantDigits(text.split(/e/i, 1)[0]!);
}

/**
 * Parses PostgreSQL's jsonb like `JSON.parse`, but keeps every digit: numbers that `toExactNumber` cannot give become strings.
 * @throws SyntaxError like `JSON.parse`.
 */
export function parseExactJson(text: string): unknown {
  if (!suspectNumber.test(text)) return JSON.parse(text);
  const pieces: string[] = [];
  let at = 0;
  stringOrSuspect.lastIndex = 0;
  // The expression skips most numbers. Replacing each number separately took three times as long.
  for (let found = stringOrSuspect.exec(text); found; found = stringOrSuspect.exec(text)) {
    const [token] = found;
    const exact = jsonNumber.test(token) ? toExactNumber(token) : 0;
    if (typeof exact === 'number') continue;
    pieces.push(text.slice(at, found.index), `"${exact}"`);
    at = stringOrSuspect.lastIndex;
  }
  return JSON.parse(pieces.join('') + text.slice(at));
}
