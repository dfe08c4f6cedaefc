import { type Bilingual, joined } from './bilingual.js';
import { type Place } from './place.js';

/**
 * A text in one of the languages that users write (mapping, formula, Cypher, SQL clause) cannot be read. The error does not depend on
 * HTTP, so that a browser can show it too. It becomes a 400 (to-api-error.ts), for a mapping a 422 (ingestion/mapping.errors.ts).
 */
export class LanguageError extends Error {
  /**
   * @param code stable name of the error, in snake_case
   * @param place place of the error in the text; null if the error cannot point into a text
   * @param facts further data about the error for programs
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
