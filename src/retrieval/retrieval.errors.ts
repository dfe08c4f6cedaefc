import { type Bilingual } from '../text/bilingual.js';
import { ApiError, BusyError } from '../common/errors/api-error.js';

/** 503: the retrieval process does not answer. Everything in the service that works without retrieval goes on working. */
export class RetrievalUnavailableError extends BusyError {
  constructor(cause?: unknown) {
    super(
      'retrieval_unavailable',
      { zh: '检索进程暂时不可用，请稍后重试', en: 'The retrieval process is not available; try again shortly' },
      2,
      cause,
    );
  }
}

/** No connection to the process can be made, so the process has not received the request. */
export class RetrievalUnreachedError extends RetrievalUnavailableError {}

/** 503: the two sides speak different versions of the protocol. */
export class RetrievalVersionError extends BusyError {
  /**
   * @param service the API's version of the protocol; null if it names none
   * @param process the retrieval process's version; null if it names none
   */
  constructor(service: string | null, process: string | null) {
    super(
      'retrieval_version',
      {
        zh: `检索进程的协议版本为 ${process ?? '未知'}，API 为 ${service ?? '未知'}；请管理员让两者运行同一版本`,
        en: `The retrieval process speaks version ${process ?? 'unknown'} of the protocol and the API version ${service ?? 'unknown'}; ask an administrator to run both from one release`,
      },
      30,
    );
  }
}

/** 401, between the processes only: the caller has not shown that it is the API. */
export class CredentialsError extends ApiError {
  constructor(text: Bilingual) {
    super(401, 'retrieval_credentials', text);
  }
}

/** 503: the replica that the process reads does not have the graph's version yet, and the process has no other database to read. */
export class ReplicaBehindError extends BusyError {
  constructor(cause?: unknown) {
    super(
      'replica_behind',
      {
        zh: '只读副本尚未追上该图的最新版本，请稍后重试',
        en: 'The replica of the database has not caught up with the newest version of the graph; try again shortly',
      },
      2,
      cause,
    );
  }
}

/** 503: too many queries of the caller are waiting, or this query has waited too long for a place. */
export class RetrievalBusyError extends BusyError {
  constructor(retryAfterS: number) {
    super(
      'retrieval_busy',
      { zh: '目前没有位置处理您的又一个查询，请稍后重试', en: 'There is no place for another query of yours now; try again shortly' },
      retryAfterS,
    );
  }
}

/** 422: this query ran alone when the retrieval process or thread that ran it ended, so it is refused for some time. */
export class QueryRefusedError extends ApiError {
  constructor(forMs: number) {
    const seconds = Math.max(1, Math.ceil(forMs / 1000));
    super(
      422,
      'query_refused',
      {
        zh: `该查询单独执行时检索进程（或其线程）异常结束，${Math.ceil(seconds / 60)} 分钟内不再执行；请改写或缩小查询`,
        en: `The retrieval process, or a thread of it, has ended while it worked on this query alone, which is refused for ${Math.ceil(seconds / 60)} min; rewrite or narrow it`,
      },
      { context: { retry_after_s: seconds }, headers: { 'Retry-After': String(seconds) } },
    );
  }
}

/** 503: several queries of the caller have each ended the retrieval thread in which they ran alone. */
export class CallerRestsError extends BusyError {
  constructor(retryAfterS: number) {
    super(
      'queries_busy',
      {
        zh: `您的多个查询先后使检索线程异常结束，您的查询须暂停 ${retryAfterS} 秒；请改写或缩小那些查询`,
        en: `Several queries of yours have each ended a thread of the retrieval process, so yours rest for ${retryAfterS} s; rewrite or narrow those`,
      },
      retryAfterS,
    );
  }
}

/** 422: the graph is larger than the memory the process may use for loaded graphs. */
export class GraphExceedsMemoryError extends ApiError {
  constructor(graphId: number, budgetBytes: number, use: keyof typeof exceedsMemory = 'search') {
    super(422, 'graph_exceeds_memory', exceedsMemory[use], { context: { graph_id: graphId, budget_bytes: budgetBytes } });
  }
}

