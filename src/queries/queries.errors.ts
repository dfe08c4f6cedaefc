import { ApiError, BusyError, type FieldProblem, SchemaError } from '../common/errors/api-error.js';

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

/** 422: options that are well formed but have no effect on this request. */
export class IneffectiveOptionsError extends SchemaError {
  constructor(options: { name: string; zh: string; en: string }[]) {
    super(options.map(({ name, zh, en }): FieldProblem => ({ loc: ['body', name], text: { zh, en }, type: 'no_effect' })));
  }
}

/** 502: the answer takes longer than the API waits. The work goes on, and `Location` has the URL of its result. */
export class UpstreamTimeoutError extends ApiError {
  /** @param run the query's id and its URL; null if the caller has too many queries under way for this one to be remembered */
  constructor(waitedMs: number, run: { id: number; location: string } | null) {
    const place = run ? { zh: `，或查看 ${run.location}`, en: `, or look at ${run.location}` } : { zh: '', en: '' };
    super(
      502,
      'upstream_timeout',
      {
        zh: `检索仍在进行，请约一分钟后重发同一请求${place.zh}`,
        en: `Retrieval is still working; send the same request again in about a minute${place.en}`,
      },
      {
        context: { waited_ms: waitedMs, ...(run && { query_id: run.id }) },
        headers: { 'Retry-After': '60', ...(run && { Location: run.location }) },
      },
    );
  }
}

/** 503: the user, or all users together, have as many queries under way as the service remembers. */
export class TooManyQueriesError extends BusyError {
  /** @param mostOfUser the most queries of one user; null if all users together have too many */
  constructor(mostOfUser: number | null) {
    super(
      'queries_busy',
      mostOfUser === null
        ? { zh: '正在进行的查询过多，请稍后重试', en: 'Too many queries are under way; try again shortly' }
        : {
            zh: `您已有 ${mostOfUser} 个查询在进行，请等其结束，或用 DELETE 取消一些`,
            en: `You have ${mostOfUser} queries under way; wait until one ends, or cancel one with DELETE`,
          },
      5,
    );
  }
}

/** 409: the query was cancelled. */
export class QueryCancelledError extends ApiError {
  constructor() {
    super(409, 'query_cancelled', { zh: '查询已取消', en: 'The query was cancelled' });
  }
}

/** 503: the process that worked on the query ended, on each of several attempts. */
export class QueryInterruptedError extends BusyError {
  constructor(attempts: number) {
    super(
      'query_interrupted',
      {
        zh: `服务在处理该查询时中断了 ${attempts} 次，未再重试；请重新提交`,
        en: `The service was interrupted ${attempts} times while it worked on the query, which is not tried again; send it once more`,
      },
      60,
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

export class SavedQueryNotFoundError extends ApiError {
  constructor() {
    super(404, 'saved_query_not_found', { zh: '您在该图没有这个已保存的查询', en: 'You have no such saved query on the graph' });
  }
}

/** 409: another saved query of the user on this graph already has this name. */
export class SavedQueryNameTakenError extends ApiError {
  constructor() {
    super(409, 'saved_query_name_taken', {
      zh: '您在该图已有同名的查询，请换一个名称，或修改那一个',
      en: 'You have a saved query of this name on the graph; give another name, or change that one',
    });
  }
}

/** 409: the user or the graph has as many saved queries as are allowed. */
export class TooManySavedQueriesError extends ApiError {
  constructor(of: 'user' | 'graph', most: number) {
    const [zh, en] = of === 'user' ? ['您', 'You have'] : ['该图', 'The graph has'];
    super(
      409,
      'too_many_saved_queries',
      {
        zh: `${zh}已有 ${most} 个已保存的查询；请先删除不再使用的`,
        en: `${en} ${most} saved queries already; delete one that is no longer used`,
      },
      { context: { most } },
    );
  }
}

/** 404: the graph does not have this synonym, even if another graph has it. */
export class SynonymNotFoundError extends ApiError {
  constructor() {
    super(404, 'synonym_not_found', { zh: '没有这个同义词', en: 'There is no such synonym' });
  }
}

/** 503: the user, or all users together, have as many requests to add synonyms under way as the service checks at once. */
export class LexiconBusyError extends BusyError {
  constructor(retryAfterS: number) {
    super(
      'lexicon_busy',
      { zh: '正在检查的同义词过多，请稍后重试', en: 'Too many synonyms are being checked; try again shortly' },
      retryAfterS,
    );
  }
}

/** 409: the graph has as many synonyms as are allowed. */
export class TooManySynonymsError extends ApiError {
  constructor(most: number) {
    super(409, 'too_many_synonyms', {
      zh: `每个图至多 ${most} 个同义词，请先删除一些`,
      en: `A graph has at most ${most} synonyms; remove some first`,
    });
  }
}
