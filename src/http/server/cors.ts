import { type CorsOptions } from '@nestjs/common/interfaces/external/cors-options.interface.js';

const exposedHeaders = [
  'X-Request-ID',
  'Retry-After',
  'RateLimit',
  'RateLimit-Policy',
  'Location',
  'X-Ignored-Fields',
  'Preference-Applied',
];
const allowedHeaders = ['Authorization', 'X-API-Key', 'Content-Type', 'Accept', 'Prefer', 'X-Request-ID'];
const maxAgeSeconds = 600;

/**
 * Web clients of the given origins, compared letter by letter. Credentials travel in headers that a script sets itself, so
 * cookies are never allowed along; nothing that a request says about itself is reflected but an origin of the list.
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