const exceedsMemory = {
  search: {
    zh: '图的搜索索引超出检索进程的内存上限，无法搜索和提问；请改用 cypher，或请管理员调高 RETRIEVAL_MEMORY_MB',
    en: 'The search index of the graph is larger than the memory of the retrieval process, so it cannot be searched or asked; use cypher, or ask an administrator to raise RETRIEVAL_MEMORY_MB',
  },
  filter: {
    zh: '图的搜索索引与 where 所用的属性合计超出检索进程的内存上限；请去掉 where，改用 cypher，或请管理员调高 RETRIEVAL_MEMORY_MB',
    en: 'The search index of the graph and the properties in where are together larger than the memory of the retrieval process; leave out where, use cypher, or ask an administrator to raise RETRIEVAL_MEMORY_MB',
  },
  cypher: {
    zh: '该查询须在内存中执行，因为 SQL 无法得出完全相同的结果，而图超出检索进程的内存上限；MATCH、WHERE 与 RETURN 中类型确定的比较、整数与小数的计算、计数与求和可由 SQL 执行；也可请管理员调高 RETRIEVAL_MEMORY_MB',
    en: 'This query runs in memory, since SQL cannot have exactly the same results, and the graph is larger than the memory of the retrieval process; SQL runs MATCH, WHERE and RETURN with comparisons of known types, calculations of integers and decimals, counts and sums; or ask an administrator to raise RETRIEVAL_MEMORY_MB',
  },
} as const satisfies Record<string, Bilingual>;

/** 503: each time the graph was loaded for the query, the graph had a new version before the load was complete. */
export class GraphChangingError extends BusyError {
  constructor() {
    super(
      'graph_changing',
      {
        zh: '图在载入内存期间一再更新，该查询未能执行；请在更新的间隙重试',
        en: 'The graph had a new version each time that it was loaded into memory, so the query has not run; try again between its updates',
      },
      5,
    );
  }
}

/** 400: the query did not end within its `timeout_ms` and was stopped. */
export class QueryTimeoutError extends ApiError {
  constructor(timeoutMs: number) {
    super(
      400,
      'query_timeout',
      {
        zh: `查询在 ${timeoutMs} 毫秒内未完成，已停止；请缩小范围，或在请求中给出更大的 timeout_ms`,
        en: `The query did not finish within ${timeoutMs} ms and was stopped; narrow it, or send a larger timeout_ms`,
      },
      { context: { timeout_ms: timeoutMs } },
    );
  }
}

/** 422: PostgreSQL stopped the query at one of its own limits: memory, temporary files, or the size of a statement. */
export class QueryTooLargeError extends ApiError {
  constructor(reason: Bilingual, sqlstate: string, cause: unknown) {
    super(
      422,
      'query_too_large',
      {
        zh: `查询过大：${reason.zh}；请用 WHERE 缩小范围，或少取、少排序、少分组`,
        en: `The query is too large: ${reason.en}; narrow it with WHERE, or return, order or group by less`,
      },
      { context: { sqlstate }, cause },
    );
  }
}

export class GraphGoneError extends ApiError {
  constructor(graphId: number) {
    super(404, 'graph_not_found', { zh: '图不存在', en: 'The graph does not exist' }, { context: { graph_id: graphId } });
  }
}

/** 400: the graph has a newer version than the one that the previous page came from. */
export class CursorExpiredError extends ApiError {
  constructor() {
    super(400, 'cursor_expired', {
      zh: '图已更新，游标失效，请从第一页重新开始',
      en: 'The graph has changed since the cursor was made; start again from the first page',
    });
  }
}

/** 422: a search asks for a label or a property that no node of the graph has. */
export class UnknownFilterError extends ApiError {
  constructor(kind: 'label' | 'property', name: string, nearest: string | null) {
    const of = kind === 'label' ? { zh: '标签', en: 'label' } : { zh: '属性', en: 'property' };
    super(422, 'unknown_filter', {
      zh: `图中没有${of.zh}“${name}”${nearest === null ? '' : `，是否指“${nearest}”`}；请改正或去掉这个条件`,
      en: `The graph has no ${of.en} "${name}"${nearest === null ? '' : ` (did you mean "${nearest}"?)`}; correct the filter or leave it out`,
    });
  }
}

/** 400: a request of the protocol cannot be read. */
export class ProtocolError extends ApiError {
  constructor(text: Bilingual, status: 400 | 404 | 413 = 400) {
    super(status, 'retrieval_protocol', text);
  }
}
