import { type Bilingual } from '../../text/bilingual.js';
import { type FilePlace } from './file-problem.js';
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
  /** True if the form refuses texts and changes none, so that rows can stay where they are. */
  isCheck?: boolean;
  /** True for a form of lists. It rewrites a part of a list as it does a whole one. */
  isList?: boolean;
  /** Tells quickly of the bytes of a text that `rewrite` returns it unchanged. A text for which it is false may be kept too. */
  isKept?: (bytes: Uint8Array, start: number, end: number) => boolean;
  /** The form that the request asks for, without the check of the column's type. */
  asked?: FieldRewrite;
  /** The check of values whose spelling the form does not concern, such as numbers of JSON and dates of Parquet. */
  typed?: FieldRewrite | null;
  /** True for the form of JSON documents, whose keys the scanner reads in steps. */
  isDocument?: boolean;
  /** How a refused text can be loaded, as the end of a sentence. */
  wayOut?: (text: string) => Bilingual;
}

/** Texts in the form `asked`, after which `typed` judges the texts that `asked` made. */
export function formOfType(asked: FieldRewrite, typed: FieldRewrite | null): FieldRewrite {
  const rewrite = (text: string): string | null => {
    const made = asked.rewrite(text);
    return made === null || typed === null ? made : typed.rewrite(made);
  };
  return { ...asked, rewrite, asked, typed };
}

/**
 * Rewrites a quoted or unquoted CSV field into a quoted field. A field whose text stays the same is returned unchanged.
 * @throws SchemaError for a text that is not in the form
 */
export function rewriteField(form: FieldRewrite, field: string, place: FilePlace): string {
  const text = unquoted(field);
  const rewritten = form.rewrite(text);
  if (rewritten === text) return field;
  if (rewritten !== null) return `"${rewritten.replaceAll('"', '""')}"`;
  throw csvProblem('value', place, misread(place.column ?? '', text, form));
}

/** The text of a quoted or unquoted CSV field. */
export function unquoted(field: string): string {
  return field.startsWith('"') ? field.slice(1, -1).replaceAll('""', '"') : field;
}

const breaks: Record<string, string> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/** A text as a message shows it, on one line. */
export function onOneLine(text: string): string {
  return text.replace(/[\n\r\t]/g, sign => breaks[sign]!);
}

/** The message about a text that is not in the form of its column. */
export function misread(column: string, text: string, { wanted: expected, wayOut, asked, typed }: FieldRewrite): Bilingual {
  const shown = onOneLine([...text.slice(0, 80)].slice(0, 40).join(''));
  // The text is in the form that was asked for, so another form would give another value.
  const isTooFine = typed && asked && asked.rewrite(text) !== null;
  const wanted = isTooFine ? typed.wanted : expected;
  const way = isTooFine ? undefined : wayOut?.(text);
  return {
    zh: `列“${column}”的值 '${shown}' 不是${/^[!-~]/.test(wanted.zh) ? ' ' : ''}${wanted.zh}${way ? `；${way.zh}` : ''}`,
    en: `column "${column}": '${shown}' is not ${wanted.en}${way ? `; ${way.en}` : ''}`,
  };
}

/**
 * The rewrite of dates in a form such as `DD/MM/YYYY`, `YYYYMMDD` or `YYYY年M月D日` to ISO dates. Between separators a day or month may have
 * one digit. Null if `form` is not a form of dates, which needs YYYY, one of MM and M, and one of DD and D.
 */
export function dateForm(form: string): FieldRewrite | null {
  const parts = /^(YYYY|MM?|DD?)([-/. 年]?)(YYYY|MM?|DD?)([-/. 月]?)(YYYY|MM?|DD?)(日?)$/.exec(form.toUpperCase());
  if (!parts) return null;
  const [, first = '', cut1 = '', second = '', cut2 = '', third = '', last = ''] = parts;
  const order = [first, second, third].map(part => part.charAt(0));
  if (new Set(order).size < 3) return null;
  const isCut = cut1 !== '' && cut2 !== '';
  const digits = (part: string): string => (part === 'YYYY' ? '(\\d{4})' : isCut ? '(\\d{1,2})' : '(\\d{2})');
  const pattern = new RegExp(`^${digits(first)}${literally(cut1)}${digits(second)}${literally(cut2)}${digits(third)}${last}$`);
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

/** Accepts lists as PostgreSQL writes them, `{a,b}`, and as JSON writes them, `["a","b"]`. PostgreSQL checks the elements. */
export const listForm: FieldRewrite = {
  isList: true,
  rewrite: text => {
    const trimmed = text.trim();
    return trimmed.startsWith('{') ? trimmed : toArrayText(trimmed);
  },
  wanted: { zh: '至多 256 KiB 的列表，如 {a,b} 或 ["a","b"]', en: 'a list of at most 256 KiB, such as {a,b} or ["a","b"]' },
};

/** The elements of a JSON list without further lists and objects, as they are written. */
const listElements = /"(?:[^"\\]|\\.)*"|[^\s,[\]]+/g;

/**
 * Turns a JSON list into an array literal of PostgreSQL. Null for any other text, and for a list with an element that PostgreSQL would not
 * give back unchanged.
 */
export function toArrayText(json: string): string | null {
  const items = readJson(json);
  if (!Array.isArray(items) || items.some(item => typeof item === 'object' && item !== null)) return null;
  const written = json.match(listElements) ?? [];
  const elements = items.map((item, index) => elementOf(item, written[index]!));
  return elements.includes(null) ? null : `{${elements.join(',')}}`;
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** An element of an array literal. Numbers stay as they are written. Null for a text with half of a surrogate pair. */
function elementOf(item: unknown, written: string): string | null {
  if (item === null) return 'NULL';
  if (typeof item !== 'string') return written;
  return item.isWellFormed() ? `"${item.replace(/["\\]/g, '\\$&')}"` : null;
}

/** The form of jsonb, which keeps only the last of two equal keys. The scanner judges the documents, in steps. */
export const documentForm: FieldRewrite = {
  rewrite: text => text,
  wanted: {
    zh: '每个对象的键各不相同的 JSON；类型 json 或 text 的列可保留原文',
    en: 'JSON whose objects have each key once; a column of the type json or text keeps such a value',
  },
  isCheck: true,
  isDocument: true,
};
