import { Injectable } from '@nestjs/common';
import { type PoolClient } from 'pg';
import { DiskReserve } from '../database/disk-reserve.js';
import { ServicePool } from '../database/service-pool.js';
import { type QueryKind } from '../retrieval/protocol.js';
import { type ExactQueryRequest } from './queries.dto.js';
import { TooManyQueriesError } from './queries.errors.js';

export const queryStatuses = ['queued', 'running', 'succeeded', 'failed', 'cancelled'] as const;
export type QueryStatus = (typeof queryStatuses)[number];

/** An error in the form that a request which waits for its answer would get: its status, its `Retry-After` and its body. */
export interface KeptError {
  status: number;
  retry_after_s: number | null;
  body: Record<string, unknown>;
}

/** A query that outlasts its request. It belongs to the user who sent the request. */
export interface QueryRun {
  id: number;
  graph_id: number;
  user_id: number;
  kind: QueryKind;
  /** The body of the request. For a stored answer it holds only the fields that decide the answer. */
  request: ExactQueryRequest;
  /** True in a list if `request` holds only the beginning of its text, because the request is large. */
  is_request_cut?: boolean;
  status: QueryStatus;
  error: KeptError | null;
  created_at: Date;
  ended_at: Date | null;
  elapsed_ms: number;
}

export type NewRun = Pick<QueryRun, 'id' | 'graph_id' | 'user_id' | 'kind' | 'request'>;
export type RunEnd = { status: 'succeeded'; answer: Buffer } | { status: 'failed'; error: KeptError };

/** Filter of a list of queries, newest first. The list begins after the row `before`; null begins with the newest query. */
export interface RunFilter {
  status?: QueryStatus | undefined;
  kind?: QueryKind | undefined;
  before: { createdAt: Date; id: number } | null;
}

/** Seconds after the last renewal of its leases at which a process loses its queries to the next process that looks for work. */
export const runLeaseS = 15;
/** Maximum waiting or running queries of one user, and of all users together. */
const mostOfUser = 20;
const mostOfAll = 1_000;
/** Maximum ended queries of one user that are kept, and maximum bytes of their requests and answers. The oldest are removed first. */
const keptOfUser = { count: 200, bytes: 64 * 1024 * 1024 };

/**
 * A list shows only the beginning of the text of a request that is larger than `bytes`: reading hundreds of requests of a megabyte each
 * would block the process.
 */
const mostListed = { bytes: 10_000, characters: 2_000 };

const columns = `r.id, r.graph_id, r.user_id, r.kind, r.request, r.status, r.error, r.created_at, r.ended_at,
  round(extract(epoch FROM coalesce(r.ended_at, clock_timestamp()) - r.created_at) * 1000)::float8 AS elapsed_ms`;
/** Columns of a stored answer in the shape of a QueryRun. Its end is the time when it was stored. */
const storedColumns = `q.id, q.graph_id, q.created_by AS user_id, q.kind,
  json_build_object(q.kind, q.request -> 'text', 'parameters', q.request -> 'parameters', 'parametersText', (q.request -> 'parameters')::text,
                    'limit', q.request -> 'limit') AS request,
  'succeeded' AS status, NULL::json AS error, q.created_at, q.created_at AS ended_at, 0::float8 AS elapsed_ms`;

/** Queries that outlast their request: queued, running in one process under a lease, and ended. */
@Injectable()
export class QueryRunsRepository {
  constructor(
    private readonly pool: ServicePool,
    private readonly disk: DiskReserve,
  ) {}

  /** Records a query that outlasts its request, running in the process `leaseOwner`. @throws TooManyQueriesError, DiskReserveError */
  async begin({ id, graph_id, user_id, kind, request }: NewRun, leaseOwner: string): Promise<QueryRun> {
    const text = JSON.stringify(request);
    this.disk.requireFor(Buffer.byteLength(text));
    return this.pool.transaction(async client => {
      await client.query(`SELECT pg_advisory_xact_lock(hashtextextended('queries of user ' || $1::int, 0))`, [user_id]);
      const { rows } = await client.query<{ own: number; all: number }>(
        `SELECT count(*) FILTER (WHERE user_id = $1)::int AS own, count(*)::int AS all FROM query_runs WHERE status IN ('queued', 'running')`,
        [user_id],
      );
      const { own, all } = rows[0]!;
      if (own >= mostOfUser || all >= mostOfAll) throw new TooManyQueriesError(own >= mostOfUser ? mostOfUser : null);
      const { rows: begun } = await client.query<QueryRun>(
        `INSERT INTO query_runs AS r (id, graph_id, user_id, kind, request, bytes, status, lease_owner, lease_until)
         VALUES ($1, $2, $3, $4, $5::text::json, octet_length($5::text), 'running', $6, now() + make_interval(secs => $7)) RETURNING ${columns}`,
        [id, graph_id, user_id, kind, text, leaseOwner, runLeaseS],
      );
      return begun[0]!;
    });
  }

