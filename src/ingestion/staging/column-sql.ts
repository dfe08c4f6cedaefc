import { type PropertyType, type Transform } from '../mapping/mapping.js';
import { fitsType } from '../mapping/property-type.js';
import { type SourceFamily } from './source-type.js';

/** A property type, or `numeric` without bounds, for a numeric source column whose type the mapping does not name. */
export type ResolvedType = PropertyType | { name: 'numeric' };

/** The check and the reading of one value. Each is SQL over `ref`, the column of the inner layer with the value. */
export interface ValueSql {
  /** True when the cast works; null when it cannot fail. */
  valid: string | null;
  /** The value in its own type, for comparisons. Only evaluated when `valid`. */
  typed: string;
  /** The value for the properties. Only evaluated when `valid`. */
  json: string;
  /** The value as text, for patterns, lengths, keys and messages. */
  text: string;
}

const wholePattern = `'^\\s*[+-]?[0-9]+\\s*$'`;
const decimalPattern = `'^\\s*[+-]?([0-9]+\\.?[0-9]*|\\.[0-9]+)([eE][+-]?[0-9]{1,3})?\\s*$'`;
// PostgreSQL also accepts 'now' and 'infinity' as a date, and guesses at '5.005', '240209' and '01/02/03'. A year has at least four
// digits here.
const dayPattern =
  '([0-9]{4,6}(-[0-9]{1,2}-|/[0-9]{1,2}/|\\.[0-9]{1,2}\\.|-[A-Za-z]{3,9}-)[0-9]{1,2}|[0-9]{1,2}[- ][A-Za-z]{3,9}[- ][0-9]{4}|[0-9]{8})';
const datePattern = `'^\\s*${dayPattern}(\\s*$|\\s*[Tt][0-9]|\\s+[0-9]{1,2}:)'`;
// '2024.2' would be read as 20:24, and PostgreSQL leaves out the zone of '08:30+08'.
const dayAndTimePattern = `'^\\s*${dayPattern}(\\s+|\\s*[Tt])[0-9]{1,2}:'`;
const zoneless = '[0-9]{1,2}:[0-9:.]*\\s*([AaPp][Mm])?\\s*$';

/** True when a typed source value need not become text first. */
export function isDirect(family: SourceFamily, type: ResolvedType, transform: Transform[], fallback: string | null): boolean {
  if (family === 'text' || transform.length > 0) return false;
  if (fallback !== null && !fitsType(fallback, type.name === 'numeric' ? { name: 'float' } : type)) return false;
  const numbers: SourceFamily[] = ['int', 'bigint', 'numeric', 'float'];
  switch (type.name) {
    case 'int':
    case 'bigint':
    case 'decimal':
    case 'numeric':
    case 'float':
      return numbers.includes(family);
    case 'boolean':
      return family === 'boolean';
    case 'date':
    case 'datetime':
      return family === 'date' || family === 'timestamp' || family === 'timestamptz';
    case 'time':
      return family === 'time';
    case 'json':
      return family === 'json' || family === 'jsonb';
    case 'string[]':
      return family === 'text[]';
    case 'int[]':
      return family === 'int[]';
    case 'string':
      return false;
    default:
      return type satisfies never;
  }
}

/** PostgreSQL's name of the type in which a value of `type` is compared and gets its default. */
export function comparisonType(type: ResolvedType): string {
  switch (type.name) {
    case 'int':
    case 'bigint':
      return 'bigint';
    case 'decimal':
    case 'numeric':
      return 'numeric';
    case 'float':
      return 'double precision';
    case 'datetime':
      return 'timestamptz';
    case 'boolean':
    case 'date':
    case 'time':
      return type.name;
    case 'json':
      return 'jsonb';
    case 'string':
    case 'string[]':
    case 'int[]':
      return 'text';
    default:
      return type satisfies never;
  }
}

/** For a value that keeps the type of its source column. */
export function directValue(ref: string, family: SourceFamily, type: ResolvedType): ValueSql {
  const text = `${ref}::text`;
  const plain = (typed: string, valid: string | null = null): ValueSql => ({ valid, typed, json: typed, text });
  const isWhole = family === 'int' || family === 'bigint';
  switch (type.name) {
    case 'int':
      if (family === 'int') return plain(ref);
      return plain(`${ref}::int`, `(${isWhole ? '' : `${ref} = trunc(${ref}) AND `}${ref} BETWEEN -2147483648 AND 2147483647)`);
    case 'bigint':
      if (isWhole) return plain(ref);
      // The largest bigint is no double; the next one is too large.
      if (family === 'float') {
        return plain(`${ref}::bigint`, `(${ref} = trunc(${ref}) AND ${ref} >= -9223372036854775808 AND ${ref} < 9223372036854775808)`);
      }
      return plain(`${ref}::bigint`, `(${ref} = trunc(${ref}) AND ${ref} BETWEEN -9223372036854775808 AND 9223372036854775807)`);
    case 'decimal': {
      // The cast of a double keeps 15 digits; its text has all of them.
      const rounded = `round(${family === 'float' ? `${ref}::text` : ref}::numeric, ${type.scale})`;
      return plain(rounded, `abs(${rounded}) < 1e${type.precision - type.scale}::numeric`);
    }
    case 'numeric':
      return plain(ref, `abs(${ref}) < 'Infinity'`);
    case 'float':
      if (isWhole) return plain(`${ref}::double precision`);
      if (family !== 'numeric') return plain(`${ref}::double precision`, `abs(${ref}) < 'Infinity'`);
      // PostgreSQL also refuses a number that is too small for a double.
      return plain(
        `${ref}::double precision`,
        `(abs(${ref}) < 1e300 AND (abs(${ref}) > 1e-300 OR pg_input_is_valid(${text}, 'double precision')))`,
      );
    case 'date':
      return plain(`${ref}::date`, `isfinite(${ref})`);
    case 'datetime':
      return plain(`${ref}::timestamptz`, family === 'timestamptz' ? `isfinite(${ref})` : isMoment(ref));
    case 'json':
      return plain(`nullif(${ref}::jsonb, 'null')`, family === 'json' ? isDocument(text) : null);
    case 'string[]':
    case 'int[]':
      // A list of lists is no value of these types.
      return plain(ref, `coalesce(array_ndims(${ref}), 1) = 1`);
    case 'boolean':
    case 'time':
    case 'string':
      return plain(ref);
    default:
      return type satisfies never;
  }
}

