import { longText, spend } from '../syntax/effort.js';
import { type CypherMap, type CypherValue, isMap } from './cypher-value.js';
import { Decimal } from './decimal.js';
import { ownPiece } from './own-piece.js';
import { longestSharedName } from './value-size.js';

const space = /\s*/y;
/** Matches the items of a list before its end, or before its first string, list or map. */
const plainItems = /[^[\]{}"]*/y;
const plainItem = /[^\s[\]{}",:]*/y;
const number = /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
const [quote, comma, colon, backslash] = [34, 44, 58, 92];
const [openList, closeList, openMap, closeMap] = [91, 93, 123, 125];

interface Reading {
  /** Readers of numbers: `fraction` for a number with a fraction or an exponent, else `integer`. */
  integer: (text: string) => CypherValue;
  fraction: (text: string) => CypherValue;
  /** Returns the string to keep for `piece`, which was cut from `whole`. */
  piece: (piece: string, whole: string) => string;
  spend: (units: number) => void;
}

/** Maximum characters of an integer of 64 bits. Reading a million digits would take seconds. */
const longestInteger = 20;
const beyondIntegers = 10n ** 20n;

/** Names in maps, each kept as one text that all maps share. */
const names = new Map<string, string>();
const mostNames = 10_000;

/**
 * Work units to read a character outside of texts. The next two constants are for an entry of a map, and for a name that is not cached yet.
 */
const unitsOfCharacter = 2;
const unitsOfEntry = 16;
const unitsOfNewName = 64;
/** Work units that the reader collects before it passes them to the meter at once. */
const unitsAtOnce = 512;
/**
 * Maximum characters of an integer that is read as a double. A double of this length is exact, and reading it is twice as fast as reading
 * a bigint.
 */
const exactInteger = 15;

/**
 * Reads PostgreSQL's text of a jsonb value. Integers become bigint and other numbers decimals, so that no digit is lost.
 * @param isOfFloats whether numbers other than integers become floats instead of decimals
 * @throws SyntaxError for a text that is not JSON; the error of the meter at its limit
 */
export function readJsonValue(text: string, isOfFloats = false): CypherValue {
  return new JsonReader(text, {
    integer: written => BigInt(written.length <= exactInteger ? Number(written) : written),
    fraction: written => (isOfFloats ? Number(written) : Decimal.parse(written)),
    piece: ownPiece,
    spend,
  }).readAll();
}

/**
 * Reads the JSON object of a caller's parameters: 1 is an integer, 1.0 and 1e0 are floats. An integer of more than 20 characters is read
 * as some integer beyond 64 bits, because a query may not use an integer beyond 64 bits.
 * @throws SyntaxError for any other text
 */
export function readJsonParameters(text: string): CypherMap {
  const value = new JsonReader(text, { integer: integerOf, fraction: Number, piece: text => text, spend: () => undefined }).readAll();
  if (!isMap(value)) throw new SyntaxError('no JSON object');
  return value;
}

function integerOf(text: string): bigint {
  if (text.length <= longestInteger) return BigInt(text);
  return text.startsWith('-') ? -beyondIntegers : beyondIntegers;
}

/** Returns the shared string for a name in a map, so that the same name in many JSON texts takes memory once. */
function keptName(name: string, text: string): string {
  const own = ownPiece(name, text);
  if (own.length > longestSharedName) return own;
  // A full cache is emptied, so that the names of another source can replace its names.
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

class JsonReader {
  private at = 0;
  /** Units that have not been passed to the meter yet. */
  private owed = 0;

  constructor(
    private readonly text: string,
    private readonly reading: Reading,
  ) {}

  /**
   * Reads the whole text. A short text that starts as a JSON string spends no units, since the caller counts units when it uses the string.
   */
  readAll(): CypherValue {
    const isFree = this.text.startsWith('"') && this.text.length < longText;
    const value = this.read();
    if (!isFree) this.reading.spend(this.owed);
    return value;
  }

  private read(): CypherValue {
    switch (this.sign()) {
      case quote:
        return this.reading.piece(this.readText(), this.text);
      case openList:
        return this.readItems();
      case openMap:
        return this.readEntries();
      default:
        return readPlain(this.piece(plainItem), this.reading);
    }
  }

  /** The code of the next character that is not a space. Only spaces are consumed. */
  private sign(): number {
    if (this.text.charCodeAt(this.at) <= 32) this.piece(space);
    return this.text.charCodeAt(this.at);
  }

  /** Consumes the next character that is not a space, if it is the given one. Returns whether it did. */
  private skip(sign: number): boolean {
    if (this.sign() !== sign) return false;
    this.at += 1;
    this.owe(unitsOfCharacter);
    return true;
  }

  private expect(sign: number): void {
    if (!this.skip(sign)) throw new SyntaxError('not JSON');
  }

  private piece(pattern: RegExp): string {
    pattern.lastIndex = this.at;
    const [found] = pattern.exec(this.text)!;
    this.at = pattern.lastIndex;
    this.owe(unitsOfCharacter * found.length);
    return found;
  }

  private owe(units: number): void {
    this.owed += units;
    if (this.owed < unitsAtOnce) return;
    this.reading.spend(this.owed);
    this.owed = 0;
  }

  private readText(): string {
    const from = this.at + 1;
    let end = this.text.indexOf('"', from);
    while (end !== -1 && this.isEscaped(end, from)) end = this.text.indexOf('"', end + 1);
    if (end === -1) throw new SyntaxError('not JSON');
    this.at = end + 1;
    this.owe(unitsOfCharacter + ((end - from) >> 2));
    return unescaped(this.text.slice(from, end));
  }

  /** Whether the quote at `end` is escaped: an odd number of backslashes stands before it. */
  private isEscaped(end: number, from: number): boolean {
    let first = end;
    while (first > from && this.text.charCodeAt(first - 1) === backslash) first -= 1;
    return (end - first) % 2 === 1;
  }

  private readItems(): CypherValue[] {
    this.expect(openList);
    const numbers = this.readPlainItems();
    if (numbers) return numbers;
    const items: CypherValue[] = [];
    if (this.skip(closeList)) return items;
    do items.push(this.read());
    while (this.skip(comma));
    this.expect(closeList);
    return items.slice();
  }

  /**
   * Reads a list of numbers, booleans and nulls in one go, because such a list may have hundreds of thousands of items. Null for any other
   * list.
   */
  private readPlainItems(): CypherValue[] | null {
    plainItems.lastIndex = this.at;
    const [plain] = plainItems.exec(this.text)!;
    const end = plainItems.lastIndex;
    if (this.text.charCodeAt(end) !== closeList || plain.trim() === '') return null;
    this.owe(unitsOfCharacter * (end + 1 - this.at));
    this.at = end + 1;
    return plain.split(',').map(item => readPlain(item.trim(), this.reading));
  }

  private readName(): string {
    const name = this.readText();
    const known = names.get(name);
    if (known !== undefined) return known;
    this.owe(unitsOfNewName);
    return keptName(name, this.text);
  }

  private readEntries(): Map<string, CypherValue> {
    this.expect(openMap);
    this.owe(unitsOfEntry);
    const entries = new Map<string, CypherValue>();
    if (this.skip(closeMap)) return entries;
    do {
      if (this.sign() !== quote) throw new SyntaxError('not JSON');
      const name = this.readName();
      this.expect(colon);
      this.owe(unitsOfEntry);
      entries.set(name, this.read());
    } while (this.skip(comma));
    this.expect(closeMap);
    return entries;
  }
}

function unescaped(text: string): string {
  return text.includes('\\') ? (JSON.parse(`"${text}"`) as string) : text;
}
