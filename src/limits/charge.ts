import { type Principal } from '../access/principal.js';

/** Every limit counts the last 60 seconds at any moment. */
export const windowMs = 60_000;

/**
 * The limits of one address, counted before the credentials are looked at, and those of one user. A route that names no bucket
 * counts as `user`. Public and unknown routes, and requests without good credentials, count as `anonymous`.
 */
export const buckets = {
  login: { limit: 10, per: 'address' },
  register: { limit: 5, per: 'address' },
  password: { limit: 5, per: 'address' },
  anonymous: { limit: 300, per: 'address' },
  query: { limit: 30, per: 'user' },
  run: { limit: 30, per: 'user' },
  user: { limit: 60, per: 'user' },
} as const satisfies Record<string, { limit: number; per: 'address' | 'user' }>;

export type BucketName = keyof typeof buckets;

export interface Route {
  /** The bucket that the route names; `none` if nothing is counted. */
  bucket?: BucketName | 'none' | undefined;
  isPublic: boolean;
}

/** The user or the API key that a request counts for once its credentials are known. */
export interface Caller {
  subject: string;
  /** Requests per minute of the API key; undefined for a user. */
  rateLimit?: number;
}

export function toCaller({ userId, apiKey }: Principal): Caller {
  return apiKey ? { subject: `key:${apiKey.id}`, rateLimit: apiKey.rateLimit } : { subject: `user:${userId}` };
}

/** One request of `subject` against a limit. */
export interface Charge {
  /** The limit's name in the `RateLimit` headers and in the error's context. */
  name: string;
  /** Requests per minute. */
  limit: number;
  subject: string;
}

export const anonymous = (address: string): Charge => ({ name: 'anonymous', limit: buckets.anonymous.limit, subject: address });

/**
 * Tells which limit a request to a route counts against, for its address or for its caller. Null where it counts for the other one
 * only. An API key has one limit over all routes, in place of its user's limits.
 */
export function findCharge({ bucket, isPublic }: Route, payer: string | Caller): Charge | null {
  if (bucket === 'none') return null;
  const name = bucket ?? (isPublic ? 'anonymous' : 'user');
  const { limit, per } = buckets[name];
  if (typeof payer === 'string') return per === 'address' ? { name, limit, subject: payer } : null;
  const { subject, rateLimit } = payer;
  if (rateLimit !== undefined) return { name: 'api_key', limit: rateLimit, subject };
  return per === 'user' ? { name, limit, subject } : null;
}
