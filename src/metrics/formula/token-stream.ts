import { type Phrase } from '../../text/bilingual.js';
import { expected } from './phrases.js';
import { canonical } from './formula-keywords.js';
import { type LexedFormula, type Token } from './formula-lexer.js';
import { FormulaParseError, type FormulaProblem } from './formula.errors.js';
import { type Pattern, type SqlText } from './formula-tree.js';

const maxDepth = 32;
/**
 * Maximum operators of a formula. A chain of operators is a tree as deep as its number of operators, and some checks compare each level
 * of the tree with every other level.
 */
const maxOperators = 200;

/** A cursor over the tokens of a formula. It records the pattern that is being parsed, so that an error can name the nearest pattern. */
export class TokenStream {
  private index = 0;
  private depth = 0;
  private operators = 0;
  /** The patterns of the functions whose arguments are being read, the innermost last. */
  private readonly reading: Pattern[] = [];

  constructor(
    private readonly formula: string,
    private readonly lexed: LexedFormula,
  ) {}

  get current(): Token {
    return this.lexed.tokens[this.index] as Token;
  }

  get next(): Token | undefined {
    return this.lexed.tokens[this.index + 1];
  }

  get position(): number {
    return this.current.position;
  }

  advance(): Token {
    const token = this.current;
    if (token.kind !== 'end') this.index++;
    return token;
  }

  isSymbol(text: string): boolean {
    return this.current.kind === 'symbol' && this.current.text === text;
  }

  isWord(keyword: string): boolean {
    return this.current.kind === 'word' && canonical(this.current.text) === keyword;
  }

  /**
   * Consumes the current token if it is one of these operators.
   * @returns the operator, else null
   * @throws FormulaParseError past 200 operators
   */
  takeOperator<T extends string>(...symbols: T[]): T | null {
    const found = symbols.find(symbol => this.isSymbol(symbol));
    if (found === undefined) return null;
    if (++this.operators > maxOperators) {
      const hint = { zh: `公式最多 ${maxOperators} 个运算符`, en: `a formula has at most ${maxOperators} operators` };
      throw this.unexpected([], { hint });
    }
    this.advance();
    return found;
  }

  takeSymbol(text: string): boolean {
    if (!this.isSymbol(text)) return false;
    this.advance();
    return true;
  }

  takeWord(keyword: string): boolean {
    if (!this.isWord(keyword)) return false;
    this.advance();
    return true;
  }

  expectSymbol(text: string, ...alternatives: Phrase[]): void {
    if (!this.takeSymbol(text)) throw this.unexpected([`'${text}'`, ...alternatives]);
  }

  /** Runs `read`, in which errors name `pattern` as the nearest pattern. @throws FormulaParseError past 32 levels */
  within<T>(pattern: Pattern | undefined, read: () => T): T {
    if (++this.depth > maxDepth)
      throw this.unexpected([], { hint: { zh: `公式最多 ${maxDepth} 层`, en: `a formula has at most ${maxDepth} levels` } });
    if (pattern) this.reading.push(pattern);
    const result = read();
    if (pattern) this.reading.pop();
    this.depth--;
    return result;
  }

  unexpected(wanted: readonly Phrase[], { at = this.current, ...problem }: FormulaProblem & { at?: Token } = {}): FormulaParseError {
    const nearest = this.reading.at(-1);
    const written = at.kind === 'end' ? at.text : this.formula.slice(at.start, at.end);
    const found = [...written].slice(0, 60).join('');
    return new FormulaParseError(this.formula, at.position, {
      expected: wanted,
      found,
      ...(nearest && { nearest }),
      ...problem,
    });
  }

  /**
   * Reads SQL from the current token up to the first token at the same nesting that `ends` accepts. That token is not consumed. Only
   * names, quotes and parentheses matter here; the SQL guard judges the meaning later.
   */
  sqlUntil(ends: (token: Token) => boolean, visit: (token: Token, next: Token | undefined) => void, wanted: readonly Phrase[]): SqlText {
    const first = this.current;
    const open: string[] = [];
    let last: Token | undefined;
    while (this.current.kind !== 'end') {
      const token = this.current;
      if (open.length === 0 && ends(token)) break;
      visit(token, this.next);
      if (token.text === '(' || token.text === '[') open.push(token.text);
      if (token.text === ')' || token.text === ']') {
        if (open.pop() !== (token.text === ')' ? '(' : '[')) throw this.unexpected(wanted);
      }
      last = this.advance();
    }
    if (!last || open.length > 0) throw this.unexpected(open.length > 0 ? [open.at(-1) === '(' ? "')'" : "']'"] : [expected.expression]);
    return { text: this.lexed.text.slice(first.start, last.end), position: first.position };
  }
}
