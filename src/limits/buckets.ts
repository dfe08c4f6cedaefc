/** Every limit counts the last 60 seconds, at every moment. */
export const windowMs = 60_000;

/** What counts requests together: clients by address, or callers (a user or an API key). */
export type Scope = 'ip' | 'caller';

export interface Policy {
  /** Name in the `RateLimit` headers and in the error's context. */
  name: string;
  /** Requests per minute. */
  limit: number;
}

/** Buckets that a route names; all routes that name none share `user`. */
export const buckets = {
  login: { limit: 10, scope: 'ip' },
  register: { limit: 5, scope: 'ip' },
  password: { limit: 5, scope: 'ip' },
  query: { limit: 30, scope: 'caller' },
  run: { limit: 30, scope: 'caller' },
} as const satisfies Record<string, { limit: number; scope: Scope }>;

export type BucketName = keyof typeof buckets;

export const sharedByUser: Policy = { name: 'user', limit: 60 };

/** Requests that reach no other bucket: unknown routes, missing credentials, public documents. */
export const anonymous: Policy = { name: 'anonymous', limit: 300 };

/** The limit of an API key, over all endpoints; it takes the place of the limits per user. */
export const apiKeyPolicy = (rateLimit: number): Policy => ({ name: 'api_key', limit: rateLimit });
