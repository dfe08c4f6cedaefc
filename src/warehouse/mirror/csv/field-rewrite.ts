import { type Bilingual } from '../../../text/bilingual.js';
import { type FilePlace } from '../copy/file-problem.js';
import { csvProblem } from './csv-problem.js';

/**
 * The most bytes of a field that can be rewritten. A longer field is refused, because rewriting it would block the event loop for too long.
 * NDJSON allows lists of any length, which are read in parts.
 */
export const longestRewritten = 256 * 1024;

/** Turns the text of a field into a spelling that PostgreSQL reads. */
export interface FieldRewrite {
  /** Null for a text that is not in the expected form. */
  rewrite: (text: string) => string | null;
  /** The expected form in words, for the message about a text that is not in this form. */
  wanted: Bilingual;
  /** The decimal sign, for a form of numbers. Such a form is allowed only for columns of numbers, and never rewrites numbers of JSON. */
  decimalSign?: '.' | ',';
}

/**
 * Rewrites a quoted or unquoted CSV field into a quoted field. A field whose text stays the same is returned unchanged.
 * @throws SchemaError for a text that is not in the form
 */
export function rewriteField(form: FieldRewrite, field: string, place: FilePlace): string {
  const text = field.startsWith('"') ? field.slice(1, -1).replaceAll('""', '"') : field;
  const rewritten = form.rewrite(text);
  if (rewritten === text) return field;
  if (rewritten !== null) return `"${rewritten.replaceAll('"', '""')}"`;
  throw csvProblem('value', place, misread(place.column ?? '', text, form));
}

/** The message about a text that is not in the form of its column. */
export function misread(column: string, text: string, { wanted }: FieldRewrite): Bilingual {
  const shown = [...text.slice(0, 80)].slice(0, 40).join('');
  return { zh: `列“${column}”的值 '${shown}' 不是${wanted.zh}`, en: `column "${column}": '${shown}' is not ${wanted.en}` };
}

/**
 * The rewrite of dates in a form such as `DD/MM/YYYY`, `M.D.YYYY` or `YYYYMMDD` to ISO dates. If the form has separators, a day or month
 * may have one digit. Null if `form` is not a form of dates. A form of dates needs YYYY, one of MM and M, and one of DD and D.
 */
export function dateForm(form: string): FieldRewrite | null {
  const parts = /^(YYYY|MM?|DD?)([-/. ]?)(YYYY|MM?|DD?)([-/. ]?)(YYYY|MM?|DD?)$/.exec(form.toUpperCase());
  if (!parts) return null;
  const [, first = '', cut1 = '', second = '', cut2 = '', third = ''] = parts;
  const order = [first, second, third].map(part => part.charAt(0));
  if (new Set(order).size < 3) return null;
  const isCut = cut1 !== '' && cut2 !== '';
  const digits = (part: string): string => (part === 'YYYY' ? '(\\d{4})' : isCut ? '(\\d{1,2})' : '(\\d{2})');
  const pattern = new RegExp(`^${digits(first)}${literally(cut1)}${digits(second)}${literally(cut2)}${digits(third)}$`);
  const [year, month, day] = ['Y', 'M', 'D'].map(part => order.indexOf(part) + 1);
  const rewrite = (text: string): string | null => {
    const found = pattern.exec(text.trim());
    if (!found) return null;
    const iso = `${found[year!]}-${found[month!]!.padStart(2, '0')}-${found[day!]!.padStart(2, '0')}`;
    const date = new Date(`${iso}T00:00:00Z`);
    return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(iso) && !iso.startsWith('0000') ? iso : null;
  };
  return { rewrite, wanted: { zh: `${form} 形式的日期`, en: `a date of the form ${form}` } };
}

function literally(separator: string): string {
  return separator === '' ? '' : `[${separator === '-' ? '\\-' : separator}]`;
}

/**
 * Matches dates that begin with a year of four digits or with eight digits, and dates with the month as a word before a year of four
 * digits.
 */
const clearDate =
  /^(?:\d{4}[-/. ]|\d{8}(?!\d)|\d{5,7}-\d\d-\d\d|[-+]?infinity$|(?:[a-z]{3,9},? )?(?:\d{1,2}[- ]?[a-z]{3,9}|[a-z]{3,9}\.? ?\d{1,2}),?[- ]\d{4}(?!\d))/i;

/**
 * Accepts dates and times that can be read in one way only, and leaves them unchanged. PostgreSQL would read 03/04/24 as the 24th of April
 * 2003, and `today` as the day of the upload, so these texts are refused.
 */
export const clearDateForm: FieldRewrite = {
  rewrite: text => (clearDate.test(text.trim()) ? text : null),
  wanted: {
    zh: '以四位年份开头的日期；其他写法请用 ?types=列名:date(DD/MM/YYYY)',
    en: 'a date that begins with a year of four digits; for another form say ?types=column:date(DD/MM/YYYY)',
  },
};

const anyTime: FieldRewrite = { rewrite: text => text, wanted: { zh: '时间', en: 'a time' } };

/**
 * The form of the times in a column of the type `type`, such as `timestamp(3)` or `time[]`. It refuses times that PostgreSQL would change.
 * PostgreSQL rounds digits of a second that the column does not keep, so that 23:59:59.9999999 becomes the next day; it makes 23:59:60 the
 * time 24:00, and reads 08:30.5 as 8 minutes. Each element of a list has the form of a single value. Null for a type that is not a type of
 * times.
 */
