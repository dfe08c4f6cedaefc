import { CypherSyntaxError, placeOf } from './cypher.errors.js';
import { instead } from './old-forms.js';

/** A token of a query. `value` is its meaning: the name without backticks, the string without escapes. `text` is its text in the query. */
export interface Token {
  kind: 'name' | 'quoted' | 'string' | 'integer' | 'float' | 'parameter' | 'symbol' | 'end';
  text: string;
  value: string;
  position: number;
}

export const maxQueryCharacters = 10_000;
const maxNameCharacters = 1_000;

const spacePattern = /[\s\u200b\ufeff]+|\/\/[^\n]*|\/\*[\s\S]*?\*\//uy;
const namePattern = /[\p{ID_Start}_][\p{ID_Continue}]*/uy;
const numberPattern = /0[xX][0-9a-fA-F]*|0o[0-7]*|(?:\d+\.\d+|\.\d+|\d+)(?:[eE][+-]?\d+)?/uy;
const symbolPattern = /<>|<=|>=|=~|\.\.|\+=|[(){}[\],.:;|+\-*/%^=<>&!]/uy;
const escapes: Record<string, string> = { n: '\n', t: '\t', r: '\r', b: '\b', f: '\f', "'": "'", '"': '"', '`': '`', '\\': '\\' };
const fullWidth = /[，。：；（）｛｝【】［］“”‘’＝＜＞－｜＄]/u;
/** Maximum characters of a number that an error message repeats. */
const mostShown = 30;
const maxInteger = 9_223_372_036_854_775_808n;

/** Splits a text into tokens; the last has kind `end`. @throws CypherSyntaxError on an invalid character, string or number */
export function tokenize(text: string): Token[] {
  if (text.length > maxQueryCharacters) {
    throw new CypherSyntaxError(
      { zh: `查询过长：最多 ${maxQueryCharacters} 个字符`, en: `The query is too long: at most ${maxQueryCharacters} characters` },
      null,
      { length: text.length, max_length: maxQueryCharacters },
    );
  }
  const forbidden = /[\0\p{Surrogate}]/u.exec(text);
  if (forbidden) throw unreadable(text, forbidden.index);
  const tokens: Token[] = [];
  let at = 0;
  while (at < text.length) {
    const space = matchAt(spacePattern, text, at);
    if (space !== null) {
      at += space.length;
      continue;
    }
    const token = readToken(text, at);
    tokens.push(token);
    at += token.text.length;
  }
  tokens.push({ kind: 'end', text: '', value: '', position: text.length });
  return tokens;
}

function readToken(text: string, at: number): Token {
  const first = text[at] ?? '';
  if (first === "'" || first === '"') return readString(text, at);
  if (first === '`') {
    const quoted = readQuotedName(text, at);
    return { kind: 'quoted', ...quoted, position: at };
  }
  if (first === '$') {
    if (text[at + 1] === '`') {
      const quoted = readQuotedName(text, at + 1);
      return { kind: 'parameter', text: `$${quoted.text}`, value: quoted.value, position: at };
    }
    const name = matchAt(namePattern, text, at + 1) ?? matchAt(/\d+/uy, text, at + 1);
    if (name === null) throw unreadable(text, at);
    return { kind: 'parameter', text: `$${name}`, value: checkedName(text, at, name), position: at };
  }
  const name = matchAt(namePattern, text, at);
  if (name !== null) return { kind: 'name', text: name, value: checkedName(text, at, name), position: at };
  const number = matchAt(numberPattern, text, at);
  // `1..3` is a range, not the float `1.`, so the regular expression for numbers takes a point only before digits.
  if (number !== null) return readNumber(text, at, number);
  const symbol = matchAt(symbolPattern, text, at);
  if (symbol !== null) return { kind: 'symbol', text: symbol, value: symbol, position: at };
  throw unreadable(text, at);
}

