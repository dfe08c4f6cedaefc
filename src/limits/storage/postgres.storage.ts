import { createHash } from 'node:crypto';
import { type OnApplicationShutdown } from '@nestjs/common';
import { type ThrottlerStorage } from '@nestjs/throttler';
import type pg from 'pg';
import { type HitRecord } from './sliding-log.js';

/**
 * The pool that a storage works with. Few connections are enough, a decision takes less than a millisecond; of its own, so that
 * slow work elsewhere never delays one.
 */
export const limitsPool = {
  max: 4,
  connectionTimeoutMillis: 2_000,
  statement_timeout: 2_000,
  query_timeout: 2_500,
  keepAlive: true,
} satisfies pg.PoolConfig;

const cleanEveryMs = 60_000;
const cleanBatch = 10_000;

/**
 * Counts and decides in one statement. The row's lock puts the processes in order, and the clock is read behind it, so that
 * hits are stored in the order of their times. Where the clock was set back, times ahead of it become now: nobody waits
 * longer than the window. `width_bucket` is a binary search for the hits that left the window.
 */
const decide = `
INSERT INTO rate_limit_hits AS stored (key, hits, admitted, decided_at, expires_at)
SELECT $1::bytea, ARRAY[clock.now], true, clock.now, clock.now + $2::interval FROM (SELECT clock_timestamp() AS now) clock
ON CONFLICT (key) DO UPDATE SET (hits, admitted, decided_at, expires_at) = (
  SELECT CASE WHEN cardinality(live) < $3::int THEN live || now ELSE live END, cardinality(live) < $3::int, now, now + $2::interval
  FROM (SELECT clock_timestamp() AS now) clock
  CROSS JOIN LATERAL (
    SELECT CASE
      WHEN stored.hits[cardinality(stored.hits)] <= now THEN stored.hits
      ELSE ARRAY(SELECT least(hit, now) FROM unnest(stored.hits) WITH ORDINALITY AS earlier (hit, place) ORDER BY place)
    END AS known
  ) ordered
  CROSS JOIN LATERAL (SELECT known[width_bucket(now - $2::interval, known) + 1 :] AS live) counted
)
RETURNING
  cardinality(hits) AS total_hits,
  extract(epoch FROM hits[1] + $2::interval - decided_at)::float8 AS time_to_expire,
  NOT admitted AS is_blocked,
  CASE WHEN admitted THEN 0 ELSE extract(epoch FROM hits[cardinality(hits) - $3::int + 1] + $2::interval - decided_at) END::float8
    AS time_to_block_expire`;

const clean = `
DELETE FROM rate_limit_hits WHERE key IN (
  SELECT key FROM rate_limit_hits WHERE expires_at < clock_timestamp() LIMIT ${cleanBatch} FOR UPDATE SKIP LOCKED
)`;

interface Decision {
  total_hits: number;
  time_to_expire: number;
  is_blocked: boolean;
  time_to_block_expire: number;
}

/** Limits of all processes on one database, on the database's clock. Every wait has a bound, and an error refuses. */
export class PostgresStorage implements ThrottlerStorage, OnApplicationShutdown {
  private readonly cleaning: NodeJS.Timeout;

  /** @param pool ends with the storage */
  constructor(private readonly pool: pg.Pool) {
    this.cleaning = setInterval(() => void this.clean().catch(() => undefined), cleanEveryMs * (0.75 + Math.random() / 2));
    this.cleaning.unref();
  }

  async increment(key: string, ttl: number, limit: number): Promise<HitRecord> {
    const { rows } = await this.pool.query<Decision>({
      name: 'rate-limit',
      text: decide,
      // Hashed: names and addresses of clients are nobody's to read in a dump.
      values: [createHash('sha256').update(key).digest(), `${ttl} milliseconds`, limit],
    });
    const decision = rows[0]!;
    return {
      totalHits: decision.total_hits,
      timeToExpire: decision.time_to_expire,
      isBlocked: decision.is_blocked,
      timeToBlockExpire: decision.time_to_block_expire,
    };
  }

  /** Deletes the keys whose last hit left the window; runs by itself about once a minute in each process. */
  async clean(): Promise<void> {
    for (;;) {
      const { rowCount } = await this.pool.query(clean);
      if ((rowCount ?? 0) < cleanBatch) return;
    }
  }

  async onApplicationShutdown(): Promise<void> {
    clearInterval(this.cleaning);
    if (!this.pool.ending) await this.pool.end();
  }
}
