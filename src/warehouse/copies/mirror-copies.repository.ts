import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { type PoolClient } from 'pg';
import { LeaseLostError } from '../../common/errors/run-failure.js';
import { leaseSeconds } from '../../database/leased-worker.js';
import { type RowPage, ServicePool } from '../../database/service-pool.js';
import { type StartedBy } from '../../schedules/schedules.worker.js';
import { sqlstates, sqlstateOf } from '../../sql/sqlstate.js';
import { ConnectionNotFoundError } from '../warehouse.errors.js';
import {
  MirrorCopyActiveError,
  MirrorCopyNotFoundError,
  MirrorTableCopiedError,
  TooManyCopiesWaitingError,
  TooManyMirrorCopiesError,
} from './mirror-copies.errors.js';
import { type CopyProblem, type CopyReport } from './copy-report.js';
import { type CopyRunRow, CopyRunsRepository } from './copy-runs.repository.js';

/** The most queued copies of one user (`maxWaiting`), and the most saved copies of one user (`maxKept`). */
const maxWaiting = 4;
const maxKept = 200;

/** A table of a copy, as its request defines it. */
export interface TableDefinition {
  /** The name of the table in the mirror. */
  name: string;
  source: string;
  mode: 'full' | 'cursor';
  cursor: string | null;
  lag: string | null;
  /** The columns that identify a row. Empty means the primary key of the source table. */
  key: string[];
  replaces: boolean;
}

/** State of a mirror table after the last run that succeeded. */
export interface TableState {
  version: number;
  columns: { name: string; type: string; nullable: boolean }[];
  key: string[];
  /** The greatest value of the cursor column among the copied rows; null if there is none. */
  cursor: string | null;
}

export interface CopyTable extends TableDefinition {
  state: TableState | null;
}

export interface CopyRow extends CopyRunRow {
  id: number;
  connection_id: number;
  connection: string;
  saved_by: { id: number; username: string } | null;
  cancel_requested: boolean;
  created_at: Date;
  tables: CopyTable[];
}

export interface ClaimedCopy {
  id: number;
  leaseOwner: string;
}

const tablesOf = (fields: string): string => `
  (SELECT jsonb_agg(jsonb_build_object('name', t.name, 'source', t.source, 'mode', t.mode, 'cursor', t.cursor_column, 'lag', t.lag,
                                       'key', to_jsonb(t.key), 'replaces', t.replaces${fields}) ORDER BY t.position)
   FROM mirror_copy_tables t WHERE t.copy_id = c.id)`;

const copyRow = `
  SELECT c.id, c.connection_id, w.name AS connection, c.run, c.started_by, c.status, c.attempt, c.cancel_requested, c.report, c.error,
         c.created_at, c.queued_at, c.started_at, c.finished_at,
         CASE WHEN u.id IS NOT NULL THEN jsonb_build_object('id', u.id, 'username', u.username) END AS saved_by,
         ${tablesOf(`, 'state', t.state`)} AS tables
  FROM mirror_copies c JOIN warehouse_connections w ON w.id = c.connection_id LEFT JOIN users u ON u.id = c.saved_by`;

const isHeld = `id = $1 AND lease_owner = $2 AND status = 'running'`;

/**
 * Stores copies of foreign tables into the mirror, each with the state of its last run: queued, claimed by a worker, or ended. A copy whose
 * lease has expired is claimed again. A worker that lost its lease changes nothing.
 */
@Injectable()
export class MirrorCopiesRepository {
  constructor(
    private readonly pool: ServicePool,
    private readonly runs: CopyRunsRepository,
  ) {}

  /** @throws MirrorCopyNotFoundError */
  async get(id: number): Promise<CopyRow> {
    const { rows } = await this.pool.query<CopyRow>(`${copyRow} WHERE c.id = $1`, [id]);
    if (!rows[0]) throw new MirrorCopyNotFoundError();
    return rows[0];
  }

