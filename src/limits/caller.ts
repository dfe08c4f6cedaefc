import { type Principal } from '../access/principal.js';
import { apiKeyPolicy, type BucketName, buckets, type Policy, sharedByUser } from './buckets.js';

/** Whom requests behind the credentials are counted for. */
export interface Caller {
  subject: string;
  /** Requests per minute of the API key that was shown; none for a user. */
  rateLimit?: number;
}

export function toCaller({ userId, apiKey }: Principal): Caller {
  return apiKey ? { subject: `key:${apiKey.id}`, rateLimit: apiKey.rateLimit } : { subject: `user:${userId}` };
}

/** The limit that a caller meets on a route of `bucket`; null where the route counts by address and the caller is a user. */
export function policyFor({ rateLimit }: Caller, bucket: BucketName | undefined): Policy | null {
  if (rateLimit !== undefined) return apiKeyPolicy(rateLimit);
  if (bucket === undefined) return sharedByUser;
  return buckets[bucket].scope === 'caller' ? { name: bucket, limit: buckets[bucket].limit } : null;
}
