import { ApiError } from '../common/errors/api-error.js';

export class InvalidIdempotencyKeyError extends ApiError {
  constructor() {
    super(400, 'invalid_idempotency_key', {
      zh: 'Idempotency-Key 应为 1 至 255 个可见的 ASCII 字符，可以加双引号',
      en: 'An Idempotency-Key has 1 to 255 visible ASCII characters, in double quotes or not',
    });
  }
}

export class IdempotencyKeyReusedError extends ApiError {
  constructor() {
    super(422, 'idempotency_key_reused', {
      zh: '该 Idempotency-Key 已用于内容不同的请求，请为新的请求换一个键',
      en: 'This Idempotency-Key was sent with another body; give a new request a new key',
    });
  }
}

export class IdempotencyKeyInUseError extends ApiError {
  constructor() {
    super(
      409,
      'idempotency_key_in_use',
      { zh: '使用该 Idempotency-Key 的请求还在进行，请稍后重试', en: 'A request with this Idempotency-Key is under way; retry shortly' },
      { headers: { 'Retry-After': '2' } },
    );
  }
}

/** 409: the request was committed, but its answer was not stored, because its process died or lost the database. */
export class IdempotencyAnswerLostError extends ApiError {
  /** @param listedAt the path whose GET lists what the request may have created */
  constructor(listedAt: string) {
    super(
      409,
      'idempotency_answer_lost',
      {
        zh: `使用该 Idempotency-Key 的请求可能已经生效，但其应答已丢失；请先用 GET ${listedAt} 查看，若未生效，请换一个键重发`,
        en: `The request with this Idempotency-Key may have taken effect, but its answer is lost; look with GET ${listedAt}, and send it with a new key if it has not`,
      },
      { context: { listed_at: listedAt } },
    );
  }
}

export class TooManyIdempotencyKeysError extends ApiError {
  /** @param retryAfterS whole seconds until the caller's oldest key is forgotten */
  constructor(retryAfterS: number) {
    super(
      429,
      'too_many_idempotency_keys',
      {
        zh: '您在 24 小时内使用的 Idempotency-Key 过多，请稍后重试，或不带该请求头',
        en: 'You used too many Idempotency-Keys within 24 hours; retry later, or without the header',
      },
      { context: { retry_after_s: retryAfterS }, headers: { 'Retry-After': String(retryAfterS) } },
    );
  }
}
