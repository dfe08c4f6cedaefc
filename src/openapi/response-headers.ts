import { type OpenAPIObject } from '@nestjs/swagger';

type Headers = NonNullable<NonNullable<OpenAPIObject['components']>['headers']>;

/** Headers of more than one operation. */
export const headers: Headers = {
  'X-Request-ID': { description: '请求的编号，日志中也有 / The id of the request, also in the log', schema: { type: 'string' } },
  'RateLimit-Policy': {
    description: '所计的限额 / The limits that were counted',
    schema: { type: 'string', example: '"query";q=60;w=60' },
  },
  RateLimit: { description: '限额的余量 / What is left of them', schema: { type: 'string', example: '"query";r=59;t=60' } },
};

const ref = (name: string) => ({ $ref: `#/components/headers/${name}` });
const requestId = { 'X-Request-ID': ref('X-Request-ID') };
const rateLimit = { 'RateLimit-Policy': ref('RateLimit-Policy'), RateLimit: ref('RateLimit') };
/** Asks the client to wait. */
const retryAfter = { 'Retry-After': { schema: { type: 'integer', minimum: 1 }, description: '秒 / seconds' } };

/** The headers that an answer of this status may have. Requests that count against a limit learn what is left of it. */
export function headersOf(status: string, isCounted: boolean): object {
  const asksToWait = status === '429' || status === '502' || status === '503';
  return { ...requestId, ...(isCounted ? rateLimit : {}), ...(asksToWait ? retryAfter : {}) };
}
