import { ApiError, type FieldProblem, SchemaError } from '../common/errors/api-error.js';

/** 400: the request has not exactly one of `question`, `search` and `cypher`. */
export class OneQueryKindError extends ApiError {
  constructor(given: string[]) {
    super(
      400,
      'one_query_kind',
      { zh: '请求中须且只能有 question、search、cypher 之一', en: 'Give exactly one of question, search and cypher' },
      { context: { given } },
    );
  }
}

/** 422: options that are well formed but mean nothing for this request. */
export class IneffectiveOptionsError extends SchemaError {
  constructor(options: { name: string; zh: string; en: string }[]) {
    super(options.map(({ name, zh, en }): FieldProblem => ({ loc: ['body', name], text: { zh, en }, type: 'no_effect' })));
  }
}

/** 502: the answer takes longer than the API waits. The work goes on, and its result is stored. */
export class UpstreamTimeoutError extends ApiError {
  constructor(waitedMs: number) {
    super(
      502,
      'upstream_timeout',
      { zh: '检索仍在进行，请约一分钟后重发同一请求', en: 'Retrieval is still working; send the same request again in about a minute' },
      { context: { waited_ms: waitedMs }, headers: { 'Retry-After': '60' } },
    );
  }
}

export class QueryNotFoundError extends ApiError {
  constructor() {
    super(404, 'query_not_found', {
      zh: '没有这个查询，或其答案已被新的取代',
      en: 'There is no such query, or a newer answer has replaced it',
    });
  }
}