  /** The copies that a user saved, in the order of their ids; with a `userId` of null the copies of all users. */
  async list(userId: number | null, afterId: number, limit: number): Promise<RowPage<CopyRow>> {
    return this.pool.readPage<CopyRow>('rows', {
      text: `${copyRow} WHERE c.id > $1 AND ($2::int IS NULL OR c.saved_by = $2) ORDER BY c.id`,
      values: [afterId, userId],
      limit,
      sizeOf: `octet_length(report::text) + octet_length(coalesce(tables::text, ''))`,
    });
  }

  /** The id of the user's copy from this connection with exactly these tables in this order; null for none. */
  async findSame(userId: number, connectionId: number, tables: readonly TableDefinition[]): Promise<number | null> {
    const { rows } = await this.pool.query<{ id: number }>(
      `SELECT c.id FROM mirror_copies c WHERE c.saved_by = $1 AND c.connection_id = $2 AND ${tablesOf('')} = $3::jsonb`,
      [userId, connectionId, JSON.stringify(tables)],
    );
    return rows[0]?.id ?? null;
  }

  /**
   * Saves a copy and queues its first run.
   * @param record called in the same transaction to write about the new copy, such as an entry of the audit log
   * @throws MirrorTableCopiedError for a table that another copy fills; TooManyMirrorCopiesError, TooManyCopiesWaitingError,
   *   ConnectionNotFoundError
   */
  async create(
    userId: number,
    connectionId: number,
    tables: readonly TableDefinition[],
    record: (client: PoolClient, id: number) => Promise<void>,
  ): Promise<number> {
    try {
      return await this.pool.transaction(async client => {
        await this.requireRoom(client, userId, null);
        const { rows: kept } = await client.query<{ n: number }>('SELECT count(*)::int AS n FROM mirror_copies WHERE saved_by = $1', [userId]); // prettier-ignore
        if (kept[0]!.n >= maxKept) throw new TooManyMirrorCopiesError(maxKept);
        const { rows } = await client.query<{ id: number }>(
          'INSERT INTO mirror_copies (connection_id, saved_by, requested_by) VALUES ($1, $2, $2) RETURNING id',
          [connectionId, userId],
        );
        await client.query(
          `INSERT INTO mirror_copy_tables (copy_id, position, name, source, mode, cursor_column, lag, key, replaces)
           SELECT $1, t.position, t.value ->> 'name', t.value ->> 'source', t.value ->> 'mode', t.value ->> 'cursor', t.value ->> 'lag',
                  ARRAY(SELECT jsonb_array_elements_text(t.value -> 'key')), (t.value ->> 'replaces')::boolean
           FROM jsonb_array_elements($2::jsonb) WITH ORDINALITY AS t (value, position)`,
          [rows[0]!.id, JSON.stringify(tables)],
        );
        await record(client, rows[0]!.id);
        return rows[0]!.id;
      });
    } catch (error) {
      if (sqlstateOf(error) === sqlstates.foreignKeyViolation) throw new ConnectionNotFoundError();
      if (sqlstateOf(error) !== sqlstates.uniqueViolation) throw error;
      await this.requireFree(tables.map(({ name }) => name));
      throw error;
    }
  }

  /** @throws MirrorTableCopiedError if a copy fills one of these tables of the mirror */
  async requireFree(names: readonly string[]): Promise<void> {
    const { rows } = await this.pool.query<{ name: string; id: number }>(
      'SELECT name, copy_id AS id FROM mirror_copy_tables WHERE name = ANY ($1::text[]) ORDER BY name LIMIT 1',
      [names],
    );
    if (rows[0]) throw new MirrorTableCopiedError(rows[0].name, rows[0].id);
  }

  /** The copies that fill a table of the mirror: at most one. */
  async listFilling(table: string): Promise<{ id: number; savedBy: number | null }[]> {
    const { rows } = await this.pool.query<{ id: number; savedBy: number | null }>(
      'SELECT c.id, c.saved_by AS "savedBy" FROM mirror_copy_tables t JOIN mirror_copies c ON c.id = t.copy_id WHERE t.name = $1',
      [table],
    );
    return rows;
  }

