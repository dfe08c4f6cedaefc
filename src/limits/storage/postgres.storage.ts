import { hash } from 'node:crypto';
import { type OnApplicationShutdown } from '@nestjs/common';
import { type ThrottlerStorage } from '@nestjs/throttler';
import pg from 'pg';
import { Batcher } from '../../database/batcher.js';
import { type HitRecord } from './sliding-log.js';
import { sqlstates } from '../../sql/sqlstate.js';

/**
 * The settings of the connection pool of a rate-limit storage. A statement takes about a millisecond, so few connections are enough. The
 * pool serves this storage only, so that slow statements elsewhere never delay it.
 */
export const limitsPool = {
  max: 4,
  connectionTimeoutMillis: 2_000,
  lock_timeout: 1_000,
  statement_timeout: 2_000,
  query_timeout: 2_500,
  keepAlive: true,
} satisfies pg.PoolConfig;

const cleanEveryMs = 60_000;
const cleanBatch = 10_000;

/**
 * Maximum number of keys of one statement. The statement holds the locks of all its rows until its end, and other processes wait for them.
 */
const maxKeys = 100;

/**
 * Counts a batch of requests, grouped by key, and decides which are admitted, in one statement. The lock of a row orders the processes, and
 * the clock is read after the lock is taken, so hits are stored in the order of their times. The keys are sorted, so that two statements
 * never deadlock. If the clock was set back, stored times in the future become the current time, so that nobody waits longer than the
 * window. `width_bucket` is a binary search for the hits that left the window.
 */
const decide = `
INSERT INTO rate_limit_hits AS stored (key, hits, taken, allowed, decided_at, expires_at)
SELECT key, array_fill(now, ARRAY[least(asked, allowed)]), least(asked, allowed), allowed, now, now + span * interval '1 ms'
FROM (SELECT clock_timestamp() AS now) clock
CROSS JOIN unnest($1::bytea[], $2::int[], $3::int[], $4::float8[]) WITH ORDINALITY AS given (key, asked, allowed, span, place)
ORDER BY place
ON CONFLICT (key) DO UPDATE SET (hits, taken, allowed, decided_at, expires_at) = (
  SELECT live || fresh, cardinality(fresh), excluded.allowed, now, now + span
  FROM (SELECT clock_timestamp() AS now, excluded.expires_at - excluded.decided_at AS span) clock
  CROSS JOIN LATERAL (
    SELECT CASE
      WHEN stored.hits[cardinality(stored.hits)] <= now THEN stored.hits
      ELSE ARRAY(SELECT least(hit, now) FROM unnest(stored.hits) WITH ORDINALITY AS earlier (hit, place) ORDER BY place)
    END AS known
  ) ordered
  CROSS JOIN LATERAL (SELECT known[width_bucket(now - span, known) + 1 :] AS live) counted
  CROSS JOIN LATERAL (
    SELECT array_fill(now, ARRAY[greatest(0, least(excluded.taken, excluded.allowed - cardinality(live)))]) AS fresh
  ) admitted
)
RETURNING
  encode(key, 'hex') AS key,
  taken,
  cardinality(hits) AS total,
  extract(epoch FROM hits[1] - decided_at + (expires_at - decided_at))::float8 AS first_leaves,
  extract(epoch FROM hits[cardinality(hits) - allowed + 1] - decided_at + (expires_at - decided_at))::float8 AS room_comes`;

const clean = `
DELETE FROM rate_limit_hits WHERE key IN (
  SELECT key FROM rate_limit_hits WHERE expires_at < clock_timestamp() LIMIT ${cleanBatch} FOR UPDATE SKIP LOCKED
)`;

/** The decision of one statement for one key. Times are seconds from the decision. */
interface Decided {
  key: string;
  /** The number of the key's requests that were admitted, which are the ones that came first. */
  taken: number;
  /** Hits in the window after the decision. */
  total: number;
  /** Seconds until the oldest hit leaves the window. */
  first_leaves: number;
  /** Seconds until a request is admitted again; null when one is admitted now. */
  room_comes: number | null;
}

