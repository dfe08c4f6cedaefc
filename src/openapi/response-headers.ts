import { type OpenAPIObject } from '@nestjs/swagger';

type Headers = NonNullable<NonNullable<OpenAPIObject['components']>['headers']>;

/** Descriptions of response headers that more than one operation has. */
export const headers: Headers = {
  'X-Request-ID': { description: '请求的编号，日志中也有 / The id of the request, also in the log', schema: { type: 'string' } },
  'RateLimit-Policy': {
    description: '所计的限额 / The limits that were counted',
    schema: { type: 'string', example: '"query";q=60;w=60' },
  },
  'Retry-After': {
    description: '秒；等这么久再重试 / Seconds to wait before a retry',
    schema: { type: 'integer', minimum: 1 },
  },
  'WWW-Authenticate': { description: '如何认证 / How to authenticate', schema: { type: 'string', example: 'Bearer' } },
  'X-Ignored-Fields': {
    description: '宽松处理时忽略的字段 / Fields ignored under Prefer: handling=lenient',
    schema: { type: 'string', example: 'nmae' },
  },
  'Preference-Applied': {
    description: '已照办的 Prefer / The preferences that were followed',
    schema: { type: 'string', example: 'handling=lenient' },
  },
  'Idempotent-Replayed': {
    description: '这是第一次的应答 / This is the first answer, repeated',
    schema: { type: 'string', enum: ['true'] },
  },
  RateLimit: { description: '限额的余量 / The remainder of the limits', schema: { type: 'string', example: '"query";r=59;t=60' } },
};

const ref = (name: string) => ({ $ref: `#/components/headers/${name}` });
const requestId = { 'X-Request-ID': ref('X-Request-ID') };
const rateLimit = { 'RateLimit-Policy': ref('RateLimit-Policy'), RateLimit: ref('RateLimit') };
const retryAfter = { 'Retry-After': ref('Retry-After') };
/** Statuses of errors that may be temporary. The answer to a temporary error has `Retry-After`. */
const passing = new Set(['409', '422', '429', '500', '502', '503', 'default']);

/**
 * The headers that an answer with this status may have. An answer to a request that counts against a rate limit has headers with the rest
 * of the limit. `Location`, and other headers of a single operation, are documented at that operation.
 */
export function headersOf(status: string, isCounted: boolean, { parameters = [] }: { parameters?: { name?: string }[] }): object {
  const isSuccess = /^2/.test(status);
  return {
    ...requestId,
    ...(isCounted ? rateLimit : {}),
    ...(passing.has(status) ? retryAfter : {}),
    ...(status === '401' ? { 'WWW-Authenticate': ref('WWW-Authenticate') } : {}),
    ...(isSuccess ? { 'X-Ignored-Fields': ref('X-Ignored-Fields'), 'Preference-Applied': ref('Preference-Applied') } : {}),
    ...(isSuccess && parameters.some(({ name }) => name === 'Idempotency-Key')
      ? { 'Idempotent-Replayed': ref('Idempotent-Replayed') }
      : {}),
  };
}
