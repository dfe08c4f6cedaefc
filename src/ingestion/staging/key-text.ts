import { jsonbArray } from './jsonb-sql.js';
import { isFamilyList, type SourceFamily } from './source-type.js';

/** One column's part of a key. */
export interface KeyPart {
  text: string;
  isRequired: boolean;
  /** The type has at most 50 characters. */
  isShort: boolean;
  /** The type has no characters that JSON would escape. */
  isPlain: boolean;
}

/** A single part is the key itself. Several parts become the text of a JSON array, exactly as `jsonb_build_array(…)::text` writes it. */
export function keyText(parts: KeyPart[]): string {
  const [only] = parts;
  if (parts.length === 1) return only!.text;
  // Numbers and dates need no escaping, and building the text by hand takes a third of the time.
  if (parts.every(part => part.isPlain)) return `'["' || ${parts.map(part => part.text).join(` || '", "' || `)} || '"]'`;
  return `${jsonbArray(parts.map(part => part.text))}::text`;
}

/** Types whose text has no quote and no backslash. */
export function isPlainText(family: SourceFamily): boolean {
  return family !== 'text' && family !== 'json' && family !== 'jsonb' && !isFamilyList(family);
}
