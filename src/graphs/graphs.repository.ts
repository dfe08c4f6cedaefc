import { Injectable } from '@nestjs/common';
import { type PoolClient } from 'pg';
import { type Principal } from '../access/principal.js';
import {
  bytesOf,
  createGraphTables,
  dropGraphTables,
  findOrphanedTables,
  graphIdOf,
  graphTables,
  isStub,
} from '../database/graph-tables.js';
import { ServicePool } from '../database/service-pool.js';
import { type GraphUse } from './graph-room.js';
import { GraphBusyError, GraphNotFoundError } from './graphs.errors.js';
import { sqlstates, sqlstateOf } from '../sql/sqlstate.js';

const dropLockMs = 2_000;
const deleteLockMs = 1_000;

export interface GraphRow {
  id: number;
  name: string;
  description: string | null;
  owner: string;
  role: string;
  version: number;
  bytes: string;
  node_count: string;
  edge_count: string;
  created_at: Date;
  updated_at: Date;
}

export interface ElementRow {
  kind: 'node' | 'edge';
  name: string;
  source_label: string;
  target_label: string;
  job_id: number;
  aliases: string[];
  connection: string;
  source_table: string;
  query_tables: string[] | null;
  key_columns: string[];
  properties: { name: string; type: string; column: string | null; sensitive?: true }[];
  row_count: string;
  labels: { name: string; aliases: string[]; count: number }[];
}

export interface NodeRow {
  id: string;
  label: string;
  key: string;
  display: string;
  /** The properties as JSON text, because `pg` would round long numbers. */
  properties: string;
  stub: true | null;
  labels: string[];
}

export interface NeighborRow {
  edge_id: string;
  type: string;
  direction: 'out' | 'in';
  edge_properties: string;
  id: string;
  label: string;
  key: string;
  display: string;
  labels: string[];
}

/** The key of the advisory lock for dropping tables. The number is arbitrary, but every instance must use the same number. */
const tableDropLock = 7_301_946_202;

/** True for a lock timeout, and for a deadlock that PostgreSQL resolved by failing this transaction. */
function isLockConflict(error: unknown): boolean {
  return [sqlstates.lockNotAvailable, sqlstates.deadlockDetected].some(state => state === sqlstateOf(error));
}

const graphRow = `
  SELECT g.id, g.name, g.description, u.username AS owner, g.version, g.bytes, g.created_at, g.updated_at,
         CASE WHEN g.owner_id = $1 THEN 'owner' WHEN caller.is_admin THEN 'admin' ELSE m.role END AS role,
         coalesce(e.nodes, 0) AS node_count, coalesce(e.edges, 0) AS edge_count
  FROM graphs g
  JOIN users u ON u.id = g.owner_id
  JOIN users caller ON caller.id = $1
  LEFT JOIN graph_members m ON m.graph_id = g.id AND m.user_id = $1
  LEFT JOIN LATERAL (
    SELECT sum(row_count) FILTER (WHERE kind = 'node') AS nodes, sum(row_count) FILTER (WHERE kind = 'edge') AS edges
    FROM graph_elements WHERE graph_id = g.id
  ) e ON true`;

/** Changes to a graph. Undefined leaves a field as it is; a null `description` removes it. */
interface UpdateGraph {
  name?: string | undefined;
  description?: string | null | undefined;
}

@Injectable()
export class GraphsRepository {
  constructor(private readonly pool: ServicePool) {}

  /** A page of the graphs with the ids in `visible`; null stands for all graphs. */
  async list({ userId }: Principal, visible: number[] | null, afterId: number, limit: number): Promise<GraphRow[]> {
    const { rows } = await this.pool.query<GraphRow>(
      `${graphRow} WHERE g.id > $2 AND ($3::int[] IS NULL OR g.id = ANY ($3)) ORDER BY g.id LIMIT $4`,
      [userId, afterId, visible, limit],
    );
    return rows;
  }

  async find({ userId }: Principal, id: number): Promise<GraphRow | null> {
    const { rows } = await this.pool.query<GraphRow>(`${graphRow} WHERE g.id = $2`, [userId, id]);
    return rows[0] ?? null;
  }

  /** Creates the graph's row and its tables. */
  async create(client: PoolClient, graph: { name: string; description: string | null; ownerId: number }): Promise<number> {
    const { rows } = await client.query<{ id: number }>(
      'INSERT INTO graphs (name, description, owner_id) VALUES ($1, $2, $3) RETURNING id',
      [graph.name, graph.description, graph.ownerId],
    );
    const id = rows[0]!.id;
    await client.query(createGraphTables(id));
    return id;
  }

  async update(client: PoolClient, id: number, { name, description }: UpdateGraph): Promise<void> {
    await client.query(
      `UPDATE graphs SET name = coalesce($2, name), description = CASE WHEN $3 THEN $4 ELSE description END, updated_at = now()
       WHERE id = $1`,
      [id, name ?? null, description !== undefined, description ?? null],
    );
  }

  /** Raises the version of a graph and stores the present bytes of its tables. @returns the new version; null when the graph is gone */
  async raiseVersion(client: PoolClient, id: number): Promise<number | null> {
    const { rows } = await client.query<{ version: number }>(
      `UPDATE graphs SET version = version + 1, version_at = now(), updated_at = now(), bytes = ${bytesOf(graphTables(id))}
       WHERE id = $1 RETURNING version`,
      [id],
    );
    return rows[0]?.version ?? null;
  }