function readNumber(text: string, at: number, number: string): Token {
  const shown = number.length > mostShown ? `${number.slice(0, mostShown)}…` : number;
  const bad = (detail: string, zh: string, en: string) =>
    new CypherSyntaxError({ zh: `${zh}：${shown}`, en: `${en}: ${shown}` }, placeOf(text, at), { found: shown }, detail);
  const isName = matchAt(namePattern, text, at + number.length) !== null;
  if (isName && /\{\s*$/.test(text.slice(0, at)))
    throw bad('UnexpectedSyntax', '名称以数字开头，须放在反引号中', 'A name that begins with a digit must stand in backticks');
  if (isName || /^0[xo]$/i.test(number)) throw bad('InvalidNumberLiteral', '数字写法有误', 'Not a number');
  if (/^(?:0[xo]|\d+$)/i.test(number)) {
    const value = BigInt(number);
    // 2^63, one above the largest integer, is allowed: these are the digits of the smallest integer, whose sign is an operator of its own.
    if (value > maxInteger) throw bad('IntegerOverflow', '整数超出 64 位范围', 'The integer leaves the 64-bit range');
    return { kind: 'integer', text: number, value: value.toString(), position: at };
  }
  if (!Number.isFinite(Number(number))) throw bad('FloatingPointOverflow', '浮点数超出范围', 'The float is out of range');
  return { kind: 'float', text: number, value: Number(number) === 0 ? '0.0' : number, position: at };
}

function readString(text: string, at: number): Token {
  const quote = text[at];
  let value = '';
  let next = at + 1;
  for (;;) {
    const character = text[next];
    if (character === undefined)
      throw new CypherSyntaxError({ zh: '字符串没有结束', en: 'The string does not end' }, placeOf(text, at), {
        found: text.slice(at, at + 20),
      });
    if (character === quote) {
      if (/\p{Surrogate}/u.test(value))
        throw new CypherSyntaxError({ zh: '字符串含有不成对的代理项', en: 'The string holds half a surrogate pair' }, placeOf(text, at));
      return { kind: 'string', text: text.slice(at, next + 1), value, position: at };
    }
    if (character !== '\\') {
      value += character;
      next += 1;
      continue;
    }
    const escape = text[next + 1] ?? '';
    const plain = escapes[escape];
    const unicode =
      escape === 'u' ? matchAt(/[0-9a-fA-F]{4}/y, text, next + 2) : escape === 'U' ? matchAt(/[0-9a-fA-F]{8}/y, text, next + 2) : null;
    const code = unicode === null ? null : Number.parseInt(unicode, 16);
    if (plain !== undefined) value += plain;
    else if (code !== null && code > 0 && code <= 0x10ffff) value += String.fromCodePoint(code);
    else
      throw new CypherSyntaxError(
        { zh: `未知的转义 \\${escape}`, en: `Unknown escape \\${escape}` },
        placeOf(text, next),
        { found: `\\${escape}` },
        escape.toLowerCase() === 'u' ? 'InvalidUnicodeLiteral' : undefined,
      );
    next += 2 + (unicode?.length ?? 0);
  }
}

function readQuotedName(text: string, at: number): { text: string; value: string } {
  const quoted = matchAt(/`(?:[^`]|``)*`/uy, text, at);
  if (quoted === null) {
    throw new CypherSyntaxError({ zh: '反引号名称没有结束', en: 'The name in backticks does not end' }, placeOf(text, at), { found: '`' });
  }
  return { text: quoted, value: checkedName(text, at, quoted.slice(1, -1).replaceAll('``', '`')) };
}

/** Returns the name. Its length is bounded because errors and warnings repeat it in full. @throws CypherSyntaxError for a longer name */
function checkedName(text: string, at: number, name: string): string {
  if (name.length <= maxNameCharacters) return name;
  throw new CypherSyntaxError(
    { zh: `名称过长：最多 ${maxNameCharacters} 个字符`, en: `The name is too long: at most ${maxNameCharacters} characters` },
    placeOf(text, at),
    { length: name.length, max_length: maxNameCharacters },
  );
}

function matchAt(pattern: RegExp, text: string, at: number): string | null {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0] ?? null;
}

function unreadable(text: string, at: number): CypherSyntaxError {
  const found = String.fromCodePoint(text.codePointAt(at) ?? 0);
  const hint = fullWidth.test(found) ? { zh: '，请用半角符号', en: ', use the half-width sign' } : instead(found);
  return new CypherSyntaxError(
    { zh: `无法识别的字符 ${JSON.stringify(found)}${hint.zh}`, en: `Unexpected character ${JSON.stringify(found)}${hint.en}` },
    placeOf(text, at),
    { found },
    found > '\u007f' ? 'InvalidUnicodeCharacter' : undefined,
  );
}
