import { type Bilingual } from '../../text/bilingual.js';
import { type SchemaError } from '../../common/errors/api-error.js';
import { type Steps } from '../../text/steps.js';
import { fileProblem } from './file-problem.js';
import { classifyValue, INT } from './csv-values.js';

const TAB = 9;
const LF = 10;
const CR = 13;
const SPACE = 32;
const QUOTE = 34;
const COMMA = 44;
const COLON = 58;
const OPEN_LIST = 91;
const BACKSLASH = 92;
const CLOSE_LIST = 93;
const OPEN_OBJECT = 123;
const CLOSE_OBJECT = 125;
const LETTER_U = 117;

/** Maximum nesting depth of a value. PostgreSQL's JSON parser overflows its stack only after some thousand levels. */
const mostDepth = 1000;
/** Maximum numbers of values and of bytes that `nested` reads without a pause. One string may be as long, read at a time. */
const valuesOfStep = 1024;
const bytesOfStep = 256 * 1024;
/**
 * Maximum number of names in an object. PostgreSQL sorts them in a time that may grow with the square of their number, 0.3 s for so many,
 * and cannot be interrupted meanwhile.
 */
const mostNames = 20_000;
/** Maximum number of bytes of a name. A name is read without a pause, so longer names are refused. */
const longestName = 64 * 1024;

export const STRING = 0;
export const NUMBER = 1;
export const BOOLEAN_WORD = 2;
export const NULL_WORD = 3;
export const NESTED = 4;

const words = [
  { bytes: Buffer.from('true'), token: BOOLEAN_WORD },
  { bytes: Buffer.from('false'), token: BOOLEAN_WORD },
  { bytes: Buffer.from('null'), token: NULL_WORD },
];
/** Bytes that may follow a backslash in a string, besides the `u` of `\u`. */
const escapes = new Set(Buffer.from('"\\/bfnrt'));

/** Bits for the kinds of elements that a list of scalars holds. A null element sets no bit. */
export const TEXTS = 1;
export const INTS = 2;
export const OTHERS = 4;

/**
 * Reads JSON (RFC 8259) in lines of UTF-8 without creating its values: the reader checks the grammar and finds the end of each value. Its
 * loops stop only at a line feed, so `bytes` must have one. Text that PostgreSQL cannot store is refused: U+0000, and halves of surrogate
 * pairs. An object with the same name twice is refused too, because JSON readers differ in which of the two values they keep.
 */
export class JsonReader {
  /** 1-based number of the current line, and the index in `bytes` at which it begins. */
  line = 1;
  lineStart = 0;
  /** Kind of the value that was read last: STRING, NUMBER and so on. */
  token = NULL_WORD;
  /** Whether the string that was read last has a backslash, and whether it has `\u`. */
  hasEscapes = false;
  hasCodes = false;
  /** True if reading the last string stopped in its middle, because it is longer than one step. `more` then continues. */
  isOpen = false;
  /** Kinds of the elements of the list that was read last, as bits: TEXTS, INTS and OTHERS. */
  elements = 0;

  private readonly containers = new Uint8Array(mostDepth);
  /**
   * The names of the open objects, by depth. Most objects have few names: `firstNames` has the start and end of the first name in `bytes`,
   * and `names` is a Set of all names once there is a second one.
   */
  private readonly firstNames = new Int32Array(mostDepth * 2);
  private readonly names: (Set<string> | null)[] = [];

  constructor(private bytes: Buffer) {}

  open(bytes: Buffer): void {
    this.bytes = bytes;
  }

  skipSpace(at: number): number {
    const { bytes } = this;
    let byte = bytes[at];
    while (byte === SPACE || byte === TAB || byte === CR) byte = bytes[++at];
    return at;
  }

  /** Returns whether the value that begins at `at` is an object or a list. `nested` reads objects and lists, `scalar` all other values. */
  isNested(at: number): boolean {
    const byte = this.bytes[at];
    return byte === OPEN_OBJECT || byte === OPEN_LIST;
  }

  /**
   * Reads the name whose opening quote is at `from`.
   * @returns the index after its closing quote
   * @throws SchemaError
   */
  name(from: number): number {
    if (this.bytes[from] !== QUOTE) throw this.wanted(from, aName);
    this.hasEscapes = false;
    this.hasCodes = false;
    const end = this.characters(from + 1, from + longestName);
    if (this.isOpen) throw this.nameTooLong();
    return end;
  }

  /**
   * Continues to read a string that was left unfinished at `at`.
   * @returns the end of the string, or the index where reading stopped again, as `scalar` does
   */
  more(at: number): number {
    return this.characters(at, at + bytesOfStep);
  }

