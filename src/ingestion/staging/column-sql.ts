import { type PropertyType, type ScalarType, type Transform } from '../mapping/mapping.js';
import { fitsType, isList, isNumeric, itemOf, type ListOf, typeText } from '../mapping/property-type.js';
import { isFamilyList, itemFamily, type SourceFamily } from './source-type.js';
import { directTime, parsedTime } from './time-sql.js';

/**
 * The type of a staged column: a property type of the mapping or, for a numeric source column without a type in the mapping, `numeric`
 * without bounds.
 */
export type ResolvedType = PropertyType | { name: 'numeric' } | { name: 'numeric[]' };
type ResolvedScalar = ScalarType | { name: 'numeric' };
type ResolvedList = ListOf<ResolvedType>;

/** The name of a type in the schema of the graph. */
export function resolvedTypeText(type: ResolvedType): string {
  if (type.name === 'numeric') return 'decimal';
  return type.name === 'numeric[]' ? 'decimal[]' : typeText(type);
}

/** SQL that checks and reads one value. Each text is SQL over `ref`, the column of the inner SELECT that holds the value. */
export interface ValueSql {
  /** True when the value can be cast; null when the cast cannot fail. */
  valid: string | null;
  /** The value in its own type, for comparisons. It may be evaluated only if `valid` is true. */
  typed: string;
  /** The value for the properties. It may be evaluated only if `valid` is true. */
  json: string;
  /** The value as text, for patterns, lengths, keys and messages. */
  text: string;
}

const wholePattern = `'^\\s*[+-]?[0-9]+\\s*$'`;
const decimalPattern = `'^\\s*[+-]?([0-9]+\\.?[0-9]*|\\.[0-9]+)([eE][+-]?[0-9]{1,3})?\\s*$'`;

/** True if values of the source column can be cast directly to `type`, without a conversion to text. */
export function isDirect(family: SourceFamily, type: ResolvedType, transform: Transform[], fallback: string | null): boolean {
  if (family === 'text' || transform.length > 0) return false;
  if (isList(type)) {
    if (!isFamilyList(family) || fallback !== null) return false;
    const item = itemOf<ResolvedList, ResolvedScalar>(type);
    return family === 'text[]' ? item.name === 'string' : isDirect(itemFamily(family), item, [], null);
  }
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
    case 'localdatetime':
      return family === 'date' || family === 'timestamp' || family === 'timestamptz';
    case 'time':
    case 'timetz':
      return family === type.name;
    case 'duration':
      return family === 'interval';
    case 'json':
    case 'map':
      return family === 'json' || family === 'jsonb';
    case 'string':
      return false;
    default:
      return type satisfies never;
  }
}

/** PostgreSQL's name of the type in which values of `type` are compared, and in which a default is read. Lists are compared as text. */
export function comparisonType(type: ResolvedType): string {
  if (isList(type)) return 'text';
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
    case 'localdatetime':
      return 'timestamp';
    case 'duration':
      return 'interval';
    case 'boolean':
    case 'date':
    case 'time':
    case 'timetz':
      return type.name;
    case 'json':
    case 'map':
      return 'jsonb';
    case 'string':
      return 'text';
    default:
      return type satisfies never;
  }
}