  /** A query of the user, including one that was answered from the store or within its request. */
  async find(graphId: number, id: number, userId: number): Promise<QueryRun | null> {
    const { rows } = await this.pool.query<QueryRun>(
      `SELECT ${columns} FROM query_runs r WHERE r.id = $1 AND r.graph_id = $2 AND r.user_id = $3
       UNION ALL SELECT ${storedColumns} FROM queries q WHERE q.id = $1 AND q.graph_id = $2 AND q.created_by = $3
         AND NOT EXISTS (SELECT FROM query_runs r WHERE r.id = $1)`,
      [id, graphId, userId],
    );
    return rows[0] ?? null;
  }

  /** The status of a query that outlasted its request; null if there is none. */
  async findStatus(graphId: number, id: number, userId: number): Promise<string | null> {
    const { rows } = await this.pool.query<{ status: string }>(
      'SELECT status FROM query_runs WHERE id = $1 AND graph_id = $2 AND user_id = $3',
      [id, graphId, userId],
    );
    return rows[0]?.status ?? null;
  }

  async findAnswer(id: number): Promise<Buffer | null> {
    const { rows } = await this.pool.query<{ answer: Buffer | null }>('SELECT answer FROM query_runs WHERE id = $1', [id]);
    return rows[0]?.answer ?? null;
  }

  /** The user's queries on a graph, newest first, including those whose answers are only in the store. */
  async list(graphId: number, userId: number, { status, kind, before }: RunFilter, most: number): Promise<QueryRun[]> {
    const part = (name: string) =>
      `($3::text IS NULL OR ${name}.kind = $3) AND ($4::timestamptz IS NULL OR (${name}.created_at, ${name}.id) < ($4, $5))`;
    const newest = 'ORDER BY created_at DESC, id DESC LIMIT $7';
    const { rows } = await this.pool.query<QueryRun>(
      `SELECT id, graph_id, user_id, kind, status, error, created_at, ended_at, elapsed_ms, octet_length(request::text) > $8 AS is_request_cut,
              CASE WHEN octet_length(request::text) > $8 THEN json_build_object(kind, left(request ->> kind, $9)) ELSE request END AS request
       FROM (
         (SELECT ${columns} FROM query_runs r WHERE r.user_id = $2 AND r.graph_id = $1 AND ($6::text IS NULL OR r.status = $6) AND ${part('r')} ${newest})
         UNION ALL
         (SELECT ${storedColumns} FROM queries q WHERE q.created_by = $2 AND q.graph_id = $1 AND ($6::text IS NULL OR $6 = 'succeeded') AND ${part('q')}
            AND NOT EXISTS (SELECT FROM query_runs r WHERE r.id = q.id) ${newest})) all_queries ${newest}`,
      [
        graphId,
        userId,
        kind ?? null,
        before?.createdAt ?? null,
        before?.id ?? null,
        status ?? null,
        most,
        mostListed.bytes,
        mostListed.characters,
      ],
    );
    return rows;
  }

  /**
   * Cancels a query that waits or runs. Removes the oldest ended queries of its user beyond the number that is kept.
   * @param userId the query's owner; null for a caller who may cancel other users' queries
   * @returns null if there is no such query
   */
  async cancel(graphId: number, id: number, userId: number | null): Promise<QueryRun | null> {
    const { rows } = await this.pool.query<QueryRun>(
      `UPDATE query_runs r SET status = 'cancelled', ended_at = clock_timestamp(), lease_owner = NULL, lease_until = NULL
       WHERE id = $1 AND graph_id = $2 AND ($3::int IS NULL OR user_id = $3) AND status IN ('queued', 'running') RETURNING ${columns}`,
      [id, graphId, userId],
    );
    if (rows[0]) await this.cutToShare(rows[0].user_id);
    return rows[0] ?? null;
  }

