import { type Bilingual } from '../../text/bilingual.js';

/**
 * The error of a regular expression that is outside of the supported subset. `offset` is the 0-based place of the fault in the expression.
 */
export class RegexError extends Error {
  constructor(
    readonly text: Bilingual,
    readonly offset: number,
  ) {
    super(text.en);
  }
}

const maxLength = 200;
/**
 * The most repetitions of one quantifier (PostgreSQL's limit), and the largest product of nested quantifiers (RE2's limit, see `maxRepeat`
 * in regexp.go).
 */
const maxRepeat = 255;
const maxNestedRepeat = 1000;

const classEscapes: Record<string, string> = { d: '0-9', w: 'A-Za-z0-9_', s: ' \\t\\n\\f\\r' };
const negatedEscapes: Record<string, string> = { D: '[^0-9]', W: '[^A-Za-z0-9_]', S: '[^ \\t\\n\\f\\r]' };
const controlEscapes: Record<string, string> = { n: '\\n', t: '\\t', r: '\\r', f: '\\f', v: '\\v' };
const posixClasses = ['alnum', 'alpha', 'blank', 'cntrl', 'digit', 'graph', 'lower', 'print', 'punct', 'space', 'upper', 'xdigit'];

/**
 * Translates a regular expression of the RE2 subset (https://github.com/google/re2/wiki/Syntax without Unicode classes, flags and
 * \Q…\E) into a PostgreSQL advanced regular expression that must match the whole value. Look-around and back-references are
 * refused, so matching never backtracks.
 * @throws RegexError
 */
export function toPostgresRegex(pattern: string): string {
  if ([...pattern].length > maxLength) {
    throw new RegexError({ zh: `正则超过 ${maxLength} 个字符`, en: `the expression is longer than ${maxLength} characters` }, maxLength);
  }
  if (pattern.includes('\0')) throw new RegexError({ zh: '正则含 NUL', en: 'the expression contains NUL' }, pattern.indexOf('\0'));
  const translator = new Translator(pattern);
  return `^(?:${translator.translate()})$`;
}

class Translator {
  private at = 0;

  constructor(private readonly pattern: string) {}

  translate(): string {
    const { regex } = this.alternatives(0);
    if (this.at < this.pattern.length) throw this.error('括号不匹配', 'unmatched )');
    return regex;
  }

  private alternatives(depth: number): { regex: string; repeat: number } {
    if (depth > 20) throw this.error('嵌套过深', 'nested too deeply');
    let regex = '';
    let repeat = 1;
    while (this.at < this.pattern.length && this.peek() !== ')') {
      if (this.peek() === '|') {
        this.at++;
        regex += '|';
        continue;
      }
      const atom = this.atom(depth);
      const quantifier = atom.repeatable ? this.quantifier() : { regex: '', max: 1 };
      const total = atom.repeat * quantifier.max;
      if (total > maxNestedRepeat) throw this.error('重复次数过大', 'nested repetition is too large');
      repeat = Math.max(repeat, total);
      regex += atom.regex + quantifier.regex;
    }
    return { regex, repeat };
  }

  private atom(depth: number): { regex: string; repeat: number; repeatable: boolean } {
    const symbol = this.take();
    const single = (regex: string, repeatable = true): { regex: string; repeat: number; repeatable: boolean } => ({
      regex,
      repeat: 1,
      repeatable,
    });
    switch (symbol) {
      case '(': {
        this.groupOpening();
        const opened = this.at;
        const inner = this.alternatives(depth + 1);
        if (this.peek() !== ')') throw this.error('缺少右括号', 'missing )', opened - 1);
        this.at++;
        return { regex: `(?:${inner.regex})`, repeat: inner.repeat, repeatable: true };
      }
      case '[':
        return single(this.bracket());
      case '.':
        return single('[^\\n]');
      case '^':
      case '$':
        return single(symbol, false);
      case '*':
      case '+':
      case '?':
        throw this.error(`「${symbol}」前没有可重复的内容`, `nothing to repeat before ${symbol}`, this.at - 1);
      case '{':
      case '}':
      case ']':
        throw this.error(`请写成 \\${symbol}`, `write \\${symbol} for a literal ${symbol}`, this.at - 1);
      case '\\':
        return this.escape();
      default:
        return single(symbol);
    }
  }

  private groupOpening(): void {
    if (this.peek() !== '?') return;
    const rest = this.pattern.slice(this.at);
    const opening = /^\?(?::|P?<[A-Za-z_][A-Za-z0-9_]*>)/.exec(rest);
    if (!opening) throw this.error('不支持环视和内联标志', 'look-around and inline flags are not supported');
    this.at += opening[0].length;
  }