interface Hit {
  /** The key of the limit as a hash, so that a dump does not show names and addresses of clients. */
  key: string;
  windowMs: number;
  limit: number;
}

/** Requests of one key that are decided together, with their indexes in the batch. */
interface Asked extends Hit {
  places: number[];
}

type Outcome = HitRecord | { failure: unknown };

/**
 * Rate limits that all processes on one database share, by the database's clock. Every wait has a time limit, and an error refuses the
 * request.
 */
export class PostgresStorage implements ThrottlerStorage, OnApplicationShutdown {
  private readonly cleaning: NodeJS.Timeout;
  private readonly batcher: Batcher<Hit, Outcome>;

  /** @param pool is closed with the storage */
  constructor(private readonly pool: pg.Pool) {
    this.batcher = new Batcher(hits => this.decideAll(hits), { width: limitsPool.max });
    this.cleaning = setInterval(() => void this.clean().catch(() => undefined), cleanEveryMs * (0.75 + Math.random() / 2));
    this.cleaning.unref();
  }

  async increment(key: string, ttl: number, limit: number): Promise<HitRecord> {
    const outcome = await this.batcher.add({ key: hash('sha256', key), windowMs: ttl, limit });
    if ('failure' in outcome) throw outcome.failure;
    return outcome;
  }

  /** Deletes the keys whose last hit left the window. A timer calls this method about once a minute in each process. */
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

  private async decideAll(hits: Hit[]): Promise<Outcome[]> {
    const outcomes = new Array<Outcome>(hits.length);
    for (let start = 0; start < hits.length;) {
      const { keys, end } = gather(hits, start);
      await this.decideKeys(keys, outcomes);
      start = end;
    }
    return outcomes;
  }

  /**
   * Decides about the keys in one statement. A statement that PostgreSQL refused has counted nothing, so each key is then tried alone, and
   * a row that is locked or unreadable refuses only its own key. After a time-out no key is tried again, because the requests have waited
   * long enough.
   */
  private async decideKeys(keys: Asked[], outcomes: Outcome[]): Promise<void> {
    try {
      await this.decide(keys, outcomes);
    } catch (failure) {
      if (keys.length > 1 && failure instanceof pg.DatabaseError && failure.code !== sqlstates.queryCanceled) {
        await Promise.all(keys.map(key => this.decideKeys([key], outcomes)));
      } else for (const place of keys.flatMap(({ places }) => places)) outcomes[place] = { failure };
    }
  }

  private async decide(keys: Asked[], outcomes: Outcome[]): Promise<void> {
    const { rows } = await this.pool.query<Decided>({
      name: 'rate-limit',
      text: decide,
      values: [
        keys.map(({ key }) => `\\x${key}`),
        keys.map(({ places }) => places.length),
        keys.map(({ limit }) => limit),
        keys.map(({ windowMs }) => windowMs),
      ],
    });
    const byKey = new Map(rows.map(row => [row.key, row]));
    for (const { key, places } of keys) {
      const { taken, total, first_leaves, room_comes } = byKey.get(key)!;
      places.forEach((place, index) => {
        const isBlocked = index >= taken;
        outcomes[place] = {
          totalHits: isBlocked ? total : total - taken + index + 1,
          timeToExpire: first_leaves,
          isBlocked,
          timeToBlockExpire: isBlocked ? room_comes! : 0,
        };
      });
    }
  }
}

/** The part of the batch for the next statement, sorted by key: up to `maxKeys` keys, and no key with two limits or windows. */
function gather(hits: Hit[], start: number): { keys: Asked[]; end: number } {
  const keys = new Map<string, Asked>();
  let end = start;
  for (; end < hits.length; end++) {
    const hit = hits[end]!;
    const known = keys.get(hit.key);
    if (known ? known.limit !== hit.limit || known.windowMs !== hit.windowMs : keys.size === maxKeys) break;
    if (known) known.places.push(end);
    else keys.set(hit.key, { ...hit, places: [end] });
  }
  return { keys: [...keys.values()].sort((one, other) => (one.key < other.key ? -1 : 1)), end };
}
