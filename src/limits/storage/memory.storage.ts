import { type ThrottlerStorage } from '@nestjs/throttler';
import { windowMs } from '../charge.js';
import { RecentMap } from '../recent-map.js';
import { type HitRecord, SlidingLog } from './sliding-log.js';

/**
 * Maximum number of keys per bucket and generation. With more keys, those that were not used recently are forgotten early. Each bucket has
 * its own map, so that addresses, of which one IPv6 client has many, never displace a user.
 */
const defaultCapacity = 50_000;

/** Rate limits of one process, for an installation with the embedded database, which runs only one process. */
export class MemoryStorage implements ThrottlerStorage {
  private readonly buckets = new Map<string, RecentMap<string, SlidingLog>>();

  /** @param now returns milliseconds of a clock that never goes back */
  constructor(
    private readonly now: () => number = () => performance.now(),
    private readonly capacity = defaultCapacity,
  ) {}

  increment(key: string, ttl: number, limit: number, _blockDuration: number, bucket: string): Promise<HitRecord> {
    let logs = this.buckets.get(bucket);
    if (!logs) this.buckets.set(bucket, (logs = new RecentMap(Math.max(ttl, windowMs), this.capacity, this.now)));
    let log = logs.get(key);
    if (!log) logs.set(key, (log = new SlidingLog()));
    return Promise.resolve(log.hit(this.now(), ttl, limit));
  }
}
