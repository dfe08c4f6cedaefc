import { type CypherRequest } from '../../src/retrieval/process/cypher-request.js';

/** A Cypher query as the retrieval process gets it, for a test that runs one in its own process. */
export function cypherRequest(graphId: number, text: string, more: Partial<CypherRequest> = {}): CypherRequest & { graphId: number } {
  return { graphId, text, parameters: '{}', limit: 100, timeoutMs: 30_000, language: 'en', timeZone: 'UTC', profile: false, ...more };
}