  /**
   * Queues the copy again, and keeps the record of its last run. The new run counts against the limit of queued copies of `userId`.
   * @throws MirrorCopyNotFoundError, MirrorCopyActiveError, TooManyCopiesWaitingError
   */
  async queue(client: PoolClient, id: number, userId: number, startedBy: StartedBy): Promise<void> {
    await this.requireRoom(client, userId, id);
    await this.runs.keep(client, id);
    const { rowCount } = await client.query(
      `UPDATE mirror_copies SET status = 'queued', run = run + 1, requested_by = $2, started_by = $3, attempt = 0, cancel_requested = false, queued_at = now(),
              report = '{}', error = NULL
       WHERE id = $1 AND status NOT IN ('queued', 'running')`,
      [id, userId, startedBy],
    );
    if (rowCount === 0) await this.throwActive(client, id);
  }

  /** Keeps the copy from being deleted until the transaction ends. @throws MirrorCopyNotFoundError */
  async hold(client: PoolClient, id: number): Promise<void> {
    const { rowCount } = await client.query('SELECT FROM mirror_copies WHERE id = $1 FOR KEY SHARE', [id]);
    if (rowCount === 0) throw new MirrorCopyNotFoundError();
  }

  /** Deletes the saved copy; the tables that it filled stay in the mirror. @throws MirrorCopyNotFoundError, MirrorCopyActiveError */
  async delete(client: PoolClient, id: number): Promise<void> {
    const { rowCount } = await client.query(`DELETE FROM mirror_copies WHERE id = $1 AND status NOT IN ('queued', 'running')`, [id]);
    if (rowCount === 0) await this.throwActive(client, id);
  }

  /**
   * Claims the next queued copy for a worker; null if there is none. At most one copy of a user runs at a time. Users take turns: the user
   * whose last copy began longest ago comes first.
   */
  async claim(): Promise<{ claimed: ClaimedCopy; attempt: number; isCancelled: boolean } | null> {
    const leaseOwner = randomUUID();
    return this.pool.transaction(async client => {
      // Without this lock, two workers could start two copies of one user at the same moment.
      await client.query(`SELECT pg_advisory_xact_lock(hashtextextended('claims of mirror copies', 0))`);
      const { rows } = await client.query<{ id: number; attempt: number; isCancelled: boolean }>(
        `UPDATE mirror_copies SET status = 'running', lease_owner = $1, lease_until = now() + make_interval(secs => $2),
                attempt = attempt + 1, started_at = now()
         WHERE id = (
           SELECT c.id FROM mirror_copies c
           WHERE (c.status = 'queued' OR (c.status = 'running' AND c.lease_until < now()))
             AND NOT EXISTS (SELECT FROM mirror_copies going WHERE going.status = 'running' AND going.lease_until >= now()
                             AND going.requested_by IS NOT DISTINCT FROM c.requested_by)
           ORDER BY (SELECT max(past.started_at) FROM mirror_copies past WHERE past.requested_by = c.requested_by) NULLS FIRST,
                    c.queued_at, c.id
           FOR UPDATE OF c SKIP LOCKED LIMIT 1)
         RETURNING id, attempt, cancel_requested AS "isCancelled"`,
        [leaseOwner, leaseSeconds],
      );
      const [found] = rows;
      return found ? { claimed: { id: found.id, leaseOwner }, attempt: found.attempt, isCancelled: found.isCancelled } : null;
    });
  }

  /** Renews the worker's lease. @returns whether the copy should stop; null if the worker has lost the lease */
  async renewLease({ id, leaseOwner }: ClaimedCopy): Promise<{ isCancelled: boolean } | null> {
    const { rows } = await this.pool.query<{ isCancelled: boolean }>(
      `UPDATE mirror_copies SET lease_until = now() + make_interval(secs => $3)
       WHERE ${isHeld} RETURNING cancel_requested AS "isCancelled"`,
      [id, leaseOwner, leaseSeconds],
    );
    return rows[0] ?? null;
  }

  /**
   * Saves the counts of the running copy. This is done outside of the copy's transaction, so that others see the counts.
   * @throws LeaseLostError
   */
  async show({ id, leaseOwner }: ClaimedCopy, report: CopyReport): Promise<void> {
    const values = [id, leaseOwner, JSON.stringify(report)];
    const { rowCount } = await this.pool.query(`UPDATE mirror_copies SET report = $3 WHERE ${isHeld}`, values);
    if (rowCount !== 1) throw new LeaseLostError();
  }

