/** Tokens of JSON: a string, a number, a bracket or a colon. White space, commas and words such as `true` are skipped. */
const tokens = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?|[{}[\]:]/g;

/**
 * Finds the top-level keys of a JSON object whose values contain, at any depth, a decimal that a double would round. DuckDB reads decimals
 * of JSON as doubles, and keeps whole numbers of any length.
 */
export function roundedKeys(object: string): Set<string> {
  const found = new Set<string>();
  let [depth, last, key] = [0, '', ''];
  for (const [token] of object.matchAll(tokens)) {
    if (token === '{' || token === '[') depth++;
    else if (token === '}' || token === ']') depth--;
    else if (token === ':' && depth === 1) key = last;
    else if (token.startsWith('"')) last = token;
    else if (token !== ':' && isRounded(token)) found.add(JSON.parse(key || '""') as string);
  }
  return found;
}

function isRounded(number: string): boolean {
  if (number.length <= 16 || !/[.eE]/.test(number)) return false;
  const [written, kept] = [digitsOf(number), digitsOf(String(Number(number)))];
  const most = Math.max(written.length, kept.length);
  return written.padEnd(most, '0') !== kept.padEnd(most, '0');
}

/** The digits of a number from the first that is not 0, without its exponent. */
function digitsOf(number: string): string {
  return number
    .replace(/[eE].*/, '')
    .replace(/\D/g, '')
    .replace(/^0+/, '');
}
