import { type Language } from '../../text/language.js';

/** A Cypher query, with all that decides its answer besides the graph. */
export interface CypherRequest {
  text: string;
  /** The JSON object of the caller's parameters, as a text, so that 1 and 1.0 differ and no digit is lost. */
  parameters: string;
  limit: number;
  timeoutMs: number;
  oldestVersion?: number;
  language: Language;
  /** The zone of times that name none. */
  timeZone: string;
  profile: boolean;
  /**
   * Number of rows that a ranking asks for; absent for other queries. Later rows count only if they tie with the last of these, by the
   * second column.
   */
  top?: number;
}
