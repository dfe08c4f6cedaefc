const suspectNumber = /\d{16}|\d[eE][+-]?\d/;
const stringOrNumber = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/**
 * A decimal as it goes over the wire: a number within ±(2^53 - 1), else its digits as text, so that none is lost. Neither has zeros
 * after its last decimal.
 */
export function toExactNumber(text: string): number | string {
  const value = Number(text);
  if (Math.abs(value) <= Number.MAX_SAFE_INTEGER) return value;
  return /^-?\d+\.\d+$/.test(text) ? text.replace(/\.?0+$/, '') : text;
}

/**
 * Parses PostgreSQL's jsonb like `JSON.parse`, but keeps every digit: numbers beyond ±(2^53 - 1) become strings.
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
