import { type CorsOptions } from '@nestjs/common/interfaces/external/cors-options.interface.js';

const exposedHeaders = [
  'X-Request-ID',
  'Retry-After',
  'RateLimit',
  'RateLimit-Policy',
  'Location',
  'X-Ignored-Fields',
  'Preference-Applied',
  'Idempotent-Replayed',
];
const allowedHeaders = ['Authorization', 'X-API-Key', 'Content-Type', 'Accept', 'Prefer', 'Idempotency-Key', 'X-Request-ID'];
const maxAgeSeconds = 600;

/**
 * Allows web clients of the given origins, compared letter by letter. Scripts set the credentials in headers themselves, so cookies
 * are never allowed. The only value of a request that the headers repeat is an origin from the list.
 */
export function corsFor(origins: readonly string[]): CorsOptions {
  return {
    origin: [...origins],
    methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
    allowedHeaders,
    exposedHeaders,
    maxAge: maxAgeSeconds,
  };
}
