import { Injectable } from '@nestjs/common';
import { type PoolClient } from 'pg';
import { Settings } from '../config/settings.js';
import { DiskReserve } from '../database/disk-reserve.js';
import { ServicePool } from '../database/service-pool.js';
import {
  IdempotencyAnswerLostError,
  IdempotencyKeyInUseError,
  IdempotencyKeyReusedError,
  TooManyIdempotencyKeysError,
} from './idempotency.errors.js';

const keptHours = 24;
/**
 * The most keys, and the most bytes of answers, that are kept for one user at a time. All API keys of the user count together, because a
 * user may revoke an API key and make another. Concurrent requests may exceed these bounds a little.
 */
const most = { keys: 20_000, bytes: 67_108_864 };
/** The longest time in milliseconds for which `Prefer: wait` makes a request wait. */
const longestWaitMs = 60_000;
const spareMs = 120_000;

/** One request with an idempotency key. */
export interface KeyedRequest {
  /** `user:1` or `key:1`. */
  caller: string;
  /** The user whose bounds (`most`) the key and its answer count towards. */
  userId: number;
  /** SHA-256 of method, path and key. */
  keyHash: Buffer;
  /**
   * HMAC-SHA-256 of the body and the query, with the idempotency key as its key. The body may hold a password, which a reader could guess
   * from a plain hash.
   */
  bodyHash: Buffer;
  /** A random UUID for this attempt. An attempt that has lost the key to another attempt can neither commit nor store its answer. */
  attempt: string;
  /** The path whose GET lists what the request creates. */
  listedAt: string;
}

export interface KeptAnswer {
  status: number;
  location: string | null;
  answer: unknown;
}

interface KeyRow {
  status: number | null;
  location: string | null;
  answer: unknown;
  has_same_body: boolean;
  /** True if the request was committed and its lease ended without an answer. Null in rows of an earlier release. */
  is_answer_lost: boolean | null;
}

/**
 * The idempotency keys that callers sent, with the answers to repeat. A row without a status stands for a request under way. If the process
 * of a request dies before the COMMIT, the key becomes free at the end of the lease. If it dies after the COMMIT, the key stays taken, so
 * that no repeat does the work twice.
 */
@Injectable()
export class IdempotencyService {
  private readonly leaseMs: number;

  constructor(
    private readonly pool: ServicePool,
    { warehouseTimeoutMs }: Settings,
    private readonly disk: DiskReserve,
  ) {
    this.leaseMs = longestWaitMs + warehouseTimeoutMs + spareMs;
  }

  /**
   * The answer to an earlier request under the key, or null for a new key.
   * @throws IdempotencyKeyReusedError, IdempotencyKeyInUseError, IdempotencyAnswerLostError
   */
  async find({ caller, keyHash, bodyHash, listedAt }: KeyedRequest): Promise<KeptAnswer | null> {
    const { rows } = await this.pool.query<KeyRow>(
      `SELECT body_hash = $3 AS has_same_body, committed AND under_way_until <= now() AS is_answer_lost, status, location, answer
       FROM idempotency_keys WHERE caller = $1 AND key_hash = $2 AND expires_at > now()`,
      [caller, keyHash, bodyHash],
    );
    const [row] = rows;
    if (!row) return null;
    if (!row.has_same_body) throw new IdempotencyKeyReusedError();
    if (row.status === null) throw row.is_answer_lost ? new IdempotencyAnswerLostError(listedAt) : new IdempotencyKeyInUseError();
    return { status: row.status, location: row.location, answer: row.answer };
  }

