import { jsonbArray } from './jsonb-sql.js';
import { type ResolvedType, type ValueSql } from './column-sql.js';
import { isFamilyList, type SourceFamily } from './source-type.js';

export const maxKeyLength = 500;

/** The part of a key that comes from one column. */
export interface KeyPart {
  text: string;
  /** SQL that is NULL if and only if the row lacks the part. */
  given: string;
  isRequired: boolean;
  /** True if the text of each readable value has at most 50 characters. */
  isShort: boolean;
  /** SQL that is true for a value that its type rounds; null if the type rounds nothing. */
  rounded: string | null;
  /** True if no value of the column's type has characters that JSON would escape. */
  isPlain: boolean;
}

/**
 * SQL for the text of a key. A single part is the key itself. Several parts become the text of a JSON array, exactly as
 * `jsonb_build_array(…)::text` writes it.
 */
export function keyText(parts: Pick<KeyPart, 'text' | 'isPlain'>[]): string {
  const [only] = parts;
  if (parts.length === 1) return only!.text;
  // The values of plain types, such as numbers and dates, need no escaping. Concatenating their texts takes a third of the time of
  // `jsonb_build_array`.
  if (parts.every(part => part.isPlain)) return `'["' || ${parts.map(part => part.text).join(` || '", "' || `)} || '"]'`;
  return `${jsonbArray(parts.map(part => part.text))}::text`;
}

/**
 * SQL for the text of a value in a key, a reference or a rule `unique`. Equal values of a number, boolean or date type have one text:
 * `007`, `+7` and 7.0 all become `7`. Values of other types, and values that cannot be read, keep the text of the source.
 * @param isParsed true if the source gives the value as text
 */
export function canonicalText(value: ValueSql, type: ResolvedType, isParsed: boolean): string {
  const { text, valid } = value;
  const written = writtenAs(value.typed, type);
  if (written === null) return text;
  // Most values are whole numbers whose text is already canonical, such as `42`. For these this branch takes a third of the time.
  const asIs =
    wholes.has(type.name) && isParsed ? `WHEN pg_input_is_valid(${text}, 'bigint') AND ${text}::bigint::text = ${text} THEN ${text} ` : '';
  return valid === null ? written : `CASE ${asIs}WHEN ${valid} THEN ${written} ELSE ${text} END`;
}

/** SQL that is true for a number with more decimals than its type keeps. False for a value that cannot be read. */
export function isRounded({ valid, typed, text }: ValueSql): string {
  return `CASE WHEN ${valid} THEN ${typed} <> ${text}::numeric ELSE false END`;
}

/** The types whose whole numbers have the same canonical text as a bigint. */
const wholes = new Set<string>(['int', 'bigint', 'decimal', 'numeric']);

function writtenAs(typed: string, { name }: ResolvedType): string | null {
  switch (name) {
    case 'int':
    case 'bigint':
    case 'boolean':
    case 'date':
      return `(${typed})::text`;
    case 'decimal':
    case 'numeric':
      return `trim_scale(${typed})::text`;
    case 'float':
      // Adding 0 turns -0 into 0. The 0 is a real, so that the sum of a real is not widened to a double.
      return `(${typed} + 0::real)::text`;
    default:
      return null;
  }
}

/** True for types whose values have no quote and no backslash in their text. */
export function isPlainText(family: SourceFamily): boolean {
  return family !== 'text' && family !== 'json' && family !== 'jsonb' && !isFamilyList(family);
}
