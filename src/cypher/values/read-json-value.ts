import { type CypherMap, type CypherValue, isMap } from './cypher-value.js';
import { Decimal } from './decimal.js';

const token = /\s*(?:"((?:[^"\\]|\\.)*)"|(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)|(true|false|null)|([[\]{}:,]))/y;

type ReadFraction = (text: string) => CypherValue;

/**
 * Reads PostgreSQL's text of a jsonb value. Integers become bigint and other numbers decimals, so that no digit is lost.
 * @throws SyntaxError for any other text
 */
export function readJsonValue(text: string): CypherValue {
  return readWith(text, number => Decimal.parse(number));
}

/**
 * Reads the JSON object of a caller's parameters: 1 is an integer of any size, 1.0 and 1e0 are floats.
 * @throws SyntaxError for any other text
 */
export function readJsonParameters(text: string): CypherMap {
  const value = readWith(text, Number);
  if (!isMap(value)) throw new SyntaxError('no JSON object');
  return value;
}

function readWith(text: string, fraction: ReadFraction): CypherValue {
  token.lastIndex = 0;
  return read(next(text), text, fraction);
}

function next(text: string): RegExpExecArray {
  const found = token.exec(text);
  if (!found) throw new SyntaxError('not JSON');
  return found;
}

function read([, string, number, word, sign]: RegExpExecArray, text: string, fraction: ReadFraction): CypherValue {
  if (string !== undefined) return unescaped(string);
  if (number !== undefined) return /^-?\d+$/.test(number) ? BigInt(number) : fraction(number);
  if (word !== undefined) return word === 'null' ? null : word === 'true';
  if (sign === '[') return readItems(text, fraction);
  if (sign === '{') return readEntries(text, fraction);
  throw new SyntaxError('not JSON');
}

function readItems(text: string, fraction: ReadFraction): CypherValue[] {
  const items: CypherValue[] = [];
  for (let found = next(text); found[4] !== ']'; found = next(text))
    items.push(read(found[4] === ',' ? next(text) : found, text, fraction));
  return items;
}

function readEntries(text: string, fraction: ReadFraction): Map<string, CypherValue> {
  const entries = new Map<string, CypherValue>();
  for (let found = next(text); found[4] !== '}'; found = next(text)) {
    const [, name] = found[4] === ',' ? next(text) : found;
    next(text);
    entries.set(unescaped(name ?? ''), read(next(text), text, fraction));
  }
  return entries;
}

function unescaped(text: string): string {
  return text.includes('\\') ? (JSON.parse(`"${text}"`) as string) : text;
}
