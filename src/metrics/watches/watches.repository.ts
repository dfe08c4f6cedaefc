import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { type PoolClient } from 'pg';
import { leaseSeconds } from '../../database/leased-worker.js';
import { ServicePool } from '../../database/service-pool.js';
import { type Bilingual } from '../../text/bilingual.js';
import { type SelectMetricRows } from '../select-rows.dto.js';
import { type Condition, type Verdict } from './judge-rows.js';
import { TooManyWatchesError, WatchNotFoundError } from './watches.errors.js';

const mostPerMetric = 20;
const mostPerUser = 100;

export const notifyModes = ['change', 'always'] as const;
export type NotifyMode = (typeof notifyModes)[number];

/** The fields of a watch that its user sets. */
export interface WatchDefinition {
  request: SelectMetricRows;
  condition: Condition;
  notify: NotifyMode;
}

/**
 * State of a watch after its last check. `held` is null until a check has succeeded. A failed check leaves `held` and `result`
 * unchanged.
 */
export interface WatchState {
  checked_at: Date | null;
  held: boolean | null;
  result: Omit<Verdict, 'held'> | null;
  error: (Bilingual & { code: string }) | null;
  /** Number of failed checks in a row, up to the last check. */
  failures: number;
}

export interface WatchRow extends WatchDefinition, WatchState {
  id: number;
  metric_id: number;
  metric: string;
  graph_id: number;
  /** Id of the user who saved the watch last. Null once that user is deleted. */
  saved_by: number | null;
}

export interface ClaimedWatch {
  id: number;
  leaseOwner: string;
  /** Called with the result of the check, once the result is recorded. */
  onEnd?: (found: CheckFound) => void;
}

/** The outcome of a check that has ended: the watch after it, its event and the delivery of the event, null if there is none. */
export interface CheckFound {
  watch: WatchRow;
  event: string | null;
  deliveryId: number | null;
}

/** How a check ended: with a verdict, or with the error that prevented one. */
export type CheckEnd = { verdict: Verdict } | { error: Bilingual & { code: string } };

const watchRow = `
  SELECT w.id, w.metric_id, m.name AS metric, m.graph_id, w.request, w.condition, w.notify, w.saved_by,
         w.checked_at, w.held, w.result, w.error, w.failures
  FROM metric_watches w JOIN metrics m ON m.id = w.metric_id`;

const isHeld = `id = $1 AND lease_owner = $2 AND status = 'running'`;

/**
 * Watches of metrics, each with the state of its last check. A check is queued, then claimed by a worker, then ended. A watch whose
 * lease has expired is claimed again. A worker that has lost its lease changes nothing.
 */
@Injectable()
export class WatchesRepository {
  constructor(private readonly pool: ServicePool) {}

  async nextId(): Promise<number> {
    const { rows } = await this.pool.query<{ id: number }>(`SELECT nextval(pg_get_serial_sequence('metric_watches', 'id'))::int AS id`);
    return rows[0]!.id;
  }

  /** All watches of a metric, which has at most `mostPerMetric`. */
  async list(metricId: number): Promise<WatchRow[]> {
    return (await this.pool.query<WatchRow>(`${watchRow} WHERE w.metric_id = $1 ORDER BY w.id`, [metricId])).rows;
  }

  async find(id: number): Promise<WatchRow | null> {
    return (await this.pool.query<WatchRow>(`${watchRow} WHERE w.id = $1`, [id])).rows[0] ?? null;
  }

  /** @throws WatchNotFoundError */
  async get(metricId: number, id: number): Promise<WatchRow> {
    const watch = await this.find(id);
    if (watch?.metric_id !== metricId) throw new WatchNotFoundError();
    return watch;
  }

  /** @throws TooManyWatchesError if the metric or the user has as many watches as allowed */
  async create(client: PoolClient, id: number, metricId: number, userId: number, definition: WatchDefinition): Promise<void> {
    await this.requireRoom(client, id, metricId, userId);
    const { request, condition, notify } = definition;
    await client.query('INSERT INTO metric_watches (id, metric_id, request, condition, notify, saved_by) VALUES ($1, $2, $3, $4, $5, $6)', [
      id,
      metricId,
      JSON.stringify(request),
      JSON.stringify(condition),
      notify,
      userId,
    ]);
  }

