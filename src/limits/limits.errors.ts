import { ApiError, BusyError } from '../common/errors/api-error.js';
import { type Charge, windowMs } from './charge.js';

export class TooManyRequestsError extends ApiError {
  /** The name of the limit that was used up. */
  readonly bucket: string;

  /** @param retryAfterS whole seconds after which a request is admitted */
  constructor({ name, limit }: Charge, retryAfterS: number) {
    super(
      429,
      'too_many_requests',
      { zh: `请求过于频繁，请在 ${retryAfterS} 秒后重试`, en: `Too many requests; retry after ${retryAfterS} seconds` },
      {
        context: { bucket: name, limit, window_s: windowMs / 1000, retry_after_s: retryAfterS },
        headers: { 'Retry-After': String(retryAfterS) },
      },
    );
    this.bucket = name;
  }
}

/** 503: too many requests of the same caller are waiting already, or this request has waited too long for its turn. */
export class AdmissionBusyError extends BusyError {
  constructor(retryAfterS: number) {
    super(
      'admission_busy',
      {
        zh: '同时到达的请求过多，未能及时轮到这一个；请稍后重试，并减少同时发出的请求',
        en: 'Too many requests came at once for this one to have its turn in time; retry shortly, and send fewer at once',
      },
      retryAfterS,
    );
  }
}

/** 503: several requests of the caller were ended because they held up all other callers, so the caller must rest. */
export class RequestsRestError extends BusyError {
  constructor(retryAfterS: number) {
    super(
      'requests_rest',
      {
        zh: `处理您的多个请求先后因占用过久而中止，您的写入与查询请求须暂停 ${retryAfterS} 秒；请缩小或简化那些请求的内容`,
        en: `Working on several requests of yours held up all others and was ended, so requests of yours that write or ask rest for ${retryAfterS} s; make what those hold smaller or simpler`,
      },
      retryAfterS,
    );
  }
}

/** 500: the storage of the limits does not answer. A request that cannot be counted is refused. An outage of the database is a 500 too. */
export class LimitsUnavailableError extends ApiError {
  constructor(cause: unknown) {
    super(
      500,
      'limits_unavailable',
      { zh: '限流存储暂时不可用，请稍后重试', en: 'The store of the rate limits is unavailable for now; retry shortly' },
      { cause, headers: { 'Retry-After': '5' } },
    );
  }
}
