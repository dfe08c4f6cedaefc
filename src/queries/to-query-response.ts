import { type ModelPart } from '../retrieval/protocol.js';
import { type Language } from '../text/language.js';
import { type AnswerMode, type Include, type LanguageModelResponse, type QueryResponse, type SentenceResponse } from './queries.dto.js';
import { type Answered } from './queries.repository.js';
import { toCursor } from './read-query-request.js';

/** Makes the public form of an answer. `include` and `answer` only choose which parts of the answer are shown. */
export function toQueryResponse(
  { id, version, answer, createdAt }: Answered,
  shown: { status: 'hit' | 'miss' | 'refresh'; answer: AnswerMode; include: ReadonlySet<Include> },
): QueryResponse {
  const { text, language, columns, rows, citations, warnings, model } = answer;
  return {
    query_id: id,
    status: answer.choices ? 'ambiguous' : 'succeeded',
    graph_version: version,
    answer: text === null || shown.answer === 'none' ? null : sentenceOf(text, language, model),
    columns,
    // The rows of a large answer are JSON bytes, which the HTTP adapter passes on.
    rows: rows as unknown[][],
    graph: shown.include.has('graph') ? answer.graph : null,
    citations,
    plan: shown.include.has('plan') || shown.include.has('profile') ? answer.plan : null,
    ...(model && { language_model: usageOf(model) }),
    next_cursor: answer.next_offset === null ? null : toCursor(version, answer.next_offset),
    cache: {
      status: shown.status,
      age_s: shown.status === 'hit' ? Math.max(0, Math.round((Date.now() - createdAt.getTime()) / 1000)) : null,
    },
    timing_ms: shown.status === 'hit' ? {} : { ...answer.timing_ms },
    choices: answer.choices ?? null,
    suggestions: answer.suggestions ?? [],
    warnings,
  };
}

function sentenceOf(text: string, language: Language, model: ModelPart | undefined): SentenceResponse {
  const sentences = model?.sentences;
  return { text, mode: sentences ? 'llm' : 'extractive', language, ...(sentences && { sentences }) };
}

function usageOf({ name, calls, prompt_tokens, completion_tokens }: ModelPart): LanguageModelResponse {
  return { name, calls, prompt_tokens, completion_tokens };
}
