import { type Bilingual, inBoth, type Phrase } from '../../text/bilingual.js';
import {
  CypherNotSupportedError,
  CypherReadOnlyError,
  CypherSyntaxError,
  CypherTooDeepError,
  placeOf,
  type TextPlace,
} from './cypher.errors.js';
import { type PathPattern, type UnionQuery } from './cypher-ast.js';
import { instead, type oldForms } from './old-forms.js';
import { expected } from './phrases.js';
import { tokenize, type Token } from './tokenize.js';

export const maxDepth = 64;

/**
 * Maximum links that stand in each other: operators of chains such as `a + b + c`, and clauses. Each takes stack when it is compiled and
 * run; some 3,000 operators or 1,200 clauses leave no stack.
 */
const maxLinks = 512;

/**
 * Parser functions for patterns and clauses that the expression parser calls. They call the expression parser in turn, so the stream passes
 * them on, which avoids a circular import.
 */
export interface OuterRules {
  path(tokens: TokenStream): PathPattern;
  chain(tokens: TokenStream): PathPattern;
  shortestPath(tokens: TokenStream): PathPattern;
  subquery(tokens: TokenStream): UnionQuery;
}

/** A cursor over the tokens of one query, with the tests that a recursive descent parser needs. */
export class TokenStream {
  private readonly tokens: Token[];
  private index = 0;
  /** Indexes of tokens at which the first rule of `either` has failed; the first rule is not tried there again. */
  private readonly dead = new Set<number>();
  private depth = 0;
  /** The most links that stand in each other in the text that the innermost `chained` has read so far. */
  private links = 0;
  /** Index of the `|` that ends the current condition; -1 outside of a condition. */
  private endOfCondition = -1;

  constructor(
    readonly text: string,
    readonly rules: OuterRules,
  ) {
    this.tokens = tokenize(text);
  }

  get current(): Token {
    return this.peek(0);
  }

  peek(ahead: number): Token {
    const token = this.tokens[Math.min(this.index + ahead, this.tokens.length - 1)];
    if (!token) throw new Error('a token list always ends with the end token');
    return token;
  }

  next(): Token {
    const token = this.current;
    if (token.kind !== 'end') this.index += 1;
    return token;
  }

  isSymbol(symbol: string, ahead = 0): boolean {
    const token = this.peek(ahead);
    return token.kind === 'symbol' && token.text === symbol;
  }

  isKeyword(keyword: string, ahead = 0): boolean {
    const token = this.peek(ahead);
    return token.kind === 'name' && token.text.toUpperCase() === keyword;
  }

  takeSymbol(symbol: string): boolean {
    if (!this.isSymbol(symbol)) return false;
    this.index += 1;
    return true;
  }

  /**
   * Reads the condition of a comprehension, which ends before the last `|` of its brackets: `[x IN list WHERE x:A|B | x]` has the labels
   * A and B, `[x IN list WHERE x:A | B]` has A.
   */
  beforeProjection<T>(condition: () => T): T {
    const outer = this.endOfCondition;
    this.endOfCondition = this.lastBarInside();
    try {
      return condition();
    } finally {
      this.endOfCondition = outer;
    }
  }

  /** Takes a `|` between labels, but not the `|` that ends the current condition. */
  takeAlternative(): boolean {
    return this.index !== this.endOfCondition && this.takeSymbol('|');
  }

  private lastBarInside(): number {
    let [last, depth] = [-1, 0];
    for (let at = this.index; at < this.tokens.length && depth >= 0; at += 1) {
      const { kind, text } = this.tokens[at]!;
      if (kind !== 'symbol') continue;
      if ('([{'.includes(text)) depth += 1;
      else if (')]}'.includes(text)) depth -= 1;
      else if (text === '|' && depth === 0) last = at;
    }
    return last;
  }

  /** Takes all of `keywords`, in this order, or none of them. Returns whether it took them. */
  takeKeywords(...keywords: string[]): boolean {
    if (!keywords.every((keyword, ahead) => this.isKeyword(keyword, ahead))) return false;
    this.index += keywords.length;
    return true;
  }

  expectSymbol(symbol: string): Token {
    if (!this.isSymbol(symbol)) throw this.unexpected(`'${symbol}'`);
    return this.next();
  }

  /** Takes a label, type, property, map key or alias: any name, also a keyword. */
  expectName(what: Bilingual): Token {
    const { kind, value } = this.current;
    // Only the key of a map may be empty.
    if ((kind !== 'name' && kind !== 'quoted') || (value === '' && what !== expected.propertyName)) throw this.unexpected(what);
    return this.next();
  }