/** SQL that checks and reads a value in the type of its source column. */
export function directValue(ref: string, family: SourceFamily, type: ResolvedType): ValueSql {
  if (isList(type)) return directList(ref, family, type);
  const text = `${ref}::text`;
  const plain = (typed: string, valid: string | null = null): ValueSql => ({ valid, typed, json: typed, text });
  const isWhole = family === 'int' || family === 'bigint';
  switch (type.name) {
    case 'int':
      if (family === 'int') return plain(ref);
      return plain(`${ref}::int`, `(${isWhole ? '' : `${ref} = trunc(${ref}) AND `}${ref} BETWEEN -2147483648 AND 2147483647)`);
    case 'bigint':
      if (isWhole) return plain(ref);
      // The largest bigint, 2^63 - 1, is not a double. The next double is 2^63, which is too large, so the bound is exclusive.
      if (family === 'float') {
        return plain(`${ref}::bigint`, `(${ref} = trunc(${ref}) AND ${ref} >= -9223372036854775808 AND ${ref} < 9223372036854775808)`);
      }
      return plain(`${ref}::bigint`, `(${ref} = trunc(${ref}) AND ${ref} BETWEEN -9223372036854775808 AND 9223372036854775807)`);
    case 'decimal': {
      // The cast from double to numeric keeps 15 digits. The text of a double has all digits.
      const rounded = `round(${family === 'float' ? `${ref}::text` : ref}::numeric, ${type.scale})`;
      const held = `abs(${rounded}) < 1e${type.precision - type.scale}::numeric`;
      // A float is the nearest one to a number, so that its further digits say nothing. Other numbers are kept exactly.
      return plain(rounded, isWhole || family === 'float' ? held : `(${held} AND ${rounded} = ${ref})`);
    }
    case 'numeric':
      if (isWhole) return plain(ref);
      return plain(family === 'float' ? `${text}::numeric` : ref, `abs(${ref}) < 'Infinity'`);
    case 'float':
      if (isWhole) return plain(`${ref}::double precision`);
      // A value of type real stays real, so that its text is 0.1 instead of 0.10000000149011612.
      if (family !== 'numeric') return { ...plain(ref, `abs(${ref}) < 'Infinity'`), json: `${ref}::double precision` };
      // PostgreSQL also refuses to cast a numeric that is too small for a double.
      return plain(
        `${ref}::double precision`,
        `(abs(${ref}) < 1e300 AND (abs(${ref}) > 1e-300 OR pg_input_is_valid(${text}, 'double precision')))`,
      );
    case 'json':
      return family === 'json' ? plain(documentOf(ref), isDocument(text)) : plain(`nullif(${ref}, 'null')`);
    case 'map':
      return family === 'json'
        ? plain(documentOf(ref), isObject(ref, isDocument(text)))
        : plain(`nullif(${ref}, 'null')`, isObject(ref, null));
    case 'date':
    case 'time':
    case 'timetz':
    case 'datetime':
    case 'localdatetime':
    case 'duration':
      return { ...directTime(ref, family, type.name), text };
    case 'boolean':
    case 'string':
      return plain(ref);
    default:
      return type satisfies never;
  }
}

/** SQL that is true for a JSON document that is an object, and for a JSON null, which counts as no value. */
function isObject(document: string, valid: string | null): string {
  const isOne = interruptible(document, t => `jsonb_typeof(${t}::jsonb) IN ('object', 'null')`);
  return valid === null ? isOne : `CASE WHEN ${valid} THEN ${isOne} ELSE false END`;
}

/** SQL that checks and reads a source column that is an array. A list of lists is invalid. */
function directList(ref: string, family: SourceFamily, type: ResolvedList): ValueSql {
  const item = directValue('i.x', itemFamily(family), itemOf<ResolvedList, ResolvedScalar>(type));
  const each = item.valid === null ? '' : ` AND NOT EXISTS (SELECT FROM unnest(${ref}) AS i (x) WHERE NOT ${item.valid})`;
  const json = item.json === 'i.x' ? ref : jsonOf(`unnest(${ref})`, item);
  return { valid: `(coalesce(array_ndims(${ref}), 1) = 1${each})`, typed: ref, json, text: `${ref}::text` };
}

/** SQL for the jsonb list of the values `x` that the set-returning expression `set` returns. */
function jsonOf(set: string, item: ValueSql): string {
  const each = `CASE WHEN i.x IS NOT NULL THEN to_jsonb(${item.json}) END`;
  return `(SELECT coalesce(jsonb_agg(${each} ORDER BY i.n), '[]') FROM ${set} WITH ORDINALITY AS i (x, n))`;
}

/**
 * Maximum bytes of a JSON text. At worst PostgreSQL sorts and compares the keys of an object in a time that grows with their square, 0.6 s
 * for so many bytes, and cannot be interrupted meanwhile.
 */
export const mostOfDocument = 250_000;

/**
 * SQL that is true if a JSON text can become jsonb without loss. jsonb refuses some texts that json accepts. If an object has a key twice,
 * jsonb keeps only the last value.
 */
function isDocument(text: string): string {
  return interruptible(text, t => `${isJsonb(t)} AND ${t} IS JSON WITH UNIQUE KEYS`);
}

