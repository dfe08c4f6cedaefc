import { type Bilingual, joined } from './bilingual.js';
import { type Place } from './place.js';

/**
 * A text in one of the languages that users write (mapping, formula, Cypher, SQL clause) cannot be read. The error knows no HTTP,
 * so that a browser can show it as well. It becomes a 400 (to-api-error.ts), for a mapping a 422 (ingestion/mapping.errors.ts).
 */
export class LanguageError extends Error {
  /**
   * @param code stable, in snake_case
   * @param place null when the error cannot point into a text
   * @param facts for machines
   */
  constructor(
    readonly code: string,
    readonly text: Bilingual,
    readonly place: Place | null,
    readonly facts: Record<string, unknown> = {},
    cause?: unknown,
  ) {
    super(joined(text), cause === undefined ? undefined : { cause });
    this.name = new.target.name;
  }
}