  /** The text of the query from `start` to the end of the last token taken. */
  textSince(start: number): string {
    const last = this.tokens[this.index - 1];
    return last ? this.text.slice(start, last.position + last.text.length) : '';
  }

  /**
   * Parses by the first rule, or if this rule fails by the second rule from the same place. The first rule fails by a syntax error or by
   * null. It is not tried again at a place where it has failed.
   */
  either<T>(first: () => T | null, second: () => T): T {
    const [start, depth, links] = [this.index, this.depth, this.links];
    if (!this.dead.has(start)) {
      try {
        const result = first();
        if (result !== null) return result;
      } catch (error) {
        // The second rule nests no less, and its own error would hide that the query is too deep.
        if (!(error instanceof CypherSyntaxError) || error instanceof CypherTooDeepError) throw error;
      }
      this.dead.add(start);
      this.index = start;
      this.depth = depth;
      this.links = links;
    }
    return second();
  }

  /** Runs one nested rule. More than 64 levels are refused before the call stack is in danger. */
  nested<T>(rule: () => T): T {
    this.depth += 1;
    if (this.depth > maxDepth) throw this.tooDeep();
    const result = rule();
    this.depth -= 1;
    return result;
  }

  /**
   * Parses the first part of a chain, then its links until `link` returns null. The tree of a chain leans left: each link adds one level,
   * also to the parts inside of the chain.
   */
  chained<T>(first: () => T, link: (left: T) => T | null, most = maxDepth): T {
    const before = this.links;
    this.links = 0;
    let left = first();
    for (let count = 0; ; count += 1) {
      const inLeft = this.links;
      this.links = 0;
      const next = link(left);
      if (next === null) {
        this.links = Math.max(before, inLeft);
        return left;
      }
      this.links = 1 + Math.max(inLeft, this.links);
      if (count >= most) throw this.tooDeep();
      if (this.links > maxLinks) throw this.tooManyLinks();
      left = next;
    }
  }

  tooDeep(): CypherTooDeepError {
    return new CypherTooDeepError(
      { zh: `表达式嵌套过深：最多 ${maxDepth} 层`, en: `The expression nests too deep: at most ${maxDepth} levels` },
      this.place(),
      { max_depth: maxDepth },
    );
  }

  private tooManyLinks(): CypherTooDeepError {
    return new CypherTooDeepError(
      {
        zh: `运算符与子句叠得过深：最多 ${maxLinks} 层`,
        en: `Operators and clauses are stacked too deep: at most ${maxLinks} levels`,
      },
      this.place(),
      { max_links: maxLinks },
    );
  }

  /** @param old keys of `oldForms` that the current token may belong to; the error then names the form to write instead */
  unexpected(wanted: Phrase, detail?: string, ...old: (keyof typeof oldForms)[]): CypherSyntaxError {
    const found = inBoth(this.current.kind === 'end' ? expected.endOfQuery : this.current.text);
    const { zh, en } = inBoth(wanted);
    const now = instead(...old, ...this.writtenHere());
    return new CypherSyntaxError(
      { zh: `语法错误：此处应为 ${zh}，实际为 ${found.zh}${now.zh}`, en: `Syntax error: expected ${en}, found ${found.en}${now.en}` },
      this.place(),
      { found: found.en, expected: en },
      detail,
    );
  }

  /**
   * The current token alone, followed by the next token, and preceded by the previous one. An old form is one token (`LIKE`) or two (`!=`).
   */
  private writtenHere(): string[] {
    const { text } = this.current;
    return [text, text + this.peek(1).text, (this.tokens[this.index - 1]?.text ?? '') + text];
  }

  refuse(sentence: Bilingual, position: number, facts: Record<string, unknown> = {}, detail?: string): CypherSyntaxError {
    return new CypherSyntaxError(sentence, placeOf(this.text, position), facts, detail);
  }

  notSupported(feature: Phrase, position = this.current.position, hint?: Bilingual): CypherNotSupportedError {
    return new CypherNotSupportedError(feature, placeOf(this.text, position), hint);
  }

  readOnly(feature: string): CypherReadOnlyError {
    return new CypherReadOnlyError(feature, this.place());
  }

  private place(): TextPlace {
    return placeOf(this.text, this.current.position);
  }
}
