import { type Principal } from '../access/principal.js';
import { type Settings } from '../config/settings.js';

/** The window of every limit in ms: at any moment, the requests of the last 60 seconds count. */
export const windowMs = 60_000;

/**
 * For each bucket, whether its limit applies to an address, which is counted before the credentials are checked, or to a user. A route that
 * names no bucket counts as `user`. Public and unknown routes, and requests without valid credentials, count as `anonymous`.
 */
export const buckets: Record<BucketName, 'address' | 'user'> = {
  login: 'address',
  register: 'address',
  password: 'address',
  anonymous: 'address',
  query: 'user',
  run: 'user',
  user: 'user',
};

/** Requests per minute of each bucket. */
export type Limits = Settings['rateLimits'];

export type BucketName = keyof Limits;

export interface Route {
  /** The bucket that the route names; `none` if its requests are not counted; undefined if it names no bucket. */
  bucket?: BucketName | 'none' | undefined;
  isPublic: boolean;
}

/** The user or the API key that a request counts for once its credentials are known. */
export interface Caller {
  userId: number;
  subject: string;
  /** Requests per minute of the API key; undefined for a user. */
  rateLimit?: number;
}

export function toCaller({ userId, apiKey }: Principal): Caller {
  return apiKey ? { userId, subject: `key:${apiKey.id}`, rateLimit: apiKey.rateLimit } : { userId, subject: `user:${userId}` };
}

/** One request that counts for `subject` against a limit. */
export interface Charge {
  /** The limit's name in the `RateLimit` headers and in the error's context. */
  name: string;
  /** Requests per minute. */
  limit: number;
  subject: string;
}

export const anonymous = (address: string, limits: Limits): Charge => ({ name: 'anonymous', limit: limits.anonymous, subject: address });

/**
 * Finds the limit that a request to a route counts against, for its address or for its caller (`payer`). Null if the route's limit applies
 * to the other of the two. An API key has one limit over all routes, in place of its user's limits.
 */
export function findCharge({ bucket, isPublic }: Route, payer: string | Caller, limits: Limits): Charge | null {
  if (bucket === 'none') return null;
  const name = bucket ?? (isPublic ? 'anonymous' : 'user');
  const per = buckets[name];
  if (typeof payer === 'string') return per === 'address' ? { name, limit: limits[name], subject: payer } : null;
  return per === 'user' || payer.rateLimit !== undefined ? chargeOf(payer, name, limits) : null;
}

/** Every limit that the requests of a caller count against. */
export function chargesOf(caller: Caller, limits: Limits): Charge[] {
  if (caller.rateLimit !== undefined) return [chargeOf(caller, 'user', limits)];
  const names = (Object.keys(buckets) as BucketName[]).filter(name => buckets[name] === 'user');
  return names.map(name => chargeOf(caller, name, limits));
}

function chargeOf({ subject, rateLimit }: Caller, name: BucketName, limits: Limits): Charge {
  return rateLimit === undefined ? { name, limit: limits[name], subject } : { name: 'api_key', limit: rateLimit, subject };
}
