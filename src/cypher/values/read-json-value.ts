import { type CypherValue } from './cypher-value.js';
import { Decimal } from './decimal.js';

const token = /\s*(?:"((?:[^"\\]|\\.)*)"|(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)|(true|false|null)|([[\]{}:,]))/y;

/**
 * Reads PostgreSQL's text of a jsonb value. Integers become bigint and other numbers decimals, so that no digit is lost.
 * @throws SyntaxError for any other text
 */
export function readJsonValue(text: string): CypherValue {
  token.lastIndex = 0;
  const value = read(next(text), text);
  return value;
}

function next(text: string): RegExpExecArray {
  const found = token.exec(text);
  if (!found) throw new SyntaxError('not JSON');
  return found;
}

function read([, string, number, word, sign]: RegExpExecArray, text: string): CypherValue {
  if (string !== undefined) return unescaped(string);
  if (number !== undefined) return /^-?\d+$/.test(number) ? BigInt(number) : Decimal.parse(number);
  if (word !== undefined) return word === 'null' ? null : word === 'true';
  if (sign === '[') return readItems(text);
  if (sign === '{') return readEntries(text);
  throw new SyntaxError('not JSON');
}

function readItems(text: string): CypherValue[] {
  const items: CypherValue[] = [];
  for (let found = next(text); found[4] !== ']'; found = next(text)) items.push(read(found[4] === ',' ? next(text) : found, text));
  return items;
}

function readEntries(text: string): Map<string, CypherValue> {
  const entries = new Map<string, CypherValue>();
  for (let found = next(text); found[4] !== '}'; found = next(text)) {
    const [, name] = found[4] === ',' ? next(text) : found;
    next(text);
    entries.set(unescaped(name ?? ''), read(next(text), text));
  }
  return entries;
}

function unescaped(text: string): string {
  return text.includes('\\') ? (JSON.parse(`"${text}"`) as string) : text;
}
