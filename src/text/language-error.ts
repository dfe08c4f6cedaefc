import { type Bilingual, joined } from './bilingual.js';
import { type Place } from './place.js';

/**
 * Why a text in one of the languages that users write (mapping, formula, Cypher, SQL clause) cannot be read. It knows no HTTP, so that a
 * browser can show it as well; it becomes an answer at the edge (see to-api-error.ts).
 */
export class LanguageError extends Error {
  /**
   * @param code stable, in snake_case
   * @param place null where there is no text to point into
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
