import { type Language } from '../../text/language.js';

/** A Cypher query, with everything that decides its answer besides the graph. */
export interface CypherRequest {
  text: string;
  /** The JSON object of the caller's parameters, as a text, so that 1 and 1.0 differ and no digit is lost. */
  parameters: string;
  limit: number;
  timeoutMs: number;
  oldestVersion?: number;
  language: Language;
  /** The time zone of times in the query that name no zone. */
  timeZone: string;
  profile: boolean;
  /**
   * The number of rows that a ranking asks for; absent for other queries. Later rows are kept only if they tie with the last of these rows
   * in the second column.
   */
  top?: number;
}
