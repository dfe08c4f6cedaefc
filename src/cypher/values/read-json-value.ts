import { spend } from '../syntax/effort.js';
import { type CypherMap, type CypherValue, isMap } from './cypher-value.js';
import { Decimal } from './decimal.js';
import { ownPiece } from './own-piece.js';
import { longestSharedName } from './value-size.js';

const token = /\s*(?:"([^"\\]*(?:\\.[^"\\]*)*)"|(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)|(true|false|null)|([[\]{}:,]))/y;

/** What stands in a list up to its end, or up to a text, a list or a map in it. */
const plainItems = /[^[\]{}"]*/y;
const number = /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

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

/** The units that a list takes to be read, for each character. */
const unitsOfCharacter = 2;
/** Integers of so many characters are exact as doubles, and made twice as fast from them. */
const exactInteger = 15;

/**
 * Reads PostgreSQL's text of a jsonb value. Integers become bigint and other numbers decimals, so that no digit is lost; those of a
 * value of floats become floats.
 * @throws SyntaxError for any other text; what the meter throws, before a list is read
 */
export function readJsonValue(text: string, isOfFloats = false): CypherValue {
  if (text.startsWith('[')) spend(unitsOfCharacter * text.length);
  return readWith(text, {
    integer: written => BigInt(written.length <= exactInteger ? Number(written) : written),
    fraction: written => (isOfFloats ? Number(written) : Decimal.parse(written)),
    piece: ownPiece,
  });
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

function read([, string, written, word, sign]: RegExpExecArray, text: string, reading: Reading): CypherValue {
  if (string !== undefined) return reading.piece(unescaped(string), text);
  if (written !== undefined) return readNumber(written, reading);
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

function readNumber(written: string, reading: Reading): CypherValue {
  return /[.eE]/.test(written) ? reading.fraction(written) : reading.integer(written);
}

function readPlain(item: string, reading: Reading): CypherValue {
  if (item === 'null') return null;
  if (item === 'true' || item === 'false') return item === 'true';
  if (!number.test(item)) throw new SyntaxError('not JSON');
  return readNumber(item, reading);
}

function readItems(text: string, reading: Reading): CypherValue[] {
  plainItems.lastIndex = token.lastIndex;
  const [plain] = plainItems.exec(text)!;
  // A list of numbers may have hundreds of thousands, for which tokens take too long.
  if (text[plainItems.lastIndex] === ']' && plain.trim() !== '') {
    token.lastIndex = plainItems.lastIndex + 1;
    return plain.split(',').map(item => readPlain(item.trim(), reading));
  }
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