export function timeForm(type: string): FieldRewrite | null {
  const [, name, whole, part] = /^(date|timestamp(?:tz)?|time(?:tz)?|interval)(?:\((\d)\)| second\((\d)\))?(?![a-z])/.exec(type) ?? [];
  if (name === undefined) return null;
  const digits = Number(whole ?? part ?? 6);
  const held = /^(?:date|timestamp)/.test(name) ? clearDateForm : anyTime;
  const isChanged = name === 'interval' ? (text: string) => roundsInterval(text, digits) : changesClock(digits);
  const one: FieldRewrite = {
    rewrite: text => (isChanged(text) ? null : held.rewrite(text)),
    wanted: {
      zh: `秒至多 ${digits} 位小数的${held.wanted.zh}`,
      en: `a value with at most ${digits} decimals of a second, and ${held.wanted.en}`,
    },
  };
  return type.endsWith('[]') ? listOf(one) : one;
}

function changesClock(digits: number): (text: string) => boolean {
  const finer = `(?::\\d\\d|\\d{6})[.,]\\d{${digits}}\\d*[1-9]`;
  const sixty = ':60|(?:^|[Tt\\s])\\d{4}60(?!\\d)';
  const changed = new RegExp(`${finer}|${sixty}|(?:^|[^\\d:])\\d{1,2}:\\d{1,2}[.,]`);
  return text => changed.test(text);
}

/** Microseconds of the units of an interval. The units from months on are absent, because their length is not fixed. */
const microseconds: readonly [RegExp, bigint][] = [
  [/^(?:us|mic)/i, 1n],
  [/^(?:ms|millis)/i, 1_000n],
  [/^(?:s|$)/i, 1_000_000n],
  [/^m(?!on|il)/i, 60_000_000n],
  [/^h/i, 3_600_000_000n],
  [/^d(?!ec)/i, 86_400_000_000n],
  [/^w/i, 604_800_000_000n],
];
/**
 * The decimals of an amount that are computed. An amount with further decimals, other than zeros, is never a whole number of microseconds.
 */
const mostDigits = 40;

/**
 * Whether an amount of an interval has a part of a second that `digits` decimals cannot express. With one decimal, `1.5 days` has none, and
 * `0.00001 h` (0.036 s) has one.
 */
function roundsInterval(text: string, digits: number): boolean {
  const step = 10n ** BigInt(6 - digits);
  for (const [, whole = '', decimals = '', unit = ''] of text.matchAll(/(\d+)?(?:[.,](\d+))?\s*([a-z]*)/gi)) {
    const size = microseconds.find(([name]) => name.test(unit))?.[1];
    if (size === undefined) continue;
    if (whole.length > mostDigits || /[1-9]/.test(decimals.slice(mostDigits))) return true;
    const kept = decimals.slice(0, mostDigits);
    if ((BigInt(whole + kept) * size) % (step * 10n ** BigInt(kept.length)) !== 0n) return true;
  }
  return false;
}

/** Accepts a list whose elements are all in the form `element`. The form must not change texts, because the list keeps its spelling. */
function listOf(element: FieldRewrite): FieldRewrite {
  const isKept = (item: string): boolean => {
    const text = item
      .trim()
      .replace(/^"|"$/g, '')
      .replace(/\\([\s\S])/g, '$1');
    return /^(?:null)?$/i.test(text) || element.rewrite(text) !== null;
  };
  return {
    rewrite: text => {
      const list = listForm.rewrite(text);
      const items = list?.match(/"(?:[^"\\]|\\[\s\S])*"|[^",{}]+/g) ?? [];
      return items.every(isKept) ? list : null;
    },
    wanted: {
      zh: `${listForm.wanted.zh}，其中每项为${element.wanted.zh}`,
      en: `${listForm.wanted.en}, in which each element is ${element.wanted.en}`,
    },
  };
}

/** Accepts lists as PostgreSQL writes them, `{a,b}`, and as JSON writes them, `["a","b"]`. PostgreSQL checks the elements. */
export const listForm: FieldRewrite = {
  rewrite: text => {
    const trimmed = text.trim();
    return trimmed.startsWith('{') ? trimmed : toArrayText(trimmed);
  },
  wanted: { zh: '至多 256 KiB 的列表，如 {a,b} 或 ["a","b"]', en: 'a list of at most 256 KiB, such as {a,b} or ["a","b"]' },
};

/**
 * Turns a JSON list into an array literal of PostgreSQL. Null for any other text, and for a list with an element that PostgreSQL would not
 * give back unchanged.
 */
export function toArrayText(json: string): string | null {
  const items = readJson(json);
  if (!Array.isArray(items)) return null;
  const elements = items.map(elementOf);
  return elements.includes(null) ? null : `{${elements.join(',')}}`;
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/**
 * An element of an array literal. Null for an element that PostgreSQL would not give back unchanged: nested lists, objects, numbers that
 * JavaScript rounds, and halves of surrogate pairs.
 */
function elementOf(item: unknown): string | null {
  if (item === null) return 'NULL';
  if (typeof item === 'string') return item.isWellFormed() ? `"${item.replace(/["\\]/g, '\\$&')}"` : null;
  if (typeof item === 'boolean') return String(item);
  return typeof item === 'number' && Number.isSafeInteger(item) ? String(item) : null;
}
