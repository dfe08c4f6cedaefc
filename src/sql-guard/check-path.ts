import { type Bilingual } from '../text/bilingual.js';
import { mostFormat } from './check-sought.js';
import { constantText, withoutCast } from './constant-text.js';
import { isShortList } from './most-characters.js';
import { Refusal } from './walk-tree.js';

const longestPath = 1_000;

/** Refuses a jsonpath that can find the same element many times, or whose evaluation PostgreSQL cannot interrupt. @throws Refusal */
export function checkPath(node: unknown, variables: unknown, name: string, offset: number | undefined): void {
  const path = constantText(withoutCast(node));
  const tokens = path !== null && path.length <= longestPath ? tokensOf(path) : null;
  if (!tokens || multiplies(tokens)) throw new Refusal('function', name, offset, plainPath);
  if (tokens.some((token, at) => token.length > mostFormat + 2 && isTemplate(tokens, at)))
    throw new Refusal('function', name, offset, shortTemplate);
  // A variable may hold a list, and a comparison compares each item of a list.
  const isConstant = constantText(withoutCast(variables)) !== null && isShortList(variables);
  tokens.forEach((token, at) => {
    if (comparisons.has(token) && !isValueBefore(tokens, at, isConstant) && !isValueAfter(tokens, at, isConstant))
      throw new Refusal('function', name, offset, oneValue);
  });
}

const comparisons: ReadonlySet<string> = new Set(['==', '!=', '<>', '<', '<=', '>', '>=']);

/**
 * One token of PostgreSQL's jsonpath_scan.l: a text in quotes, a number, an operator, a name or a variable. The pattern fits neither a
 * comment nor a backslash outside of quotes, because these could hide a quote from it.
 */
const token = /[ \t\n\r\f]+|\$?"(?:[^"\\]|\\[^])*"|(?:\d\w*(?:\.\w*)?|\.\d\w*)(?:(?<=[eE])[-+]\d+)?|==|!=|<>|<=|>=|&&|\|\||\*\*|\$?[^?%$.[\]{}()|&!=<>@#,*:+/\\" \t\n\r\f-]+|\/(?!\*)|[?%$.[\]{}()|&!=<>@#,*:+-]/gy; // prettier-ignore

/** The tokens of a path without its spaces; null for a text that holds anything else. */
function tokensOf(path: string): string[] | null {
  const tokens = [...path.matchAll(token)].map(([text]) => text);
  return tokens.join('') === path ? tokens.filter(text => text.trim() !== '') : null;
}

/** Whether a token is the template of `datetime("YYYY-MM-DD")`. */
function isTemplate(tokens: readonly string[], at: number): boolean {
  return tokens[at - 1] === '(' && tokens[at - 2]?.toLowerCase() === 'datetime';
}

/**
 * Whether a path multiplies what it finds. `$[0,0,0][0,0,0]…` finds the same element many times: a list of subscripts multiplies, as
 * `keyvalue()` does, and `**` visits every level.
 */
function multiplies(tokens: readonly string[]): boolean {
  return tokens.some((token, at) => token === ',' || token === '**' || (tokens[at - 1] === '.' && tokens[at + 1] === '(' && /^(?:keyvalue|decimal)$/i.test(token))); // prettier-ignore
}

/**
 * Whether the left side of a comparison is one value. PostgreSQL compares each item of one side with each of the other, in
 * `executePredicate` of jsonpath_exec.c, and neither its time limit nor a cancellation ends that: 12,000 items on either side took 19 s
 * after a limit of 0.2 s.
 */
function isValueBefore(tokens: readonly string[], at: number, variables: boolean): boolean {
  // The value must be the whole left side, so it must begin where a predicate may begin.
  for (let start = at - 1; start >= 0 && !isBetweenSides(tokens[start]); start -= 1) {
    const before = tokens[start - 1];
    const mayBegin = before === undefined || /^(?:\(|&&|\|\||lax|strict)$/i.test(before);
    if (mayBegin && endOfValue(tokens, start, variables) === at) return true;
  }
  return false;
}

function isValueAfter(tokens: readonly string[], at: number, variables: boolean): boolean {
  const end = endOfValue(tokens, at + 1, variables);
  return end !== null && (tokens[end] === undefined || /^(?:\)|&&|\|\|)$/.test(tokens[end]));
}

function isBetweenSides(token: string | undefined): boolean {
  return token === '&&' || token === '||' || (token !== undefined && comparisons.has(token));
}

/**
 * The index of the token behind the value that begins at token `at`: a constant with signs, in parentheses or with methods, as in
 * `"2024-01-01".datetime()`. Null if no such value begins there.
 */
function endOfValue(tokens: readonly string[], at: number, variables: boolean): number | null {
  let start = at;
  while (isSign(tokens[start])) start += 1;
  let end: number | null = isValue(tokens[start], variables) ? start + 1 : null;
  if (tokens[start] === '(') end = behindParenthesis(tokens, endOfValue(tokens, start + 1, variables));
  while (end !== null && tokens[end] === '.' && tokens[end + 2] === '(')
    end = behindParenthesis(tokens, end + (isValue(tokens[end + 3], false) ? 4 : 3));
  return end;
}

function behindParenthesis(tokens: readonly string[], at: number | null): number | null {
  return at !== null && tokens[at] === ')' ? at + 1 : null;
}

function isSign(token: string | undefined): boolean {
  return token === '-' || token === '+';
}

function isValue(token: string | undefined, variables: boolean): boolean {
  if (token === undefined) return false;
  return /^(?:"|\.?\d)/.test(token) || /^(?:true|false|null)$/i.test(token) || (variables && /^\$./.test(token));
}

const plainPath: Bilingual = {
  zh: `路径必须是至多 ${longestPath} 个字符的常量，不含逗号分隔的下标、**、注释、引号外的反斜杠、keyvalue() 与 decimal()`,
  en: `its path must be a constant of at most ${longestPath} characters without lists of subscripts, **, comments, backslashes outside of quotes, keyvalue() and decimal()`,
};
const shortTemplate: Bilingual = {
  zh: `datetime() 的格式至多 ${mostFormat} 个字符`,
  en: `the format of datetime() has at most ${mostFormat} characters`,
};
const oneValue: Bilingual = {
  zh: '路径中的比较须有一边是写出的值，如 @.price > 5；两部分相比请写 @.price - @.cost > 0，或在 SQL 中比较取出的值',
  en: 'one side of a comparison in its path must be a value that is written there, as in @.price > 5; to compare two parts write @.price - @.cost > 0, or compare the values in SQL',
};