  /**
   * Marks the copy as succeeded and stores the states of its tables, at the end of the transaction that changes the mirror tables. A worker
   * that lost its lease gets an error, and so commits nothing.
   * @param states of the tables, in the order of the copy's tables
   * @throws LeaseLostError
   */
  async succeed(client: PoolClient, { id, leaseOwner }: ClaimedCopy, report: CopyReport, states: readonly TableState[]): Promise<void> {
    const { rowCount } = await client.query(
      `UPDATE mirror_copies SET status = 'succeeded', report = $3, finished_at = clock_timestamp(), lease_until = NULL WHERE ${isHeld}`,
      [id, leaseOwner, JSON.stringify(report)],
    );
    if (rowCount !== 1) throw new LeaseLostError();
    await client.query(
      `UPDATE mirror_copy_tables t SET state = s.value FROM jsonb_array_elements($2::jsonb) WITH ORDINALITY AS s (value, position)
       WHERE t.copy_id = $1 AND t.position = s.position`,
      [id, JSON.stringify(states)],
    );
  }

  /** @param report null keeps the report that `show` saved last */
  async end(
    { id, leaseOwner }: ClaimedCopy,
    status: 'failed' | 'cancelled',
    report: CopyReport | null,
    error: CopyProblem | null,
  ): Promise<void> {
    await this.pool.query(
      `UPDATE mirror_copies
       SET status = $3, error = $4, report = coalesce($5, report), finished_at = clock_timestamp(), lease_until = NULL WHERE ${isHeld}`,
      [id, leaseOwner, status, error && JSON.stringify(error), report && JSON.stringify(report)],
    );
  }

  /**
   * Puts a running copy back into the queue. A `returned` of 1 does not count the attempt. A copy whose COMMIT succeeded stays succeeded.
   */
  async release({ id, leaseOwner }: ClaimedCopy, returned: 0 | 1): Promise<'succeeded' | 'released'> {
    const { rowCount } = await this.pool.query(
      `UPDATE mirror_copies SET status = 'queued', lease_owner = NULL, lease_until = NULL, attempt = attempt - $3 WHERE ${isHeld}`,
      [id, leaseOwner, returned],
    );
    if (rowCount === 1) return 'released';
    const succeeded = "SELECT FROM mirror_copies WHERE id = $1 AND lease_owner = $2 AND status = 'succeeded'";
    return (await this.pool.query(succeeded, [id, leaseOwner])).rowCount === 1 ? 'succeeded' : 'released';
  }

  /**
   * Asks a copy to stop. A queued copy ends at once, a running copy when its worker sees the request. @returns false if the copy has ended
   * already
   */
  async requestCancel(id: number): Promise<boolean> {
    const { rowCount } = await this.pool.query(
      `UPDATE mirror_copies
       SET cancel_requested = true,
           status = CASE WHEN status = 'queued' THEN 'cancelled' ELSE status END,
           finished_at = CASE WHEN status = 'queued' THEN now() ELSE finished_at END
       WHERE id = $1 AND status IN ('queued', 'running')`,
      [id],
    );
    return rowCount === 1;
  }

  private async throwActive(client: PoolClient, id: number): Promise<never> {
    const { rowCount } = await client.query('SELECT FROM mirror_copies WHERE id = $1', [id]);
    throw rowCount === 1 ? new MirrorCopyActiveError() : new MirrorCopyNotFoundError();
  }

  /**
   * Checks the number of the user's waiting copies. The lock makes requests of one user run one after the other, so that each request sees
   * the copies of the earlier ones.
   */
  private async requireRoom(client: PoolClient, userId: number, id: number | null): Promise<void> {
    await client.query(`SELECT pg_advisory_xact_lock(hashtextextended('mirror copies of user ' || $1::int, 0))`, [userId]);
    const { rows } = await client.query<{ n: number }>(
      `SELECT count(*)::int AS n FROM mirror_copies WHERE status = 'queued' AND requested_by = $1 AND id IS DISTINCT FROM $2`,
      [userId, id],
    );
    if (rows[0]!.n >= maxWaiting) throw new TooManyCopiesWaitingError(maxWaiting);
  }
}