  /**
   * Reads the characters of a string from `from` on.
   * @returns the index after the closing quote. If none comes before `limit`, the index at or just after `limit` where reading stopped, and
   *   `isOpen` is true
   */
  private characters(from: number, limit: number): number {
    const { bytes } = this;
    let at = from;
    this.isOpen = false;
    for (;;) {
      let byte = bytes[at]!;
      while (at < limit && (byte > BACKSLASH || (byte >= SPACE && byte !== QUOTE && byte !== BACKSLASH))) byte = bytes[++at]!;
      if (byte === QUOTE) break;
      if (at >= limit) {
        this.isOpen = true;
        return at;
      }
      if (byte !== BACKSLASH) throw this.controlCharacter(at, byte);
      this.hasEscapes = true;
      const escaped = bytes[at + 1]!;
      if (escaped === LETTER_U) {
        this.hasCodes = true;
        at = this.codedCharacter(at);
      } else {
        if (!escapes.has(escaped)) throw this.wanted(at, anEscape);
        at += 2;
      }
    }
    return at + 1;
  }

  /** Decodes the string whose characters lie between the quotes at `start` and `end`. */
  text(start: number, end: number): string {
    const text = this.bytes.toString('utf8', start, end);
    return text.includes('\\') ? (JSON.parse(`"${text}"`) as string) : text;
  }

  /** Makes the error for invalid JSON. The second parameter describes the character that is expected at `at`. */
  wanted(at: number, { zh, en }: Bilingual): SchemaError {
    // Characters are counted from 1, as in an editor, and without a string of all of them, since a line may have 16 MiB.
    let column = 1;
    for (let place = this.lineStart; place < at; place++) {
      const byte = this.bytes[place]!;
      if ((byte & 0xc0) !== 0x80) column += byte >= 0xf0 ? 2 : 1;
    }
    return this.problem('syntax', {
      zh: `不是有效的 JSON：第 ${column} 个字符处应为${zh}`,
      en: `no valid JSON: ${en} is expected at character ${column}`,
    });
  }

  problem(type: string, text: Bilingual): SchemaError {
    return fileProblem('ndjson', type, { line: this.line }, text);
  }

  /**
   * Skips the colon after the name of an object's member.
   * @param end the index after the name
   * @returns the index of the member's value
   */
  behindColon(end: number): number {
    const at = this.skipSpace(end);
    if (this.bytes[at] !== COLON) throw this.wanted(at, aColon);
    return this.skipSpace(at + 1);
  }

  repeated(name: string): SchemaError {
    const shown = [...name].slice(0, 100).join('');
    return this.problem('repeated_key', { zh: `键“${shown}”在同一个对象里出现了两次`, en: `an object has the key "${shown}" twice` });
  }

  /**
   * Reads the string, number or word (true, false, null) that begins at `at`. A string that is too long for one step is left unfinished:
   * the caller continues with `more` while `isOpen`.
   * @returns the index after the value
   * @throws SchemaError
   */
  scalar(at: number): number {
    const { bytes } = this;
    const byte = bytes[at]!;
    if (byte === QUOTE) {
      this.token = STRING;
      this.hasEscapes = false;
      this.hasCodes = false;
      return this.characters(at + 1, at + bytesOfStep);
    }
    if (byte === 45 || isDigit(byte)) {
      this.token = NUMBER;
      return this.number(at);
    }
    for (const word of words) {
      let same = 0;
      while (same < word.bytes.length && bytes[at + same] === word.bytes[same]) same++;
      if (same < word.bytes.length) continue;
      this.token = word.token;
      return at + same;
    }
    throw this.wanted(at, aValue);
  }

  private number(from: number): number {
    const { bytes } = this;
    let at = bytes[from] === 45 ? from + 1 : from;
    if (bytes[at] === 48) at++;
    else at = this.digits(at);
    if (bytes[at] === 46) at = this.digits(at + 1);
    if ((bytes[at]! | 32) === 101) {
      at++;
      if (bytes[at] === 43 || bytes[at] === 45) at++;
      at = this.digits(at);
    }
    return at;
  }

  private digits(from: number): number {
    const { bytes } = this;
    let at = from;
    while (isDigit(bytes[at]!)) at++;
    if (at === from) throw this.wanted(at, aDigit);
    return at;
  }

  /**
   * Reads the object or list that begins at `from`. It uses no recursion, so that deep nesting cannot overflow the stack. It pauses between
   * steps, because a line may have millions of values.
   * @returns the index after the object or list
   * @throws SchemaError
   */
  *nested(from: number): Steps<number> {
    const { bytes, containers } = this;
    let elements = 0;
    let values = 0;
    let depth = 0;
    let at = from;
    let pauseAt = from + bytesOfStep;
    for (;;) {
      if (++values === valuesOfStep || at > pauseAt) {
        yield;
        values = 0;
        pauseAt = at + bytesOfStep;
      }
      const byte = bytes[at]!;
      if (byte === OPEN_OBJECT || byte === OPEN_LIST) {
        if (depth === mostDepth) throw this.tooDeep();
        if (depth === 1) elements |= OTHERS;
        containers[depth++] = byte;
        at = this.skipSpace(at + 1);
        if (bytes[at] !== closeOf(byte)) {
          if (byte === OPEN_OBJECT) at = this.firstName(at, depth - 1);
          continue;
        }
      } else {
        const start = at;
        at = this.scalar(at);
        while (this.isOpen) {
          yield;
          at = this.more(at);
        }
        if (depth === 1) elements |= this.elementOf(start, at);
      }
      for (;;) {
        at = this.skipSpace(at);
        const container = containers[depth - 1]!;
        if (bytes[at] === closeOf(container)) {
          at++;
          if (--depth > 0) continue;
          this.token = NESTED;
          this.elements = container === OPEN_LIST ? elements : OTHERS;
          return at;
        }
        if (bytes[at] !== COMMA) throw this.wanted(at, container === OPEN_LIST ? commaOrBracket : commaOrBrace);
        at = this.skipSpace(at + 1);
        if (container === OPEN_OBJECT) at = this.nextName(at, depth - 1);
        break;
      }
    }
  }

