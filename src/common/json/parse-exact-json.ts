import { significantDigits, trimDecimals } from '../../text/trim-zeros.js';

const suspectNumber = /\d[\d.]{15}|\d[eE][+-]?\d/;
const jsonNumber = /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
/** Matches a string, or a number that may have more digits than a double holds. */
const stringOrSuspect = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]{15,}|-?\d[\d.]{0,15}[eE][+-]?\d+/g;

/**
 * A decimal as answers send it: a number if its value is within ±(2^53 - 1) and keeps all digits, otherwise its digits as text, so that
 * none is lost. Neither form has zeros after its last decimal.
 */
export function toExactNumber(text: string): number | string {
  const value = Number(text);
  if (Math.abs(value) <= Number.MAX_SAFE_INTEGER && hasDigits(value, text)) return value;
  return /^-?\d+\.\d+$/.test(text) ? trimDecimals(text) : text;
}

/** Whether a number has all digits of its text. `value` is the double nearest to the text, so comparing the digits is enough. */
function hasDigits(value: number, text: string): boolean {
  return String(value) === text || significant(value.toExponential()) === significant(text);
}

function significant(text: string): string {
  return significantDigits(text.split(/e/i, 1)[0]!);
}

/**
 * Parses PostgreSQL's jsonb like `JSON.parse`, but keeps every digit: numbers whose digits a double cannot hold become strings, as in
 * `toExactNumber`.
 * @throws SyntaxError like `JSON.parse`.
 */
export function parseExactJson(text: string): unknown {
  if (!suspectNumber.test(text)) return JSON.parse(text);
  const pieces: string[] = [];
  let at = 0;
  stringOrSuspect.lastIndex = 0;
  // The expression skips most numbers, because replacing each number separately took three times as long.
  for (let found = stringOrSuspect.exec(text); found; found = stringOrSuspect.exec(text)) {
    const [token] = found;
    const exact = jsonNumber.test(token) ? toExactNumber(token) : 0;
    if (typeof exact === 'number') continue;
    pieces.push(text.slice(at, found.index), `"${exact}"`);
    at = stringOrSuspect.lastIndex;
  }
  return JSON.parse(pieces.join('') + text.slice(at));
}
