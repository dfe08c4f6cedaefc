import { Injectable } from '@nestjs/common';
import { type PoolClient } from 'pg';
import { Settings } from '../config/settings.js';
import { ServicePool } from '../database/service-pool.js';
import { IdempotencyKeyInUseError, IdempotencyKeyReusedError, TooManyIdempotencyKeysError } from './idempotency.errors.js';

const keptHours = 24;
/** What one caller may keep at a time. Requests at once may go a little beyond. */
const most = { keys: 5_000, bytes: 16_777_216 };
/** The longest that `Prefer: wait` makes a request wait. */
const longestWaitMs = 60_000;
const spareMs = 120_000;

/** One request under a key. */
export interface KeyedRequest {
  /** `user:1` or `key:1`. */
  caller: string;
  /** SHA-256 of method, path and key. */
  keyHash: Buffer;
  /** HMAC-SHA-256 of the body under the key. A body may hold a password that a plain hash would let a reader guess. */
  bodyHash: Buffer;
  /** A random UUID. The answer of an attempt that outlived its lease is not kept. */
  attempt: string;
}

export interface KeptAnswer {
  status: number;
  location: string | null;
  answer: unknown;
}

/**
 * The keys that callers sent, with the answers to repeat. A row is a request under way until it has a status. In both states it ends
 * at `expires_at`: a request whose process died keeps its key for the time of the lease and no longer.
 */
@Injectable()
export class IdempotencyService {
  private readonly leaseMs: number;

  constructor(
    private readonly pool: ServicePool,
    { warehouseTimeoutMs }: Settings,
  ) {
    this.leaseMs = longestWaitMs + warehouseTimeoutMs + spareMs;
  }

  /**
   * The answer to an earlier request under the key, or null for a new key.
   * @throws IdempotencyKeyReusedError, IdempotencyKeyInUseError
   */
  async find({ caller, keyHash, bodyHash }: KeyedRequest): Promise<KeptAnswer | null> {
    const { rows } = await this.pool.query<{ has_same_body: boolean; status: number | null; location: string | null; answer: unknown }>(
      `SELECT body_hash = $3 AS has_same_body, status, location, answer
       FROM idempotency_keys WHERE caller = $1 AND key_hash = $2 AND expires_at > now()`,
      [caller, keyHash, bodyHash],
    );
    const [row] = rows;
    if (!row) return null;
    if (!row.has_same_body) throw new IdempotencyKeyReusedError();
    if (row.status === null) throw new IdempotencyKeyInUseError();
    return { status: row.status, location: row.location, answer: row.answer };
  }

  /**
   * Takes the key for one request, in one process.
   * @throws IdempotencyKeyInUseError when another request was quicker; TooManyIdempotencyKeysError
   */
  async begin({ caller, keyHash, bodyHash, attempt }: KeyedRequest): Promise<void> {
    const { rows } = await this.pool.query<{ keys: number; bytes: number; free_in_s: number }>(
      `SELECT count(*)::int AS keys, coalesce(sum(bytes), 0)::float8 AS bytes, ceil(extract(epoch FROM min(expires_at) - now()))::int AS free_in_s
       FROM idempotency_keys WHERE caller = $1 AND expires_at > now()`,
      [caller],
    );
    const held = rows[0]!;
    if (held.keys >= most.keys || held.bytes >= most.bytes) throw new TooManyIdempotencyKeysError(Math.max(1, held.free_in_s));
    const { rowCount } = await this.pool.query(
      `INSERT INTO idempotency_keys AS held (caller, key_hash, body_hash, attempt, expires_at)
       VALUES ($1, $2, $3, $4, now() + make_interval(secs => $5))
       ON CONFLICT (caller, key_hash) DO UPDATE
         SET body_hash = excluded.body_hash, attempt = excluded.attempt, expires_at = excluded.expires_at,
             status = NULL, location = NULL, answer = NULL, bytes = 0
         WHERE held.expires_at <= now()`,
      [caller, keyHash, bodyHash, attempt, this.leaseMs / 1000],
    );
    if (rowCount === 0) throw new IdempotencyKeyInUseError();
  }

  async keep({ caller, keyHash, attempt }: KeyedRequest, { status, location, answer }: KeptAnswer): Promise<void> {
    const text = JSON.stringify(answer ?? null);
    await this.pool.query(
      `UPDATE idempotency_keys
       SET status = $4, location = $5, answer = $6, bytes = $7, expires_at = now() + make_interval(hours => $8)
       WHERE caller = $1 AND key_hash = $2 AND attempt = $3`,
      [caller, keyHash, attempt, status, location, text, Buffer.byteLength(text), keptHours],
    );
  }

  /** Frees the key of a request that created nothing. */
  async release({ caller, keyHash, attempt }: KeyedRequest): Promise<void> {
    await this.pool.query('DELETE FROM idempotency_keys WHERE caller = $1 AND key_hash = $2 AND attempt = $3', [caller, keyHash, attempt]);
  }

  /** Removes at most `most` expired keys. @returns how many were removed */
  async removeExpired(client: PoolClient, most: number): Promise<number> {
    const { rowCount } = await client.query(
      `DELETE FROM idempotency_keys WHERE (caller, key_hash) IN (
         SELECT caller, key_hash FROM idempotency_keys WHERE expires_at <= now() ORDER BY expires_at LIMIT $1 FOR UPDATE SKIP LOCKED)`,
      [most],
    );
    return rowCount ?? 0;
  }
}