  /**
   * Makes the user the owner of the watch, and drops its queued or running check. If the request or the condition changes, the state of
   * the last check is forgotten.
   * @throws WatchNotFoundError, TooManyWatchesError
   */
  async change(client: PoolClient, watch: WatchRow, userId: number, { request, condition, notify }: WatchDefinition): Promise<void> {
    await this.requireRoom(client, watch.id, watch.metric_id, userId);
    const { rowCount } = await client.query(
      `UPDATE metric_watches w SET request = $2, condition = $3, notify = $4, saved_by = $5, status = 'idle', lease_owner = NULL,
         lease_until = NULL, checked_at = CASE WHEN same THEN checked_at END, held = CASE WHEN same THEN held END,
         result = CASE WHEN same THEN result END, error = CASE WHEN same THEN error END, failures = CASE WHEN same THEN failures ELSE 0 END
       FROM (SELECT request = $2 AND condition = $3 AS same FROM metric_watches WHERE id = $1 FOR UPDATE) former WHERE w.id = $1`,
      [watch.id, JSON.stringify(request), JSON.stringify(condition), notify, userId],
    );
    if (rowCount !== 1) throw new WatchNotFoundError();
  }

  /** @throws WatchNotFoundError */
  async delete(client: PoolClient, metricId: number, id: number): Promise<void> {
    const { rowCount } = await client.query('DELETE FROM metric_watches WHERE id = $1 AND metric_id = $2', [id, metricId]);
    if (rowCount !== 1) throw new WatchNotFoundError();
  }

  /** Queues a check of the watch. @returns false if a check of the watch is already queued or running */
  async queue(client: PoolClient, id: number): Promise<boolean> {
    const { rowCount } = await client.query(
      `UPDATE metric_watches SET status = 'queued', attempt = 0, queued_at = now() WHERE id = $1 AND status = 'idle'`,
      [id],
    );
    return rowCount === 1;
  }

  /**
   * Claims the next queued check, or a check whose lease has expired. Each user has at most one running check. The user whose last
   * check began longest ago comes first.
   */
  async claim(): Promise<{ claimed: ClaimedWatch; attempt: number; isCancelled: boolean } | null> {
    const leaseOwner = randomUUID();
    return this.pool.transaction(async client => {
      // Without this lock, two workers at once could each claim a check of the same user.
      await client.query(`SELECT pg_advisory_xact_lock(hashtextextended('claims of watches', 0))`);
      const { rows } = await client.query<{ id: number; attempt: number }>(
        `UPDATE metric_watches SET status = 'running', lease_owner = $1, lease_until = now() + make_interval(secs => $2),
                attempt = attempt + 1, started_at = now()
         WHERE id = (
           SELECT w.id FROM metric_watches w
           WHERE w.status <> 'idle' AND (w.status = 'queued' OR w.lease_until < now())
             AND NOT EXISTS (SELECT FROM metric_watches going WHERE going.status = 'running' AND going.lease_until >= now()
                             AND going.saved_by IS NOT DISTINCT FROM w.saved_by)
           ORDER BY (SELECT max(past.started_at) FROM metric_watches past WHERE past.saved_by = w.saved_by) NULLS FIRST,
                    w.queued_at, w.id
           FOR UPDATE OF w SKIP LOCKED LIMIT 1)
         RETURNING id, attempt`,
        [leaseOwner, leaseSeconds],
      );
      return rows[0] ? { claimed: { id: rows[0].id, leaseOwner }, attempt: rows[0].attempt, isCancelled: false } : null;
    });
  }

