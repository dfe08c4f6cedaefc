import { type Bilingual } from '../../text/bilingual.js';
import { type ValueKind } from './yaml-reader.js';

/** A word of the mapping language, such as a rule or a type. */
export interface MappingWord {
  meaning: Bilingual;
  /** YAML that has the word. `mapping-reference.ts` puts it into a whole mapping. */
  example: string;
}

/**
 * What a mapping may have in one place. Readers take their known keys, bounds, allowed values and defaults from tables of these, and
 * the reference page shows the same tables, so that no key is without documentation.
 */
export interface MappingKey extends MappingWord {
  takes: ValueKind | 'texts' | 'duration';
  /** The most characters of a text; `maxText` unless given. */
  max?: number;
  /** The only values that are allowed. */
  values?: readonly string[];
  /** True, or the condition under which it is. */
  required?: true | Bilingual;
  default?: string | number | boolean | Bilingual;
}

export type MappingKeys = Readonly<Record<string, MappingKey>>;
