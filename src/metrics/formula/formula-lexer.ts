import { type Bilingual } from '../../text/bilingual.js';
import { FormulaParseError } from './formula.errors.js';
import { type Pattern } from './formula-tree.js';

export interface Token {
  kind: 'number' | 'word' | 'quoted' | 'string' | 'metric' | 'symbol' | 'end';
  /** As written, full-width punctuation already replaced. */
  text: string;
  /** The name inside quotes or brackets, without them; otherwise as `text`. */
  value: string;
  /** UTF-16 offsets into the normalised text, which is as long as the formula. */
  start: number;
  end: number;
}

export interface LexedFormula {
  /** The formula with full-width punctuation outside quotes and brackets replaced, one character for one. */
  text: string;
  tokens: Token[];
}

const maxLength = 4_000;

const fullWidth: Record<string, string> = {
  '（': '(',
  '）': ')',
  '，': ',',
  '／': '/',
  '＊': '*',
  '＋': '+',
  '－': '-',
  '％': '%',
  '：': ':',
  '＝': '=',
  '＜': '<',
  '＞': '>',
  '“': '"',
  '”': '"',
  '\u00a0': ' ',
  '\u3000': ' ',
};

const rules: [Token['kind'] | 'space', RegExp][] = [
  ['space', /[ \t\r\n]+/y],
  ['string', /[eE]'(?:[^'\\]|\\[\s\S]|'')*'/y],
  ['string', /'(?:[^']|'')*'/y],
  ['quoted', /"(?:[^"”]|"")*["”]/y],
  ['metric', /\[(?:[^\]]|\]\])*\]/y],
  ['number', /\d+(?:\.\d+)?(?![\d.])/y],
  ['word', /[\p{XID_Start}_][\p{XID_Continue}$]*/uy],
  ['symbol', /->/y],
  ['symbol', /[\s\S]/uy],
];

/**
 * Cuts a formula into tokens. Only what stands outside quotes and brackets is normalised, and never by NFKC, which would change
 * literals and column names.
 * @throws FormulaParseError for a text past 4,000 characters, control characters or an unterminated quote or bracket
 */
export function lexFormula(formula: string): LexedFormula {
  if ([...formula].length > maxLength) throw problemAt(formula, 0, { expected: [`at most ${maxLength} characters`] });
  const control = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]|\p{Surrogate}/u.exec(formula);
  if (control)
    throw problemAt(formula, control.index, { expected: [], hint: { zh: '不允许控制字符', en: 'control characters are not allowed' } });

  const tokens: Token[] = [];
  let text = formula;
  let at = 0;
  while (at < text.length) {
    const replacement = fullWidth[text[at] ?? ''];
    if (replacement !== undefined) text = text.slice(0, at) + replacement + text.slice(at + 1);
    const [kind, matched] = match(text, at, tokens.at(-1));
    const end = at + matched.length;
    if (kind === 'quoted' && matched.endsWith('”')) text = `${text.slice(0, end - 1)}"${text.slice(end)}`;
    if (kind === 'symbol' && (matched === "'" || matched === '"' || (matched === '[' && !isSubscript(tokens.at(-1), at)))) {
      throw problemAt(formula, at, { expected: [], hint: { zh: `${matched} 没有闭合`, en: `this ${matched} is never closed` } });
    }
    if (kind !== 'space') tokens.push({ kind, text: text.slice(at, end), value: valueOf(kind, matched), start: at, end });
    at = end;
  }
  tokens.push({ kind: 'end', text: 'end of formula', value: '', start: text.length, end: text.length });
  return { text, tokens };
}

function match(text: string, at: number, previous: Token | undefined): [Token['kind'] | 'space', string] {
  for (const [kind, pattern] of rules) {
    if (kind === 'metric' && isSubscript(previous, at)) continue;
    pattern.lastIndex = at;
    const found = pattern.exec(text);
    if (found) return [kind, found[0]];
  }
  throw new Error('the last rule matches any character');
}

/** `tags[1]` and `ARRAY[1, 2]` are SQL; a bracket that follows nothing names a metric. */
function isSubscript(previous: Token | undefined, at: number): boolean {
  if (!previous || previous.end !== at) return false;
  return previous.kind === 'word' || previous.kind === 'quoted' || previous.text === ')' || previous.text === ']';
}

function valueOf(kind: Token['kind'] | 'space', matched: string): string {
  if (kind === 'metric') return matched.slice(1, -1).replaceAll(']]', ']').trim();
  if (kind === 'quoted') return matched.slice(1, -1).replaceAll('""', '"');
  return matched;
}

export interface ProblemFacts {
  expected: string[];
  found?: string;
  nearest?: Pattern;
  hint?: Bilingual;
  /** See FormulaParseError. */
  sentence?: Bilingual;
}

/** Builds the error for an offset (UTF-16) of the formula. */
export function problemAt(formula: string, offset: number, { expected, found, nearest, hint, sentence }: ProblemFacts): FormulaParseError {
  const before = formula.slice(0, offset);
  const lineStart = before.lastIndexOf('\n') + 1;
  const rest = [...formula.slice(offset, offset + 80)];
  const problem = {
    position: positionOf(formula, offset),
    line: before.split('\n').length,
    column: positionOf(formula.slice(lineStart), offset - lineStart),
    found: found ?? (rest.length > 0 ? rest.slice(0, 20).join('') : 'end of formula'),
    expected,
    nearest_pattern: nearest ?? 'arithmetic',
    ...(hint !== undefined && { hint: hint.en }),
  };
  return new FormulaParseError(problem, hint?.zh, sentence);
}

/** 1-based position in code points. */
export function positionOf(text: string, offset: number): number {
  return [...text.slice(0, offset)].length + 1;
}
