const suspectNumber = /\d[\d.]{15}|\d[eE][+-]?\d/;
const stringOrNumber = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/**
 * A decimal as it goes over the wire: a number within ±(2^53 - 1) that has all its digits, else its digits as text, so that none is
 * lost. Neither has zeros after its last decimal.
 */
export function toExactNumber(text: string): number | string {
  const value = Number(text);
  if (Math.abs(value) <= Number.MAX_SAFE_INTEGER && hasDigits(value, text)) return value;
  return /^-?\d+\.\d+$/.test(text) ? text.replace(/\.?0+$/, '') : text;
}

/** Tells whether a number is what its text says. `value` is the nearest to it, so that equal digits are enough. */
function hasDigits(value: number, text: string): boolean {
  return String(value) === text || significant(value.toExponential()) === significant(text);
}

function significant(text: string): string {
  return text
    .replace(/[eE].*$/, '')
    .replace(/[-.]/g, '')
    .replace(/^0+|0+$/g, '');
}

/**
 * Parses PostgreSQL's jsonb like `JSON.parse`, but keeps every digit: numbers that `toExactNumber` cannot give become strings.
 * @throws SyntaxError like `JSON.parse`.
 */
export function parseExactJson(text: string): unknown {
  if (!suspectNumber.test(text)) return JSON.parse(text);
  const exact = text.replace(stringOrNumber, token => {
    if (token.startsWith('"')) return token;
    const number = toExactNumber(token);
    return typeof number === 'number' ? token : `"${number}"`;
  });
  return JSON.parse(exact);
}
