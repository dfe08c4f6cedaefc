import { ApiError, BusyError } from './api-error.js';

export class RouteNotFoundError extends ApiError {
  constructor() {
    super(404, 'route_not_found', { zh: '没有这个接口，请查看 /docs', en: 'There is no such endpoint; see /docs' });
  }
}

export class InternalError extends ApiError {
  constructor(cause: unknown) {
    super(500, 'internal_error', { zh: '服务器内部错误，请重试一两次', en: 'Internal server error; retry once or twice' }, { cause });
  }
}

/** 503: the request waited too long for one of this process's database connections, which were all in use. */
export class DatabaseBusyError extends BusyError {
  constructor() {
    super('database_busy', { zh: '服务繁忙，请稍后重试', en: 'The service is busy; try again shortly' }, 2);
  }
}

/** 500: the connection to the database was lost. The API contract demands 500 here; `Retry-After` shows that the loss is temporary. */
export class DatabaseUnavailableError extends ApiError {
  constructor(cause: unknown) {
    super(
      500,
      'database_unavailable',
      // A COMMIT may have been carried out although its answer was lost.
      {
        zh: '数据库暂时不可用，请稍后重试；若是写操作，它可能已经生效，请先查询再重试',
        en: 'The database is unavailable for now; retry shortly. A write may have taken effect: look before you repeat it',
      },
      { cause, headers: { 'Retry-After': '5' } },
    );
  }
}

/** 503: less disk space is free than the reserve that is kept for small writes. */
export class DiskReserveError extends BusyError {
  constructor(freeBytes: number, reserveBytes: number) {
    const [free, reserve] = [freeBytes, reserveBytes].map(bytes => (bytes / 1_048_576).toFixed(0));
    super(
      'disk_full',
      {
        zh: `服务数据目录（DATA_DIR）的磁盘只剩 ${free} MiB，少于保留的 ${reserve} MiB（DISK_RESERVE_MB），什么都没有改变；请在腾出空间后重试，例如删除不再使用的镜像表，或请运维扩大磁盘`,
        en: `The disk of the data directory of the service (DATA_DIR) has ${free} MiB left, less than its reserve of ${reserve} MiB (DISK_RESERVE_MB), and nothing was changed; try again once there is room: drop tables of the mirror that are no longer used, or ask the operator for a larger disk`,
      },
      30,
    );
  }
}

/** 422: work on a text that the caller has written was ended, because it held up all other requests. */
export class TurnTooLongError extends ApiError {
  constructor() {
    super(422, 'too_long_to_work_out', {
      zh: '处理所写的内容（映射、SQL、公式或图表）占用过久，已中止；请缩小、简化或拆分',
      en: 'Working on what is written (a mapping, SQL, a formula or a chart) held up others for too long and was ended; make it smaller or simpler, or split it',
    });
  }
}

/** 503: work was ended because it held up all other requests, but the machine was at fault: it gave the process hardly any CPU time. */
export class TurnEndedError extends BusyError {
  constructor() {
    super('machine_busy', { zh: '服务器目前过于繁忙，请稍后重试', en: 'The machine of the service is too busy now; try again shortly' }, 5);
  }
}

export class ChangedMeanwhileError extends ApiError {
  constructor() {
    super(409, 'changed_meanwhile', {
      zh: '所涉及的对象刚被另一个请求删除或开始使用，请查看后重试',
      en: 'Another request has just deleted what this one refers to, or come to use what it deletes; look again, then retry',
    });
  }
}

export class MalformedBodyError extends ApiError {
  constructor() {
    super(400, 'malformed_json', { zh: '请求体不是有效的 JSON 对象', en: 'The request body is not a valid JSON object' });
  }
}

export class MissingFieldsError extends ApiError {
  /** @param inQuery whether the fields must be in the query string, because the body is not JSON */
  constructor(fields: string[], inQuery = false) {
    const query = `?${fields.map(field => `${field}=…`).join('&')}`;
    super(
      400,
      'missing_field',
      {
        zh: `缺少必填字段：${fields.join('、')}${inQuery ? `；写在查询串中：${query}` : ''}`,
        en: `Missing required field: ${fields.join(', ')}${inQuery ? `; write it in the query string: ${query}` : ''}`,
      },
      { context: { fields } },
    );
  }
}

export class BodyTooLargeError extends ApiError {
  constructor() {
    super(413, 'body_too_large', { zh: '请求体过大', en: 'The request body is too large' });
  }
}

export class UnsupportedMediaTypeError extends ApiError {
  constructor(expected: string) {
    super(415, 'unsupported_media_type', { zh: `Content-Type 应为 ${expected}`, en: `The Content-Type must be ${expected}` });
  }
}

export class BadRequestError extends ApiError {
  constructor() {
    super(400, 'bad_request', { zh: '请求无法读取', en: 'The request cannot be read' });
  }
}

export class ChunksTooSmallError extends ApiError {
  constructor() {
    super(400, 'chunks_too_small', {
      zh: '请求体被切成了过多的小块（Transfer-Encoding: chunked）；请先汇集成数千字节的块再发送',
      en: 'The body comes in too many small chunks (Transfer-Encoding: chunked); gather them into chunks of some kilobytes before you send them',
    });
  }
}

export class BodyTooDeepError extends ApiError {
  constructor(maxDepth: number) {
    super(400, 'body_too_deep', {
      zh: `请求体的嵌套超过 ${maxDepth} 层`,
      en: `The request body is nested deeper than ${maxDepth} levels`,
    });
  }
}

export class CompressedBodyError extends ApiError {
  constructor() {
    super(415, 'unsupported_encoding', {
      zh: '不支持压缩的请求体，请去掉 Content-Encoding',
      en: 'Compressed request bodies are not supported; send it without Content-Encoding',
    });
  }
}

export class ExpectationFailedError extends ApiError {
  constructor() {
    super(417, 'expectation_failed', { zh: 'Expect 只支持 100-continue', en: 'The only Expect supported is 100-continue' });
  }
}

export class HeadersTooLargeError extends ApiError {
  constructor() {
    super(431, 'headers_too_large', { zh: '请求头过大或过多', en: 'The request headers are too large or too many' });
  }
}

export class RequestTimeoutError extends ApiError {
  constructor() {
    super(
      408,
      'request_timeout',
      { zh: '请求没有及时到达', en: 'The request did not arrive in time' },
      // Without closing the connection, the rest of the body would be read as the next request.
      { headers: { Connection: 'close' } },
    );
  }
}

export class ConnectNotAllowedError extends ApiError {
  constructor() {
    super(
      405,
      'connect_not_allowed',
      { zh: '本服务不是代理，不支持 CONNECT', en: 'This service is not a proxy: CONNECT is not supported' },
      { headers: { Allow: 'GET, HEAD, POST, PUT, PATCH, DELETE' } },
    );
  }
}

export class ServiceStoppingError extends BusyError {
  constructor() {
    super('service_stopping', { zh: '服务正在停止，请稍后重试', en: 'The service is stopping; try again shortly' }, 5);
  }
}

/** 503: the user already watches, or waits for, as many runs, copies and queries as allowed. */
export class TooManyWatchersError extends ApiError {
  constructor(retryAfterS: number) {
    super(
      503,
      'too_many_watchers',
      {
        zh: '您已在同时观察或等待过多的运行、复制或查询；请先关闭一些',
        en: 'There is no place to watch or wait for another run, copy or query of yours; close some event streams, or wait for less at a time',
      },
      { headers: { 'Retry-After': String(retryAfterS) } },
    );
  }
}