  /** Renews the leases of a process on its queries. @returns the ids of the queries that the process still holds */
  async renew(leaseOwner: string, ids: number[]): Promise<number[]> {
    const { rows } = await this.pool.query<{ id: number }>(
      `UPDATE query_runs SET lease_until = now() + make_interval(secs => $2) WHERE id = ANY ($3) AND lease_owner = $1 AND status = 'running' RETURNING id`,
      [leaseOwner, runLeaseS, ids],
    );
    return rows.map(({ id }) => id);
  }

  /**
   * Claims queries whose waiting time is over, and queries whose lease has expired. Users with the fewest running queries in all processes
   * come first, and of each user the oldest query comes first.
   */
  async claim(leaseOwner: string, most: number): Promise<(QueryRun & { attempt: number })[]> {
    const { rows } = await this.pool.query<QueryRun & { attempt: number }>(
      `UPDATE query_runs r SET status = 'running', lease_owner = $1, lease_until = now() + make_interval(secs => $2), attempt = r.attempt + 1
       WHERE r.id IN (
         SELECT due.id FROM query_runs due JOIN (
           SELECT id, row_number() OVER (
                    PARTITION BY user_id
                    ORDER BY CASE WHEN coalesce(lease_until, '-infinity') < now() THEN 1 WHEN status = 'running' THEN 0 ELSE 2 END, created_at, id) AS turn
           FROM query_runs WHERE status IN ('queued', 'running')) turns USING (id)
         WHERE due.status IN ('queued', 'running') AND coalesce(due.lease_until, '-infinity') < now()
         ORDER BY turn, due.created_at, due.id LIMIT $3 FOR UPDATE OF due SKIP LOCKED)
       RETURNING ${columns}, r.attempt`,
      [leaseOwner, runLeaseS, most],
    );
    return rows;
  }

  /** Puts the queries of a stopping process back into the queue. The interrupted attempt does not count. */
  async release(leaseOwner: string): Promise<void> {
    await this.pool.query(
      `UPDATE query_runs SET status = 'queued', attempt = attempt - 1, lease_owner = NULL, lease_until = NULL WHERE lease_owner = $1 AND status = 'running'`,
      [leaseOwner],
    );
  }

  /** Lets a query wait `forS` seconds for its next attempt; the present attempt does not count. */
  async postpone(id: number, leaseOwner: string, forS: number): Promise<void> {
    await this.pool.query(
      `UPDATE query_runs SET status = 'queued', attempt = attempt - 1, lease_owner = NULL, lease_until = now() + make_interval(secs => $3)
       WHERE id = $1 AND lease_owner = $2 AND status = 'running'`,
      [id, leaseOwner, forS],
    );
  }

  /**
   * Records the end of a query, unless it was cancelled or another process has taken it. Removes the oldest ended queries of its user
   * beyond the number that is kept.
   */
  async end(id: number, leaseOwner: string, end: RunEnd): Promise<void> {
    const answer = 'answer' in end ? end.answer : null;
    const { rows } = await this.pool.query<{ user_id: number }>(
      `UPDATE query_runs SET status = $3, answer = $4, bytes = bytes + $5, error = $6, ended_at = clock_timestamp(), lease_owner = NULL, lease_until = NULL
       WHERE id = $1 AND lease_owner = $2 AND status = 'running' RETURNING user_id`,
      [id, leaseOwner, end.status, answer, answer?.length ?? 0, 'error' in end ? JSON.stringify(end.error) : null],
    );
    if (rows[0]) await this.cutToShare(rows[0].user_id);
  }

  async removeOld(client: PoolClient, keptDays: number, most: number): Promise<number> {
    const { rowCount } = await client.query(
      `DELETE FROM query_runs WHERE id IN (
         SELECT id FROM query_runs WHERE ended_at < now() - make_interval(days => $1) LIMIT $2 FOR UPDATE SKIP LOCKED)`,
      [keptDays, most],
    );
    return rowCount ?? 0;
  }

  private async cutToShare(userId: number): Promise<void> {
    await this.pool.query(
      `DELETE FROM query_runs WHERE id IN (
         SELECT id FROM (
           SELECT id, sum(bytes) OVER newest_first AS bytes, row_number() OVER newest_first AS place FROM query_runs
           WHERE user_id = $1 AND ended_at IS NOT NULL WINDOW newest_first AS (ORDER BY ended_at DESC, id DESC)) ended
         WHERE (bytes > $2 AND place > 1) OR place > $3)`,
      [userId, keptOfUser.bytes, keptOfUser.count],
    );
  }
}
