import { jsonbArray } from './jsonb-sql.js';
import { isFamilyList, type SourceFamily } from './source-type.js';

/** The part of a key that comes from one column. */
export interface KeyPart {
  text: string;
  isRequired: boolean;
  /** True if no value of the column's type has more than 50 characters. */
  isShort: boolean;
  /** True if no value of the column's type has characters that JSON would escape. */
  isPlain: boolean;
}

/**
 * SQL for the text of a key. A single part is the key itself. Several parts become the text of a JSON array, exactly as
 * `jsonb_build_array(…)::text` writes it.
 */
export function keyText(parts: KeyPart[]): string {
  const [only] = parts;
  if (parts.length === 1) return only!.text;
  // The values of plain types, such as numbers and dates, need no escaping. Concatenating their texts takes a third of the time of
  // `jsonb_build_array`.
  if (parts.every(part => part.isPlain)) return `'["' || ${parts.map(part => part.text).join(` || '", "' || `)} || '"]'`;
  return `${jsonbArray(parts.map(part => part.text))}::text`;
}

/** True for types whose values have no quote and no backslash in their text. */
export function isPlainText(family: SourceFamily): boolean {
  return family !== 'text' && family !== 'json' && family !== 'jsonb' && !isFamilyList(family);
}
