import { jsonbArray } from './jsonb-sql.js';
import { type SourceFamily } from './source-type.js';

/** One column's share of a key. */
export interface KeyPart {
  text: string;
  isRequired: boolean;
  /** At most 50 characters by its type. */
  isShort: boolean;
  /** Free of characters that JSON would escape, by its type. */
  isPlain: boolean;
}

/** One part is the key itself; several are the text of a JSON array, in exactly the form of `jsonb_build_array(…)::text`. */
export function keyText(parts: KeyPart[]): string {
  const [only] = parts;
  if (parts.length === 1) return only!.text;
  // Numbers and dates need no escaping, and putting the text together by hand takes a third of the time.
  if (parts.every(part => part.isPlain)) return `'["' || ${parts.map(part => part.text).join(` || '", "' || `)} || '"]'`;
  return `${jsonbArray(parts.map(part => part.text))}::text`;
}

/** Types whose text has no quote and no backslash. */
export function isPlainText(family: SourceFamily): boolean {
  return family !== 'text' && family !== 'json' && family !== 'text[]' && family !== 'int[]';
}