/** Days end later than moments do, and a time zone moves the first and the last moments out of range. */
function isMoment(ref: string): string {
  return `(isfinite(${ref}) AND (${ref} BETWEEN '4714-11-26 BC' AND '294276-12-30' OR pg_input_is_valid(${ref}::text, 'timestamptz')))`;
}

/** jsonb refuses some texts that json takes, and keeps only the last value of a key that an object has twice. */
function isDocument(text: string): string {
  return `(pg_input_is_valid(${text}, 'jsonb') AND ${text} IS JSON WITH UNIQUE KEYS)`;
}

/** For a value that comes as text, and may be anything. */
export function parsedValue(ref: string, type: ResolvedType): ValueSql {
  const read = (pgType: string, form: string | null, json = `${ref}::${pgType}`): ValueSql => ({
    valid: `(${form === null ? '' : `${ref} ~ ${form} AND `}pg_input_is_valid(${ref}, '${pgType}'))`,
    typed: `${ref}::${pgType}`,
    json,
    text: ref,
  });
  switch (type.name) {
    case 'string':
      return { valid: null, typed: ref, json: ref, text: ref };
    case 'int':
      return read('integer', wholePattern);
    case 'bigint':
      return read('bigint', wholePattern);
    case 'decimal':
      return read(`numeric(${type.precision},${type.scale})`, decimalPattern);
    case 'numeric':
      return read('numeric', decimalPattern);
    case 'float':
      return read('double precision', decimalPattern);
    case 'boolean':
      return read('boolean', null);
    case 'date':
      return parsedDay(ref);
    case 'time':
      return parsedTime(ref);
    case 'datetime':
      return read('timestamptz', datePattern);
    case 'json':
      return { ...read('jsonb', null, `nullif(${ref}::jsonb, 'null')`), valid: isDocument(ref) };
    case 'string[]':
    case 'int[]':
      return parsedList(ref, type.name === 'int[]');
    default:
      return type satisfies never;
  }
}

/** A text with a time may name a zone, so it is read as a moment, whose day is that of the mapping's zone. */
function parsedDay(ref: string): ValueSql {
  const hasTime = `${ref} ~ '[Tt:]'`;
  const typed = `CASE WHEN ${hasTime} THEN ${ref}::timestamptz::date ELSE ${ref}::date END`;
  const valid = `(${ref} ~ ${datePattern} AND pg_input_is_valid(${ref}, CASE WHEN ${hasTime} THEN 'timestamptz' ELSE 'date' END))`;
  return { valid, typed, json: typed, text: ref };
}

/** A time with a zone has no place in another one unless its day is known, so it is then read as a moment, and rejected otherwise. */
function parsedTime(ref: string): ValueSql {
  const isTime = `${ref} ~ '^\\s*${zoneless}'`;
  const isZoneless = `${ref} ~ '[\\sTt]${zoneless}'`;
  const typed = `CASE WHEN ${isTime} THEN ${ref}::time WHEN ${isZoneless} THEN ${ref}::timestamp::time ELSE ${ref}::timestamptz::time END`;
  const type = `CASE WHEN ${isTime} THEN 'time' WHEN ${isZoneless} THEN 'timestamp' ELSE 'timestamptz' END`;
  const valid = `((${isTime} OR ${ref} ~ ${dayAndTimePattern}) AND pg_input_is_valid(${ref}, ${type}))`;
  return { valid, typed, json: typed, text: ref };
}

/** A list comes as a JSON array (`["a","b"]`) or as a PostgreSQL array (`{a,b}`). */
function parsedList(ref: string, ofIntegers: boolean): ValueSql {
  const pgType = ofIntegers ? 'bigint[]' : 'text[]';
  // Strict, because the lax mode looks into lists of lists, which are no values of these types.
  const stranger = ofIntegers ? `'strict $[*] ? (@.type() != "number" || @ != @.floor())'` : `'strict $[*] ? (@.type() != "string")'`;
  const isJson = `${ref} ~ '^\\s*\\['`;
  const json = `CASE WHEN ${isJson} THEN ${ref}::jsonb ELSE to_jsonb(${ref}::${pgType}) END`;
  return {
    valid: `CASE WHEN NOT ${isJson} THEN CASE WHEN pg_input_is_valid(${ref}, '${pgType}') THEN coalesce(array_ndims(${ref}::${pgType}), 1) = 1 ELSE false END
      WHEN NOT pg_input_is_valid(${ref}, 'jsonb') THEN false
      ELSE NOT jsonb_path_exists(${ref}::jsonb, ${stranger}) END`,
    typed: ref,
    json,
    text: ref,
  };
}