  /**
   * Takes the key for one request.
   * @throws IdempotencyKeyInUseError when another request has taken the key first; TooManyIdempotencyKeysError
   */
  async begin({ caller, userId, keyHash, bodyHash, attempt }: KeyedRequest): Promise<void> {
    const { rows } = await this.pool.query<{ keys: number; bytes: number; free_in_s: number }>(
      `SELECT count(*)::int AS keys, coalesce(sum(bytes), 0)::float8 AS bytes, ceil(extract(epoch FROM min(expires_at) - now()))::int AS free_in_s
       FROM idempotency_keys WHERE user_id = $1 AND expires_at > now()`,
      [userId],
    );
    const held = rows[0]!;
    if (held.keys >= most.keys || held.bytes >= most.bytes) throw new TooManyIdempotencyKeysError(Math.max(1, held.free_in_s));
    const { rowCount } = await this.pool.query(
      `INSERT INTO idempotency_keys AS held (caller, key_hash, body_hash, attempt, under_way_until, expires_at, user_id)
       VALUES ($1, $2, $3, $4, now() + make_interval(secs => $5), now() + make_interval(secs => $5), $6)
       ON CONFLICT (caller, key_hash) DO UPDATE
         SET body_hash = excluded.body_hash, attempt = excluded.attempt, under_way_until = excluded.under_way_until,
             expires_at = excluded.expires_at, user_id = excluded.user_id, committed = false, status = NULL, location = NULL, answer = NULL, bytes = 0
         WHERE held.expires_at <= now()`,
      [caller, keyHash, bodyHash, attempt, this.leaseMs / 1000, userId],
    );
    if (rowCount === 0) throw new IdempotencyKeyInUseError();
  }

  /**
   * Records, in a transaction of the request, that the request is committed. The row stays locked until the COMMIT, so another request that
   * wants the key waits for the outcome.
   * @throws IdempotencyKeyInUseError when the request outlived its lease and another request has the key
   */
  async recordCommit(client: PoolClient, { caller, keyHash, attempt }: KeyedRequest): Promise<void> {
    const { rowCount } = await client.query(
      `UPDATE idempotency_keys SET committed = true, expires_at = now() + make_interval(hours => $4)
       WHERE caller = $1 AND key_hash = $2 AND attempt = $3`,
      [caller, keyHash, attempt, keptHours],
    );
    if (rowCount === 0) throw new IdempotencyKeyInUseError();
  }

  /** Stores the answer for repeats. A large answer is not stored while the disk lacks room, and repeats then learn that it is lost. */
  async keep(request: KeyedRequest, { status, location, answer }: KeptAnswer): Promise<void> {
    const { caller, keyHash, attempt } = request;
    const text = JSON.stringify(answer ?? null);
    if (!this.disk.hasRoomFor(Buffer.byteLength(text))) return this.settle(request);
    await this.pool.query(
      `UPDATE idempotency_keys
       SET status = $4, location = $5, answer = $6, bytes = $7, expires_at = now() + make_interval(hours => $8)
       WHERE caller = $1 AND key_hash = $2 AND attempt = $3`,
      [caller, keyHash, attempt, status, location, text, Buffer.byteLength(text), keptHours],
    );
  }

  /** Frees the key of a request that was refused. */
  async release({ caller, keyHash, attempt }: KeyedRequest): Promise<void> {
    await this.pool.query('DELETE FROM idempotency_keys WHERE caller = $1 AND key_hash = $2 AND attempt = $3', [caller, keyHash, attempt]);
  }

  /**
   * Frees the key of a request that failed. If a transaction of the request was committed nonetheless, the key stays taken, and the request
   * no longer counts as under way.
   */
  async settle({ caller, keyHash, attempt }: KeyedRequest): Promise<void> {
    const request = [caller, keyHash, attempt];
    const freed = await this.pool.query(
      'DELETE FROM idempotency_keys WHERE caller = $1 AND key_hash = $2 AND attempt = $3 AND NOT committed',
      request,
    );
    if (freed.rowCount === 1) return;
    await this.pool.query(
      'UPDATE idempotency_keys SET under_way_until = now() WHERE caller = $1 AND key_hash = $2 AND attempt = $3',
      request,
    );
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
