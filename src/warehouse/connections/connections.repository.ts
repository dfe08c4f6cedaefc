import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { type PoolClient } from 'pg';
import { Repository } from 'typeorm';
import { type ConnectionRight } from '../../access/access.decorator.js';
import { ServicePool } from '../../database/service-pool.js';
import { Connection } from './connection.entity.js';
import { ConnectionInUseError, ConnectionNameTakenError, ConnectionNotFoundError } from '../warehouse.errors.js';
import { sqlstates, sqlstateOf } from '../../sql/sqlstate.js';

const restrictViolations = new Set<string>([sqlstates.restrictViolation, sqlstates.foreignKeyViolation]);

export type NewConnection = Pick<Connection, 'id' | 'name' | 'type' | 'dsnSealed' | 'dsnMasked' | 'options'>;

export type ConnectionChange = Pick<Connection, 'name' | 'dsnSealed' | 'dsnMasked' | 'options'>;

/** A connection, and the right that the requesting user has on it. */
export type HeldConnection = Connection & { right: ConnectionRight };

/**
 * Selects connections with the right of the user $1. Admins may do everything. A grant to everyone has a user_id of NULL. Disabled and
 * deleted users have no right.
 */
const held = `
  SELECT c.id, c.name, c.type, c.dsn_sealed AS "dsnSealed", c.dsn_masked AS "dsnMasked", c.options, c.is_default AS "isDefault", c.created_at AS "createdAt", held.right
  FROM warehouse_connections c CROSS JOIN LATERAL (
    SELECT CASE WHEN bool_or(u.is_admin OR g.can_write) THEN 'write' WHEN count(g.connection_id) > 0 THEN 'read' END AS right
    FROM users u LEFT JOIN connection_grants g ON g.connection_id = c.id AND (g.user_id = u.id OR g.user_id IS NULL)
    WHERE u.id = $1 AND u.disabled_at IS NULL) held`;

@Injectable()
export class ConnectionsRepository {
  constructor(
    @InjectRepository(Connection) private readonly connections: Repository<Connection>,
    private readonly pool: ServicePool,
  ) {}

  /** The connections that the user may use. */
  async listUsable(userId: number, after: number, limit: number): Promise<HeldConnection[]> {
    const { rows } = await this.pool.query<HeldConnection>(`${held} WHERE c.id > $2 AND held.right IS NOT NULL ORDER BY c.id LIMIT $3`, [
      userId,
      after,
      limit,
    ]);
    return rows;
  }

  /**
   * Finds a connection by id or name; null if there is none. A text of digits means an id, unless a connection has that name. A `nameOrId`
   * of null means the default connection. The right is null if the user has no right on the connection.
   */
  async find(userId: number | null, nameOrId: string | number | null): Promise<(Connection & { right: ConnectionRight | null }) | null> {
    const name = typeof nameOrId === 'string' ? nameOrId : null;
    const id = name === null ? nameOrId : /^[1-9]\d{0,8}$/.test(name) ? Number(name) : null;
    const { rows } = await this.pool.query<Connection & { right: ConnectionRight | null }>({
      name: 'held-connection',
      text: `${held} WHERE CASE WHEN $2::text IS NULL AND $3::int IS NULL THEN c.is_default ELSE c.name = $2 OR c.id = $3 END
             ORDER BY (c.name = $2) DESC NULLS LAST LIMIT 1`,
      values: [userId, name, id],
    });
    return rows[0] ?? null;
  }

  /** Whether there is a connection that the user may write. */
  async mayWriteAny(userId: number): Promise<boolean> {
    const { rowCount } = await this.pool.query(
      `SELECT FROM users u WHERE u.id = $1 AND (u.is_admin OR EXISTS (
         SELECT FROM connection_grants g WHERE g.can_write AND (g.user_id = u.id OR g.user_id IS NULL)))`,
      [userId],
    );
    return rowCount === 1;
  }

  /**
   * Whether the user may write the mirror. A right on any connection of the type pg_mirror is enough, because all of them share the mirror.
   */
  async mayWriteMirror(userId: number): Promise<boolean> {
    const { rowCount } = await this.pool.query(`${held} WHERE c.type = 'pg_mirror' AND held.right = 'write' LIMIT 1`, [userId]);
    return rowCount === 1;
  }

