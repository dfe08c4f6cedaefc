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
 * CORS options for web clients of the given origins, which must match exactly. Scripts send their credentials in headers, so cookies are
 * never allowed. The response headers repeat nothing from the request except an origin of the list.
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
