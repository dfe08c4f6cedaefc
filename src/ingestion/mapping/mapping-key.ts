import { type Bilingual } from '../../text/bilingual.js';
import { type ValueKind } from './yaml-reader.js';

/** A word of the mapping language, such as a rule or a type. */
export interface MappingWord {
  meaning: Bilingual;
  /** YAML that contains the word. `mapping-reference.ts` completes it to a whole mapping. */
  example: string;
}

/**
 * A key that may stand in one place of a mapping. The readers take known keys, bounds, allowed values and defaults from tables of these
 * keys. The reference page shows the same tables, so that every key is documented.
 */
export interface MappingKey extends MappingWord {
  takes: ValueKind | 'texts' | 'duration';
  /** The most characters of the text; `maxText` if absent. */
  max?: number;
  /** The allowed values; absent if any value is allowed. */
  values?: readonly string[];
  /** True if the key is required, or the condition under which it is required. */
  required?: true | Bilingual;
  default?: string | number | boolean | Bilingual;
}

export type MappingKeys = Readonly<Record<string, MappingKey>>;