  async getById(id: number): Promise<Connection> {
    const connection = await this.connections.findOneBy({ id });
    if (!connection) throw new ConnectionNotFoundError();
    return connection;
  }

  /** Reserves an id for a new connection. The id is needed before the row is written, to encrypt the DSN. No id is used twice. */
  async nextId(): Promise<number> {
    const { rows } = await this.pool.query<{ id: number }>(
      `SELECT nextval(pg_get_serial_sequence('warehouse_connections', 'id'))::int AS id`,
    );
    return rows[0]!.id;
  }

  /** @throws ConnectionNameTakenError */
  async create(client: PoolClient, { id, name, type, dsnSealed, dsnMasked, options }: NewConnection): Promise<void> {
    const { rowCount } = await client.query(
      `INSERT INTO warehouse_connections (id, name, type, dsn_sealed, dsn_masked, options) OVERRIDING SYSTEM VALUE
       VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (name) DO NOTHING`,
      [id, name, type, dsnSealed, dsnMasked, options],
    );
    if (rowCount === 0) throw new ConnectionNameTakenError();
  }

  /**
   * Changes a connection. The row stays locked while `changeOf` computes the change.
   * @throws ConnectionNotFoundError, ConnectionNameTakenError
   */
  async change<C extends Partial<ConnectionChange>>(
    client: PoolClient,
    id: number,
    changeOf: (connection: Connection) => Promise<C>,
  ): Promise<C> {
    const { rows } = await client.query<Connection>(
      `SELECT id, name, type, dsn_sealed AS "dsnSealed", dsn_masked AS "dsnMasked", options, is_default AS "isDefault", created_at AS "createdAt"
       FROM warehouse_connections WHERE id = $1 FOR UPDATE`,
      [id],
    );
    if (!rows[0]) throw new ConnectionNotFoundError();
    const change = await changeOf(rows[0]);
    const { name, dsnSealed, dsnMasked, options } = { ...rows[0], ...change };
    try {
      await client.query('UPDATE warehouse_connections SET name = $2, dsn_sealed = $3, dsn_masked = $4, options = $5 WHERE id = $1', [
        id,
        name,
        dsnSealed,
        dsnMasked,
        options,
      ]);
    } catch (error) {
      throw sqlstateOf(error) === sqlstates.uniqueViolation ? new ConnectionNameTakenError() : error;
    }
    return change;
  }

  /** At most `limit` ids of connections with an encrypted DSN, in order, from the first id above `after`. */
  async listSealed(after: number, limit: number): Promise<number[]> {
    return this.idsOf('SELECT id FROM warehouse_connections WHERE dsn_sealed IS NOT NULL AND id > $1 ORDER BY id LIMIT $2', after, limit);
  }

  /** Creates the default connection unless it exists. Several processes of the service may call this method at the same time. */
  async ensureDefault(): Promise<void> {
    await this.connections.query(`
      INSERT INTO warehouse_connections (name, type, is_default)
      SELECT 'pg_mirror', 'pg_mirror', true
      WHERE NOT EXISTS (SELECT FROM warehouse_connections WHERE is_default)
      ON CONFLICT DO NOTHING`);
  }

  /**
   * Deletes a connection, unless jobs, metrics or copies refer to it. Foreign keys check this, so that a job created at the same moment
   * counts too.
   * @throws ConnectionNotFoundError; ConnectionInUseError naming the jobs, metrics and copies that refer to the connection.
   */
  async delete(client: PoolClient, id: number): Promise<void> {
    try {
      const { rowCount } = await client.query('DELETE FROM warehouse_connections WHERE id = $1', [id]);
      if (rowCount === 0) throw new ConnectionNotFoundError();
    } catch (error) {
      if (!restrictViolations.has(sqlstateOf(error))) throw error;
      throw new ConnectionInUseError(
        await this.idsOf('SELECT id FROM ingestion_jobs WHERE connection_id = $1 ORDER BY id LIMIT 100', id),
        await this.idsOf('SELECT metric_id AS id FROM metric_bindings WHERE connection_id = $1 ORDER BY metric_id LIMIT 100', id),
        await this.idsOf('SELECT id FROM mirror_copies WHERE connection_id = $1 ORDER BY id LIMIT 100', id),
      );
    }
  }

  private async idsOf(sql: string, ...parameters: number[]): Promise<number[]> {
    const rows: { id: number }[] = await this.connections.query(sql, parameters);
    return rows.map(row => row.id);
  }
}
