const SUSPECT_NUMBER = /[\d.]{16}|\d[eE][+-]?\d/;
const STRING_OR_NUMBER = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/** Digits that count, with the place of the point: two decimals are equal exactly when these are. */
function canonical(text: string): string {
  const match = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text);
  if (!match) return text;
  const [, sign, whole = '', fraction = '', exponent = '0'] = match;
  const digits = (whole + fraction).replace(/^0+/, '');
  const significant = digits.replace(/0+$/, '');
  if (significant === '') return '0';
  const power = Number(exponent) - fraction.length + (digits.length - significant.length);
  return `${sign}${significant}e${power}`;
}

/**
 * A decimal as it goes over the wire: a number where a double holds it exactly and integers are within ±(2^53 - 1),
 * otherwise its own text.
 */
export function toExactNumber(text: string): number | string {
  const value = Number(text);
  if (Number.isFinite(value) && Math.abs(value) <= Number.MAX_SAFE_INTEGER && canonical(text) === canonical(String(value))) return value;
  return text;
}

/**
 * `JSON.parse` that keeps every number exact: those a double cannot hold (PostgreSQL's jsonb keeps all digits) become strings.
 * @throws SyntaxError like `JSON.parse`.
 */
export function parseExactJson(text: string): unknown {
  if (!SUSPECT_NUMBER.test(text)) return JSON.parse(text);
  const exact = text.replace(STRING_OR_NUMBER, token =>
    token.startsWith('"') || typeof toExactNumber(token) === 'number' ? token : `"${token}"`,
  );
  return JSON.parse(exact);
}
