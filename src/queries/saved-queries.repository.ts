import { Injectable } from '@nestjs/common';
import { type PoolClient } from 'pg';
import { type RowPage, ServicePool } from '../database/service-pool.js';
import { sqlstateOf, sqlstates } from '../sql/sqlstate.js';
import { type ExactQueryRequest } from './queries.dto.js';
import { SavedQueryNameTakenError, SavedQueryNotFoundError, TooManySavedQueriesError } from './queries.errors.js';

const mostOfUser = 200;
const mostOfGraph = 2_000;
/** Number of saved queries that each user may have on a graph even if the graph has reached its own limit. */
const shareOfUser = 20;

/** Fields of a saved query that its user sets. */
export interface SavedQueryFields {
  name: string;
  description: string;
  request: ExactQueryRequest;
}

export interface SavedQueryRow extends SavedQueryFields {
  id: number;
  graph_id: number;
  created_at: Date;
  updated_at: Date;
}

const columns = 'id, graph_id, name, description, request, created_at, updated_at';

/** Queries that users save on a graph. Each belongs to its user alone. */
@Injectable()
export class SavedQueriesRepository {
  constructor(private readonly pool: ServicePool) {}

  /** A page of the user's saved queries on a graph, by ascending id, beginning after the id `after`. */
  async list(graphId: number, userId: number, after: number, limit: number): Promise<RowPage<SavedQueryRow>> {
    return this.pool.readPage<SavedQueryRow>('rows', {
      text: `SELECT ${columns} FROM saved_queries WHERE graph_id = $1 AND user_id = $2 AND id > $3 ORDER BY id`,
      values: [graphId, userId, after],
      limit,
      sizeOf: 'octet_length(request::text) + octet_length(description)',
    });
  }

  /** Reads a saved query of the user. @throws SavedQueryNotFoundError, also when the query is another user's */
  async get(graphId: number, userId: number, id: number): Promise<SavedQueryRow> {
    const { rows } = await this.pool.query<SavedQueryRow>(
      `SELECT ${columns} FROM saved_queries WHERE id = $1 AND graph_id = $2 AND user_id = $3`,
      [id, graphId, userId],
    );
    if (!rows[0]) throw new SavedQueryNotFoundError();
    return rows[0];
  }

  /** Saves a query. @throws SavedQueryNameTakenError, TooManySavedQueriesError */
  async create(graphId: number, userId: number, { name, description, request }: SavedQueryFields): Promise<SavedQueryRow> {
    return this.pool.transaction(async client => {
      await requireRoom(client, graphId, userId);
      const { rows } = await client
        .query<SavedQueryRow>(
          `INSERT INTO saved_queries (graph_id, user_id, name, description, request) VALUES ($1, $2, $3, $4, $5) RETURNING ${columns}`,
          [graphId, userId, name, description, JSON.stringify(request)],
        )
        .catch(explainTakenName);
      return rows[0]!;
    });
  }

  /** Changes only the fields that are given. @throws SavedQueryNotFoundError, SavedQueryNameTakenError */
  async change(
    graphId: number,
    userId: number,
    id: number,
    { name, description, request }: Partial<SavedQueryFields>,
  ): Promise<SavedQueryRow> {
    const { rows } = await this.pool
      .query<SavedQueryRow>(
        `UPDATE saved_queries SET name = coalesce($4, name), description = coalesce($5, description), request = coalesce($6, request), updated_at = now()
         WHERE id = $1 AND graph_id = $2 AND user_id = $3 RETURNING ${columns}`,
        [id, graphId, userId, name, description, request && JSON.stringify(request)],
      )
      .catch(explainTakenName);
    if (!rows[0]) throw new SavedQueryNotFoundError();
    return rows[0];
  }

  /** Deletes a saved query of the user. @throws SavedQueryNotFoundError */
  async delete(graphId: number, userId: number, id: number): Promise<void> {
    const { rowCount } = await this.pool.query('DELETE FROM saved_queries WHERE id = $1 AND graph_id = $2 AND user_id = $3', [
      id,
      graphId,
      userId,
    ]);
    if (rowCount !== 1) throw new SavedQueryNotFoundError();
  }
}

/**
 * Refuses a saved query beyond the limits of the user and of the graph. Locks make requests of one user, and requests for one graph, run
 * one after the other, so that each is counted before the next.
 * @throws TooManySavedQueriesError
 */
async function requireRoom(client: PoolClient, graphId: number, userId: number): Promise<void> {
  await client.query(`SELECT pg_advisory_xact_lock(hashtextextended('saved queries of user ' || $1::int, 0))`, [userId]);
  await client.query(`SELECT pg_advisory_xact_lock(hashtextextended('saved queries of graph ' || $1::int, 0))`, [graphId]);
  const { rows } = await client.query<{ own: number; here: number; graph: number }>(
    `SELECT count(*) FILTER (WHERE user_id = $2)::int AS own, count(*) FILTER (WHERE graph_id = $1 AND user_id = $2)::int AS here,
            count(*) FILTER (WHERE graph_id = $1)::int AS graph
     FROM saved_queries WHERE user_id = $2 OR graph_id = $1`,
    [graphId, userId],
  );
  if (rows[0]!.own >= mostOfUser) throw new TooManySavedQueriesError('user', mostOfUser);
  if (rows[0]!.graph >= mostOfGraph && rows[0]!.here >= shareOfUser) throw new TooManySavedQueriesError('graph', mostOfGraph);
}

function explainTakenName(error: unknown): never {
  throw sqlstateOf(error) === sqlstates.uniqueViolation ? new SavedQueryNameTakenError() : error;
}