  /**
   * Claims a check of the watch now, even if the watch is not queued. As in `claim`, each user has at most one running check.
   * @returns null while the watch, or another watch of the same user, is being checked
   */
  async claimNow(id: number): Promise<ClaimedWatch | null> {
    const leaseOwner = randomUUID();
    return this.pool.transaction(async client => {
      await client.query(`SELECT pg_advisory_xact_lock(hashtextextended('claims of watches', 0))`);
      const { rowCount } = await client.query(
        `UPDATE metric_watches w SET status = 'running', lease_owner = $2, lease_until = now() + make_interval(secs => $3),
                attempt = 1, queued_at = now(), started_at = now()
         WHERE w.id = $1 AND NOT EXISTS (
           SELECT FROM metric_watches going WHERE going.status = 'running' AND going.lease_until >= now()
             AND going.saved_by IS NOT DISTINCT FROM w.saved_by)`,
        [id, leaseOwner, leaseSeconds],
      );
      return rowCount === 1 ? { id, leaseOwner } : null;
    });
  }

  /** Extends the lease of a claimed watch. @returns null if the worker has lost the lease */
  async renewLease({ id, leaseOwner }: ClaimedWatch): Promise<{ isCancelled: boolean } | null> {
    const { rowCount } = await this.pool.query(
      `UPDATE metric_watches SET lease_until = now() + make_interval(secs => $3) WHERE ${isHeld}`,
      [id, leaseOwner, leaseSeconds],
    );
    return rowCount === 1 ? { isCancelled: false } : null;
  }

  /** Puts a claimed watch back into the queue, and lowers its number of attempts by `returned`. */
  async release({ id, leaseOwner }: ClaimedWatch, returned: 0 | 1): Promise<void> {
    await this.pool.query(
      `UPDATE metric_watches SET status = 'queued', lease_owner = NULL, lease_until = NULL, attempt = attempt - $3 WHERE ${isHeld}`,
      [id, leaseOwner, returned],
    );
  }

  /**
   * Records the end of a check.
   * @returns the watch before and after the check; null if the worker has lost the lease, and then nothing changes
   */
  async end(client: PoolClient, { id, leaseOwner }: ClaimedWatch, end: CheckEnd): Promise<{ before: WatchRow; after: WatchRow } | null> {
    const { rows } = await client.query<WatchRow>(
      `${watchRow} WHERE w.id = $1 AND w.lease_owner = $2 AND w.status = 'running' FOR UPDATE OF w`,
      [id, leaseOwner],
    );
    const [before] = rows;
    if (!before) return null;
    const found = 'verdict' in end ? end.verdict : null;
    const { rows: written } = await client.query<WatchState>(
      `UPDATE metric_watches SET status = 'idle', lease_owner = NULL, lease_until = NULL, checked_at = clock_timestamp(),
         held = coalesce($2, held), result = coalesce($3, result), error = $4, failures = CASE WHEN $4::jsonb IS NULL THEN 0 ELSE failures + 1 END
       WHERE id = $1 RETURNING checked_at, held, result, error, failures`,
      [
        id,
        found?.held ?? null,
        found && JSON.stringify({ columns: found.columns, rows: found.rows }),
        'error' in end ? JSON.stringify(end.error) : null,
      ],
    );
    return { before, after: { ...before, ...written[0]! } };
  }

  /**
   * Throws if the user or the metric has too many watches. Locks make requests of one user, and requests for one metric, run one after
   * another, so that the count is right.
   */
  private async requireRoom(client: PoolClient, id: number, metricId: number, userId: number): Promise<void> {
    await client.query(`SELECT pg_advisory_xact_lock(hashtextextended('watches of user ' || $1::int, 0))`, [userId]);
    await client.query(`SELECT pg_advisory_xact_lock(hashtextextended('watches of metric ' || $1::int, 0))`, [metricId]);
    const { rows } = await client.query<{ user: number; metric: number }>(
      `SELECT count(*) FILTER (WHERE saved_by = $2)::int AS user, count(*) FILTER (WHERE metric_id = $3)::int AS metric
       FROM metric_watches WHERE id <> $1 AND (saved_by = $2 OR metric_id = $3)`,
      [id, userId, metricId],
    );
    if (rows[0]!.metric >= mostPerMetric) throw new TooManyWatchesError('metric', mostPerMetric);
    if (rows[0]!.user >= mostPerUser) throw new TooManyWatchesError('user', mostPerUser);
  }
}