/** SQL of a valid JSON value as jsonb. A JSON null counts as no value. */
function documentOf(ref: string): string {
  return interruptible(ref, t => `nullif(${t}::jsonb, 'null')`);
}

/** SQL that is true if jsonb accepts a text. Only an object can be slow to read, so other texts may have any length. */
function isJsonb(text: string): string {
  return `CASE WHEN octet_length(${text}) <= ${mostOfDocument} OR strpos(${text}, '{') = 0 THEN pg_input_is_valid(${text}, 'jsonb') ELSE false END`;
}

/** SQL of a slow step on a value. PostgreSQL looks for a cancellation at the start of a sub-select, but not between the columns of a row. */
function interruptible(value: string, step: (value: string) => string): string {
  return `(SELECT ${step('t')} FROM (SELECT ${value} AS t OFFSET 0) AS s)`;
}

/** SQL that checks and reads a value that comes as text, with any content. */
export function parsedValue(ref: string, type: ResolvedType): ValueSql {
  if (isList(type)) return parsedList(ref, type);
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
      return exactDecimal(ref, read(`numeric(${type.precision},${type.scale})`, decimalPattern));
    case 'numeric':
      return read('numeric', decimalPattern);
    case 'float':
      return read('double precision', decimalPattern);
    case 'boolean':
      return read('boolean', null);
    case 'json':
      return { valid: isDocument(ref), typed: documentOf(ref), json: documentOf(ref), text: ref };
    case 'map':
      return { valid: isObject(ref, isDocument(ref)), typed: documentOf(ref), json: documentOf(ref), text: ref };
    case 'date':
    case 'time':
    case 'timetz':
    case 'datetime':
    case 'localdatetime':
    case 'duration':
      return { ...parsedTime(ref, type.name), text: ref };
    default:
      return type satisfies never;
  }
}

/** Leaves out the numbers that the type would round. NULL stays NULL, because a list may have elements without a value. */
function exactDecimal(ref: string, value: ValueSql): ValueSql {
  return { ...value, valid: `CASE WHEN NOT ${value.valid} THEN false ELSE ${value.typed} = ${ref}::numeric END` };
}

/** Reads a list from text: a JSON array (`["a","b"]`) or a PostgreSQL array (`{a,b}`). */
function parsedList(ref: string, type: ResolvedList): ValueSql {
  const itemType = itemOf<ResolvedList, ResolvedScalar>(type);
  // The items of a list of integers have 64 bits, although a property of type `int` has 32.
  const item = parsedValue('i.x', itemType.name === 'int' ? { name: 'bigint' } : itemType);
  const isJson = `${ref} ~ '^\\s*\\['`;
  // Strict mode, because in lax mode `[*]` would unwrap lists of lists, which are invalid here.
  const stranger = `'strict $[*] ? (@.type() != "${kindInJson(itemType)}" && @.type() != "null")'`;
  const isFlat = `CASE WHEN NOT ${isJson} THEN CASE WHEN pg_input_is_valid(${ref}, 'text[]') THEN coalesce(array_ndims(${ref}::text[]), 1) = 1 ELSE false END
      WHEN NOT ${interruptible(ref, isJsonb)} THEN false
      ELSE NOT jsonb_path_exists(${ref}::jsonb, ${stranger}) END`;
  const texts = `unnest(CASE WHEN ${isJson} THEN ARRAY(SELECT e FROM jsonb_array_elements_text(CASE WHEN ${isJson} THEN ${ref}::jsonb END) WITH ORDINALITY AS j (e, n) ORDER BY n)
      ELSE ${ref}::text[] END)`;
  const each = item.valid === null ? 'true' : `NOT EXISTS (SELECT FROM ${texts} AS i (x) WHERE NOT ${item.valid})`;
  return { valid: `CASE WHEN ${isFlat} THEN ${each} ELSE false END`, typed: ref, json: jsonOf(texts, item), text: ref };
}

/** Whether the values of a type are single numbers. */
export function isNumber(type: ResolvedType): boolean {
  return type.name === 'numeric' || isNumeric(type);
}

function kindInJson(type: ResolvedScalar): 'number' | 'boolean' | 'string' {
  if (type.name === 'boolean') return 'boolean';
  return isNumber(type) ? 'number' : 'string';
}