  private elementOf(start: number, end: number): number {
    if (this.token === STRING) return TEXTS;
    if (this.token === NULL_WORD) return 0;
    return this.token === NUMBER && classifyValue(this.bytes, start, end) === INT ? INTS : OTHERS;
  }

  /**
   * Reads the first name of an object, which begins at `at`.
   * @returns the index of its value
   */
  private firstName(at: number, level: number): number {
    const end = this.name(at);
    this.firstNames[2 * level] = at + 1;
    this.firstNames[2 * level + 1] = end - 1;
    this.names[level] = null;
    return this.behindColon(end);
  }

  private nextName(at: number, level: number): number {
    const end = this.name(at);
    const names = (this.names[level] ??= new Set([this.text(this.firstNames[2 * level]!, this.firstNames[2 * level + 1]!)]));
    const name = this.text(at + 1, end - 1);
    if (names.has(name)) throw this.repeated(name);
    if (names.size === mostNames) throw this.tooManyNames();
    names.add(name);
    return this.behindColon(end);
  }

  /**
   * Reads one character that is written as `\u` and four digits, or as two such escapes if it is a surrogate pair.
   * @returns the index after the character
   * @throws SchemaError for a character that a text of PostgreSQL cannot contain
   */
  private codedCharacter(at: number): number {
    const unit = this.codeUnit(at);
    if (unit === 0) {
      throw this.problem('nul', { zh: '这一行含有 \\u0000，无法存入文本', en: 'the line holds \\u0000, which no text can have' });
    }
    if (unit < 0xd800 || unit > 0xdfff) return at + 6;
    const isPair = unit < 0xdc00 && this.bytes[at + 6] === BACKSLASH && this.bytes[at + 7] === LETTER_U;
    const second = isPair ? this.codeUnit(at + 6) : 0;
    if (second >= 0xdc00 && second <= 0xdfff) return at + 12;
    throw this.problem('surrogate', {
      zh: '这一行含有半个字符（单独的 \\ud800 至 \\udfff）',
      en: 'the line holds half of a character (one of \\ud800 to \\udfff alone)',
    });
  }

  private codeUnit(at: number): number {
    let unit = 0;
    for (let place = at + 2; place < at + 6; place++) {
      const digit = hexDigit(this.bytes[place]!);
      if (digit === -1) throw this.wanted(at, fourDigits);
      unit = unit * 16 + digit;
    }
    return unit;
  }

  private controlCharacter(at: number, byte: number): SchemaError {
    if (byte === LF) return this.wanted(at, closingQuote);
    return this.wanted(at, { zh: `写作 \\u${hex(byte)} 的控制字符`, en: `a control character written as \\u${hex(byte)}` });
  }

  private nameTooLong(): SchemaError {
    return this.problem('name_too_long', {
      zh: `一个键超过 ${longestName} 字节`,
      en: `a name takes more than ${longestName} bytes`,
    });
  }

  private tooManyNames(): SchemaError {
    return this.problem('too_many_names', {
      zh: `一个内层对象的键超过 ${mostNames} 个`,
      en: `an object inside of the line has more than ${mostNames} names`,
    });
  }

  private tooDeep(): SchemaError {
    return this.problem('too_deep', {
      zh: `对象与列表嵌套超过 ${mostDepth} 层`,
      en: `objects and lists are nested more than ${mostDepth} levels deep`,
    });
  }
}

const aValue = { zh: '值', en: 'a value' };
const aDigit = { zh: '数字', en: 'a digit' };
const aColon = { zh: '冒号', en: 'a colon' };
const anEscape = { zh: '有效的转义，如 \\n', en: 'a known escape such as \\n' };
const fourDigits = { zh: '\\u 与四位十六进制数字', en: '\\u with four hexadecimal digits' };
const closingQuote = { zh: '结束引号', en: 'a closing quote' };
const commaOrBracket = { zh: '逗号或 ]', en: 'a comma or ]' };
export const commaOrBrace = { zh: '逗号或 }', en: 'a comma or }' };
export const aName = { zh: '加引号的键', en: 'a key in quotes' };

function closeOf(container: number): number {
  return container === OPEN_LIST ? CLOSE_LIST : CLOSE_OBJECT;
}

function isDigit(byte: number): boolean {
  return byte >= 48 && byte <= 57;
}

function hexDigit(byte: number): number {
  if (isDigit(byte)) return byte - 48;
  const letter = byte | 32;
  return letter >= 97 && letter <= 102 ? letter - 87 : -1;
}

function hex(byte: number): string {
  return byte.toString(16).padStart(4, '0');
}
