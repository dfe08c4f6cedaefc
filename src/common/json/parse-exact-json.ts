const suspectNumber = /\d{16}|\d[eE][+-]?\d/;
const stringOrNumber = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/** A decimal as it goes over the wire: a number within ±(2^53 - 1), else its own text, so that no digit is lost. */
export function toExactNumber(text: string): number | string {
  const value = Number(text);
  return Math.abs(value) <= Number.MAX_SAFE_INTEGER ? value : text;
}

/**
 * Parses PostgreSQL's jsonb like `JSON.parse`, but keeps every digit: numbers beyond ±(2^53 - 1) become strings.
 * @throws SyntaxError like `JSON.parse`.
 */
export function parseExactJson(text: string): unknown {
  if (!suspectNumber.test(text)) return JSON.parse(text);
  const exact = text.replace(stringOrNumber, token =>
    token.startsWith('"') || typeof toExactNumber(token) === 'number' ? token : `"${token}"`,
  );
  return JSON.parse(exact);
}
