import { isMark } from '../../text/normal-form.js';
import { type Transform } from '../mapping/mapping.js';
import { type SqlBuilder } from './sql-builder.js';

const blankCharacters = ' \t\n\r\f\v\u00a0\u3000';
const fullWidth = '０１２３４５６７８９．，＋－';
const halfWidth = '0123456789.,+-';
/** Numbers in which commas separate thousands. In `1,5` and `1.234,5` the comma is a decimal point, so these numbers do not match. */
const grouped = `'^\\s*[+-]?[0-9]{1,3}(,[0-9]{3})+(\\.[0-9]*)?\\s*$'`;

export interface TextOptions {
  emptyAsNull: boolean;
  trim: boolean;
}

/**
 * SQL for the text of a source value after empty_as_null, transforms and default, in that order. `raw` is a SQL expression of type text.
 */
export function cleanedText(sql: SqlBuilder, raw: string, transform: Transform[], fallback: string | null, options: TextOptions): string {
  const emptyToNull = (text: string): string => (options.emptyAsNull ? `nullif(${text}, '')` : text);
  const spaces = (): string => sql.bind(blankCharacters, 'text');
  let text = options.trim ? `btrim(${raw}, ${spaces()})` : raw;
  if (transform.some(step => step.kind === 'map')) text = emptyToNull(text);
  for (const step of transform) text = transformed(sql, text, step, spaces, options);
  // A text that the transforms have made empty counts as empty too.
  text = emptyToNull(text);
  return fallback === null ? text : `coalesce(${text}, ${sql.bind(fallback, 'text')})`;
}

function transformed(sql: SqlBuilder, text: string, step: Transform, spaces: () => string, { emptyAsNull }: TextOptions): string {
  switch (step.kind) {
    case 'trim':
      return `btrim(${text}, ${spaces()})`;
    case 'lower':
      return `lower(${text})`;
    case 'upper':
      return `upper(${text})`;
    case 'nfc':
    case 'nfkc':
      return `normalize(${streamSafe(sql, text)}, ${step.kind.toUpperCase()})`;
    case 'collapse_space':
      return `regexp_replace(${text}, ${sql.bind('[\\s\u00a0\u3000]+', 'text')}, ' ', 'g')`;
    case 'null_if':
      return once(text, t => `CASE WHEN ${t} = ANY(${sql.bind(step.values, 'text[]')}) THEN NULL ELSE ${t} END`);
    case 'map': {
      const values = sql.bind(JSON.stringify(step.values), 'jsonb');
      return once(text, t => `CASE WHEN ${values} ? ${t} THEN ${values} ->> ${t} ELSE ${t} END`);
    }
    case 'substring':
      return `substr(${text}, ${step.start}, ${step.length})`;
    case 'number_cn': {
      const number = `translate(${text}, ${sql.bind(fullWidth, 'text')}, ${sql.bind(halfWidth, 'text')})`;
      return once(number, t => `CASE WHEN strpos(${t}, ',') > 0 AND ${t} ~ ${grouped} THEN replace(${t}, ',', '') ELSE ${t} END`);
    }
    case 'split': {
      // The parts as the text of a PostgreSQL array, which a column of type string[] or int[] can read. A text without parts gives NULL.
      const part = `btrim(part, ${spaces()})`;
      const parts = `unnest(string_to_array(${text}, ${sql.bind(step.separator, 'text')}))`;
      return `(SELECT array_agg(${part})::text FROM ${parts} AS part WHERE ${part} <> '')`;
    }
    case 'date_format': {
      // A text that does not match the format gets the name of the format appended. No type can read the result, and the reason for the
      // rejected row shows both texts. An empty text does not match either, unless empty texts count as no value.
      const { regex, replacement } = step.format;
      const pattern = sql.bind(regex, 'text');
      const read = (t: string): string => `regexp_replace(${t}, ${pattern}, ${sql.bind(replacement, 'text')})`;
      return once(
        text,
        t =>
          `CASE WHEN ${t} ~ ${pattern} THEN ${read(t)} ${emptyAsNull ? `WHEN ${t} <> '' THEN` : 'ELSE'} ${t} || ${sql.bind(` (not ${step.written})`, 'text')} END`,
      );
    }
    default:
      return step satisfies never;
  }
}

/**
 * SQL of a text in the Stream-Safe Text Format (UAX #15, section 13): U+034F stands behind each 30 combining marks. PostgreSQL sorts the
 * marks in a row in quadratic time, without looking at a cancellation.
 */
function streamSafe(sql: SqlBuilder, text: string): string {
  const marks = sql.bind(`([${marksClass()}]{30})(?=[${marksClass()}])`, 'text');
  return once(
    text,
    t => `CASE WHEN char_length(${t}) > 1000 THEN regexp_replace(${t}, ${marks}, ${sql.bind('\\1\u034f', 'text')}, 'g') ELSE ${t} END`,
  );
}

let marks: string | null = null;

/** The characters of `isMark` as the ranges of a class of PostgreSQL's regular expressions. They lie in the planes 0, 1 and 14. */
function marksClass(): string {
  if (marks !== null) return marks;
  const escaped = (code: number): string => `\\U${code.toString(16).padStart(8, '0')}`;
  const ranges: string[] = [];
  for (const [from, to] of [
    [0, 0x1_ffff],
    [0xe_0000, 0xe_01ff],
  ] as const) {
    // prettier-ignore
    let start = -1;
    for (let code = from; code <= to + 1; code++) {
      const combines = code <= to && isMark(String.fromCodePoint(code));
      if (combines && start < 0) start = code;
      if (!combines && start >= 0) {
        ranges.push(start === code - 1 ? escaped(start) : `${escaped(start)}-${escaped(code - 1)}`);
        start = -1;
      }
    }
  }
  return (marks = ranges.join(''));
}

/**
 * SQL that uses a text several times. A text longer than 200 characters, or with a call in it, is evaluated once in a sub-select, so that a
 * chain of transforms does not double the SQL with each transform.
 */
function once(text: string, use: (text: string) => string): string {
  if (/^[^ (]{1,200}$/.test(text)) return use(text);
  return `(SELECT ${use('t')} FROM (SELECT ${text} AS t OFFSET 0) AS s)`;
}