  private quantifier(): { regex: string; max: number } {
    const rest = this.pattern.slice(this.at);
    const match = /^(?:[*+?]|\{(\d{1,4})(,(\d{1,4})?)?\})\??/.exec(rest);
    if (!match) return { regex: '', max: 1 };
    const start = this.at;
    this.at += match[0].length;
    if (/^[*+?{]/.test(this.pattern.slice(this.at))) throw this.error('重复符号不能连写', 'two repetitions in a row');
    // Whether a quantifier is greedy or lazy decides which part matches, but not whether the whole value matches. So the mark of a lazy
    // quantifier is dropped.
    const regex = match[0].length > 1 && match[0].endsWith('?') ? match[0].slice(0, -1) : match[0];
    if (match[1] === undefined) return { regex, max: 1 };
    const low = Number(match[1]);
    const high = match[2] === undefined ? low : match[3] === undefined ? low : Number(match[3]);
    if (high > maxRepeat || low > maxRepeat) throw this.error(`重复次数最多 ${maxRepeat}`, `at most ${maxRepeat} repetitions`, start);
    if (low > high) throw this.error('重复范围颠倒', 'the repetition range is reversed', start);
    return { regex, max: Math.max(1, high) };
  }

  private escape(): { regex: string; repeat: number; repeatable: boolean } {
    if (this.at >= this.pattern.length) throw this.error('以反斜杠结尾', 'trailing backslash');
    const symbol = this.take();
    const atom = (regex: string, repeatable = true): { regex: string; repeat: number; repeatable: boolean } => ({
      regex,
      repeat: 1,
      repeatable,
    });
    if (symbol === 'b') return atom('\\y', false);
    if (symbol === 'B') return atom('\\Y', false);
    if (symbol === 'A' || symbol === 'z') return atom(symbol === 'A' ? '^' : '$', false);
    const charClass = classEscapes[symbol];
    if (charClass !== undefined) return atom(`[${charClass}]`);
    const negated = negatedEscapes[symbol];
    if (negated !== undefined) return atom(negated);
    return atom(this.escapedCharacter(symbol));
  }

  /**
   * PostgreSQL's form of an escaped character; `symbol` is the character after the backslash. @throws RegexError for an unsupported escape
   */
  private escapedCharacter(symbol: string): string {
    const control = controlEscapes[symbol];
    if (control !== undefined) return control;
    if (symbol === 'x') {
      const code = /^(?:\{([0-9A-Fa-f]{1,6})\}|([0-9A-Fa-f]{2}))/.exec(this.pattern.slice(this.at));
      const point = code ? parseInt(code[1] ?? code[2]!, 16) : 0;
      if (!code || point === 0 || point > 0x10ffff) throw this.error('\\x 后应为十六进制码点', '\\x needs a hexadecimal code point');
      this.at += code[0].length;
      return `\\U${point.toString(16).padStart(8, '0')}`;
    }
    if (/[A-Za-z0-9]/.test(symbol)) throw this.error(`不支持 \\${symbol}`, `\\${symbol} is not supported`, this.at - 2);
    return `\\${symbol}`;
  }

  private bracket(): string {
    const opened = this.at - 1;
    let regex = '[';
    if (this.peek() === '^') {
      regex += '^';
      this.at++;
    }
    for (let first = true; first || this.peek() !== ']'; first = false) {
      if (this.at >= this.pattern.length) throw this.error('字符组没有结束', 'unterminated character class', opened);
      regex += this.bracketItem(opened);
    }
    this.at++;
    return `${regex}]`;
  }

  private bracketItem(opened: number): string {
    const posix = /^\[:([a-z]+):\]/.exec(this.pattern.slice(this.at));
    if (posix) {
      if (!posixClasses.includes(posix[1]!)) throw this.error(`未知字符类 ${posix[0]}`, `unknown character class ${posix[0]}`);
      this.at += posix[0].length;
      return posix[0];
    }
    if (this.peek() === '\\') {
      const symbol = this.pattern.charAt(this.at + 1);
      const charClass = classEscapes[symbol];
      if (charClass !== undefined) {
        this.at += 2;
        return charClass;
      }
    }
    const low = this.bracketCharacter(opened);
    if (this.peek() !== '-' || this.pattern.charAt(this.at + 1) === ']' || this.at + 1 >= this.pattern.length) return low.regex;
    this.at++;
    const high = this.bracketCharacter(opened);
    if (low.point > high.point) throw this.error('字符范围颠倒', 'the character range is reversed', opened);
    return `${low.regex}-${high.regex}`;
  }

  private bracketCharacter(opened: number): { regex: string; point: number } {
    if (this.at >= this.pattern.length) throw this.error('字符组没有结束', 'unterminated character class', opened);
    const symbol = this.take();
    if (symbol === '\\') {
      if (this.at >= this.pattern.length) throw this.error('字符组没有结束', 'unterminated character class', opened);
      const escaped = this.escapedCharacter(this.take());
      return { regex: escaped, point: escapedPoint(escaped) };
    }
    const regex = '[]-^\\'.includes(symbol) ? `\\${symbol}` : symbol;
    return { regex, point: symbol.codePointAt(0)! };
  }

  private peek(): string {
    return this.pattern.charAt(this.at);
  }

  /** Takes one code point, so that a repetition never splits a surrogate pair. */
  private take(): string {
    const symbol = String.fromCodePoint(this.pattern.codePointAt(this.at)!);
    this.at += symbol.length;
    return symbol;
  }

  private error(zh: string, en: string, offset = this.at): RegexError {
    return new RegexError({ zh, en }, offset);
  }
}

function escapedPoint(regex: string): number {
  if (regex.startsWith('\\U')) return parseInt(regex.slice(2), 16);
  const controls: Record<string, number> = { '\\n': 10, '\\t': 9, '\\r': 13, '\\f': 12, '\\v': 11 };
  return controls[regex] ?? regex.codePointAt(1)!;
}