  /**
   * The bytes of the tables of a graph, and of the other graphs of its owner, as measured at the end of each graph's last run. All are 0
   * when the graph is gone.
   */
  async storageUse(id: number, on: Pick<PoolClient, 'query'> = this.pool): Promise<GraphUse> {
    const { rows } = await on.query<GraphUse>(
      `SELECT g.bytes::float8 AS "graphBytes", u.is_admin AS "ownerIsAdmin",
              (SELECT coalesce(sum(o.bytes), 0) FROM graphs o WHERE o.owner_id = u.id AND o.id <> g.id)::float8 AS "otherBytes"
       FROM graphs g JOIN users u ON u.id = g.owner_id WHERE g.id = $1`,
      [id],
    );
    return rows[0] ?? { graphBytes: 0, otherBytes: 0, ownerIsAdmin: false };
  }

  /**
   * Takes a lock that all graphs of one owner share, until the transaction ends. Runs of these graphs therefore wait for each other here.
   */
  async lockStorage(client: PoolClient, id: number): Promise<void> {
    await client.query(`SELECT pg_advisory_xact_lock(hashtextextended('room of graphs', owner_id)) FROM graphs WHERE id = $1`, [id]);
  }

  /** The version of a graph. Null when the graph is gone. */
  async versionSeen(client: PoolClient, id: number): Promise<number | null> {
    const { rows } = await client.query<{ version: number }>('SELECT version FROM graphs WHERE id = $1', [id]);
    return rows[0]?.version ?? null;
  }

  /**
   * Deletes the graph's row, so that nobody can see the graph any more. Afterwards `dropOrphans` drops the tables.
   * @throws GraphBusyError when a run locks the graph for longer than a second. A longer wait would occupy a connection.
   */
  async delete(client: PoolClient, id: number): Promise<void> {
    try {
      await client.query(`SET LOCAL lock_timeout = ${deleteLockMs}`);
      await client.query('DELETE FROM graphs WHERE id = $1', [id]);
    } catch (error) {
      if (isLockConflict(error)) throw new GraphBusyError();
      throw error;
    }
  }

  /** Drops the tables of deleted graphs, including tables that earlier deletions could not drop. */
  async dropOrphans(): Promise<void> {
    const { rows } = await this.pool.query<{ name: string }>(findOrphanedTables);
    const ids = new Set(rows.map(({ name }) => graphIdOf(name)));
    for (const id of ids) if (id !== null) await this.dropTables(id);
  }

  /**
   * Drops the tables of one deleted graph. Tables that a long query still reads are left to the next deletion. During the drop only readers
   * of this graph wait.
   */
  private async dropTables(id: number): Promise<void> {
    try {
      await this.pool.transaction(async client => {
        await client.query(`SET LOCAL lock_timeout = ${dropLockMs}`);
        // Two deletions may find the same orphaned tables. Without the lock PostgreSQL would fail the second drop.
        await client.query('SELECT pg_advisory_xact_lock($1)', [tableDropLock]);
        await client.query(dropGraphTables(id));
      });
    } catch (error) {
      if (!isLockConflict(error)) throw error;
    }
  }

  async listElements(id: number): Promise<ElementRow[]> {
    const { rows } = await this.pool.query<ElementRow>(
      `SELECT kind, name, source_label, target_label, job_id, aliases, connection, source_table, query_tables, key_columns, properties,
              row_count, labels
       FROM graph_elements WHERE graph_id = $1 ORDER BY kind DESC, name, source_label, target_label, job_id`,
      [id],
    );
    return rows;
  }

  async findNode(graphId: number, nodeId: string): Promise<NodeRow | null> {
    const { nodes } = graphTables(graphId);
    const rows = await this.readRows<NodeRow>(
      `SELECT id, label, label || labels AS labels, key, display, properties::text, CASE WHEN ${isStub('n')} THEN true END AS stub FROM ${nodes} n WHERE id = $1`,
      [nodeId],
    );
    return rows[0] ?? null;
  }

  /** Lists the edges of a node in both directions, ordered by id. */
  async listNeighbors(graphId: number, nodeId: string, afterEdge: number, limit: number): Promise<NeighborRow[]> {
    const { nodes, edges } = graphTables(graphId);
    return this.readRows<NeighborRow>(
      `SELECT e.id AS edge_id, e.type, e.direction, e.properties::text AS edge_properties, n.id, n.label, n.label || n.labels AS labels, n.key, n.display
       FROM (
         (SELECT id, type, 'out' AS direction, properties, target_id AS other FROM ${edges}
          WHERE source_id = $1 AND id > $2 ORDER BY id LIMIT $3)
         UNION ALL
         (SELECT id, type, 'in', properties, source_id FROM ${edges}
          WHERE target_id = $1 AND source_id <> $1 AND id > $2 ORDER BY id LIMIT $3)
       ) e JOIN ${nodes} n ON n.id = e.other
       ORDER BY e.id LIMIT $3`,
      [nodeId, afterEdge, limit],
    );
  }

  /** @throws AnswerTooLargeError; GraphNotFoundError when the graph was deleted after the access check. */
  private async readRows<R extends object>(sql: string, values: unknown[]): Promise<R[]> {
    try {
      return await this.pool.readBounded<R>('node', sql, values);
    } catch (error) {
      if (sqlstateOf(error) === sqlstates.undefinedTable) throw new GraphNotFoundError();
      throw error;
    }
  }
}
