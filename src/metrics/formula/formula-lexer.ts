import { positionAt } from '../../text/place.js';
import { FormulaParseError } from './formula.errors.js';

export interface Token {
  kind: 'number' | 'word' | 'quoted' | 'string' | 'metric' | 'symbol' | 'end';
  /** The text of the token as written, with full-width signs replaced. */
  text: string;
  /** The name without its quotes or brackets; a number with at least one digit before its point; for other tokens, `text`. */
  value: string;
  /** UTF-16 offsets into the normalised text, which is as long as the formula. */
  start: number;
  end: number;
  /** The place of the first character, counted in characters (code points) from 1. */
  position: number;
}

export interface LexedFormula {
  /**
   * The formula with its full-width signs and digits replaced by ASCII, one character for one. Text inside quotes, brackets and names is
   * unchanged.
   */
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
  '×': '*',
  '÷': '/',
  '−': '-',
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
  ['string', /‘[^‘’']*’/y],
  ['quoted', /"(?:[^"”]|"")*["”]/y],
  ['metric', /\[(?:[^\]]|\]\])*\]/y],
  ['metric', /【[^【】]*】/y],
  ['number', /(?:[\d０-９]+(?:\.[\d０-９]+)?|\.[\d０-９]+)(?![\d０-９.])/y],
  ['word', /[\p{XID_Start}_][\p{XID_Continue}$]*/uy],
  ['symbol', /->|→/y],
  ['symbol', /[\s\S]/uy],
];

/**
 * Cuts a formula into tokens. Only text outside quotes and brackets is normalised. NFKC is not used, because it would change
 * literals and column names.
 * @throws FormulaParseError for a text past 4,000 characters, control characters or an unterminated quote or bracket
 */
export function lexFormula(formula: string): LexedFormula {
  if ([...formula].length > maxLength)
    throw new FormulaParseError(formula, 1, {
      expected: [{ zh: `最多 ${maxLength} 个字符`, en: `at most ${maxLength} characters` }],
    });
  const control = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]|\p{Surrogate}/u.exec(formula);
  if (control) {
    const hint = { zh: '不允许控制字符', en: 'control characters are not allowed' };
    throw new FormulaParseError(formula, positionAt(formula, control.index), { hint });
  }

  const tokens: Token[] = [];
  let text = formula;
  let at = 0;
  let position = 1;
  while (at < text.length) {
    const replacement = fullWidth[text[at] ?? ''];
    if (replacement !== undefined) text = text.slice(0, at) + replacement + text.slice(at + 1);
    const [kind, matched] = match(text, at, tokens.at(-1));
    const end = at + matched.length;
    const plain = inAscii(kind, matched);
    if (plain !== matched) text = text.slice(0, at) + plain + text.slice(end);
    if (kind === 'symbol' && (/^['"【]$/.test(matched) || (matched === '[' && !isSubscript(tokens.at(-1), at)))) {
      const hint = { zh: `${matched} 没有闭合`, en: `this ${matched} is never closed` };
      throw new FormulaParseError(formula, position, { hint });
    }
    if (kind !== 'space') tokens.push({ kind, text: plain, value: valueOf(kind, plain), start: at, end, position });
    at = end;
    position += [...matched].length;
  }
  tokens.push({ kind: 'end', text: 'end of formula', value: '', start: text.length, end: text.length, position });
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

/** Whether a bracket is a subscript of SQL, as in `tags[1]` and `ARRAY[1, 2]`. Otherwise it begins a `[metric]`. */
function isSubscript(previous: Token | undefined, at: number): boolean {
  if (!previous || previous.end !== at) return false;
  return previous.kind === 'word' || previous.kind === 'quoted' || previous.text === ')' || previous.text === ']';
}

/**
 * Returns a token with full-width quotes, brackets and digits replaced by ASCII. Its length and the text inside quotes and brackets stay
 * the same.
 */
function inAscii(kind: Token['kind'] | 'space', matched: string): string {
  if (kind === 'number') return matched.replace(/[０-９]/g, digit => String.fromCharCode(digit.charCodeAt(0) - 0xfee0));
  if (kind === 'quoted') return `"${matched.slice(1, -1)}"`;
  if (matched.startsWith('‘') && kind === 'string') return `'${matched.slice(1, -1)}'`;
  return kind === 'metric' ? `[${matched.slice(1, -1)}]` : matched;
}

function valueOf(kind: Token['kind'] | 'space', matched: string): string {
  if (kind === 'metric') return matched.slice(1, -1).replaceAll(']]', ']').trim();
  if (kind === 'quoted') return matched.slice(1, -1).replaceAll('""', '"');
  if (kind === 'number') return matched.replace(/^\./, '0.');
  return matched;
}
