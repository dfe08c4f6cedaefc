import { type CypherMap, type CypherValue, isMap } from './cypher-value.js';
import { Decimal } from './decimal.js';
import { ownPiece } from './own-piece.js';
import { longestSharedName } from './value-size.js';

const token = /\s*(?:"((?:[^"\\]|\\.)*)"|(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)|(true|false|null)|([[\]{}:,]))/y;

interface Reading {
  /** How numbers are read, by whether they have a fraction or an exponent. */
  integer: (text: string) => CypherValue;
  fraction: (text: string) => CypherValue;
  /** How a piece of the whole text is kept. */
  piece: (piece: string, whole: string) => string;
}

/** The most characters of an integer of 64 bits. Reading a million digits would take seconds. */
const longestInteger = 20;
const beyondIntegers = 10n ** 20n;

/** The names of maps that one text each stands for. */
const names = new Map<string, string>();
const mostNames = 10_000;

/**
 * Reads PostgreSQL's text of a jsonb value. Integers become bigint and other numbers decimals, so that no digit is lost.
 * @throws SyntaxError for any other text
 */
export function readJsonValue(text: string): CypherValue {
  return readWith(text, { integer: BigInt, fraction: number => Decimal.parse(number), piece: ownPiece });
}

/**
 * Reads the JSON object of a caller's parameters: 1 is an integer, 1.0 and 1e0 are floats. An integer of more than 20 characters is read as
 * one beyond 64 bits, whichever it is, because none of them may be used.
 * @throws SyntaxError for any other text
 */
export function readJsonParameters(text: string): CypherMap {
  const value = readWith(text, { integer: integerOf, fraction: Number, piece: text => text });
  if (!isMap(value)) throw new SyntaxError('no JSON object');
  return value;
}

function integerOf(text: string): bigint {
  if (text.length <= longestInteger) return BigInt(text);
  return text.startsWith('-') ? -beyondIntegers : beyondIntegers;
}

function readWith(text: string, reading: Reading): CypherValue {
  token.lastIndex = 0;
  return read(next(text), text, reading);
}

function next(text: string): RegExpExecArray {
  const found = token.exec(text);
  if (!found) throw new SyntaxError('not JSON');
  return found;
}

function read([, string, number, word, sign]: RegExpExecArray, text: string, reading: Reading): CypherValue {
  if (string !== undefined) return reading.piece(unescaped(string), text);
  if (number !== undefined) return /^-?\d+$/.test(number) ? reading.integer(number) : reading.fraction(number);
  if (word !== undefined) return word === 'null' ? null : word === 'true';
  if (sign === '[') return readItems(text, reading);
  if (sign === '{') return readEntries(text, reading);
  throw new SyntaxError('not JSON');
}

/** The same name in many texts is one. */
function nameOf(name: string, text: string): string {
  const known = names.get(name);
  if (known !== undefined) return known;
  const own = ownPiece(name, text);
  if (own.length > longestSharedName) return own;
  // The names of one source take the place of another's.
  if (names.size >= mostNames) names.clear();
  names.set(own, own);
  return own;
}

function readItems(text: string, reading: Reading): CypherValue[] {
  const items: CypherValue[] = [];
  for (let found = next(text); found[4] !== ']'; found = next(text)) items.push(read(found[4] === ',' ? next(text) : found, text, reading));
  return items.slice();
}

function readEntries(text: string, reading: Reading): Map<string, CypherValue> {
  const entries = new Map<string, CypherValue>();
  for (let found = next(text); found[4] !== '}'; found = next(text)) {
    const [, name] = found[4] === ',' ? next(text) : found;
    next(text);
    entries.set(nameOf(unescaped(name ?? ''), text), read(next(text), text, reading));
  }
  return entries;
}

function unescaped(text: string): string {
  return text.includes('\\') ? (JSON.parse(`"${text}"`) as string) : text;
}
