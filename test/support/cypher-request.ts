import { type CypherRequest } from '../../src/retrieval/process/cypher-request.js';

/** A Cypher query in the form that the retrieval process receives, for a test that runs it without that process. */
export function cypherRequest(graphId: number, text: string, more: Partial<CypherRequest> = {}): CypherRequest & { graphId: number } {
  return { graphId, text, parameters: '{}', limit: 100, timeoutMs: 30_000, language: 'en', timeZone: 'UTC', profile: false, ...more };
}
