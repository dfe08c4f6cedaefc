import { type AnswerMode, type Include, type QueryResponse } from './queries.dto.js';
import { type Answered } from './queries.repository.js';
import { toCursor } from './read-query-request.js';

/** Makes the public shape of an answer. `include` and `answer` only choose which parts are shown. */
export function toQueryResponse(
  { id, version, answer, createdAt }: Answered,
  shown: { status: 'hit' | 'miss' | 'refresh'; answer: AnswerMode; include: ReadonlySet<Include> },
): QueryResponse {
  const { text, language, columns, rows, citations, warnings } = answer;
  return {
    query_id: id,
    status: answer.choices ? 'ambiguous' : 'succeeded',
    graph_version: version,
    answer: text === null || shown.answer === 'none' ? null : { text, mode: 'extractive', language },
    columns,
    // For a large answer these are JSON bytes, which the adapter passes on.
    rows: rows as unknown[][],
    graph: shown.include.has('graph') ? answer.graph : null,
    citations,
    plan: shown.include.has('plan') || shown.include.has('profile') ? answer.plan : null,
    next_cursor: answer.next_offset === null ? null : toCursor(version, answer.next_offset),
    cache: {
      status: shown.status,
      age_s: shown.status === 'hit' ? Math.max(0, Math.round((Date.now() - createdAt.getTime()) / 1000)) : null,
    },
    timing_ms: shown.status === 'hit' ? {} : { ...answer.timing_ms },
    choices: answer.choices ?? null,
    warnings,
  };
}
