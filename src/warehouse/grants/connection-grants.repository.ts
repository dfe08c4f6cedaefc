import { Injectable } from '@nestjs/common';
import { type PoolClient } from 'pg';
import { ServicePool } from '../../database/service-pool.js';
import { type ConnectionGrantRow } from './connection-grants.dto.js';
import { ConnectionGrantNotFoundError } from '../warehouse.errors.js';

const grant = `
  SELECT g.user_id, u.username, g.can_write, a.username AS granted_by, g.created_at
  FROM connection_grants g LEFT JOIN users u ON u.id = g.user_id LEFT JOIN users a ON a.id = g.granted_by`;

export interface NewConnectionGrant {
  connectionId: number;
  /** The user who gets the right; null means everyone. */
  userId: number | null;
  canWrite: boolean;
  grantedBy: number;
}

@Injectable()
export class ConnectionGrantsRepository {
  constructor(private readonly pool: ServicePool) {}

  /** Lists the grants of a connection, ordered by user id, with the grant to everyone at the end. */
  async list(connectionId: number, afterUser: number, limit: number): Promise<ConnectionGrantRow[]> {
    const { rows } = await this.pool.query<ConnectionGrantRow>(
      `${grant} WHERE g.connection_id = $1 AND (g.user_id > $2 OR g.user_id IS NULL) ORDER BY g.user_id NULLS LAST LIMIT $3`,
      [connectionId, afterUser, limit],
    );
    return rows;
  }

  /** @throws ConnectionGrantNotFoundError */
  async get(connectionId: number, userId: number | null): Promise<ConnectionGrantRow> {
    const { rows } = await this.pool.query<ConnectionGrantRow>(
      `${grant} WHERE g.connection_id = $1 AND g.user_id IS NOT DISTINCT FROM $2::int`,
      [connectionId, userId],
    );
    if (!rows[0]) throw new ConnectionGrantNotFoundError();
    return rows[0];
  }

  /** Creates a grant, or changes the existing one. @returns true if the grant is new */
  async grant(client: PoolClient, { connectionId, userId, canWrite, grantedBy }: NewConnectionGrant): Promise<boolean> {
    const { rows } = await client.query<{ created: boolean }>(
      `INSERT INTO connection_grants (connection_id, user_id, can_write, granted_by) VALUES ($1, $2, $3, $4)
       ON CONFLICT (connection_id, user_id) DO UPDATE SET can_write = excluded.can_write, granted_by = excluded.granted_by
       RETURNING xmax = 0 AS created`,
      [connectionId, userId, canWrite, grantedBy],
    );
    return rows[0]!.created;
  }

  /** @throws ConnectionGrantNotFoundError */
  async revoke(client: PoolClient, connectionId: number, userId: number | null): Promise<void> {
    const { rowCount } = await client.query(
      'DELETE FROM connection_grants WHERE connection_id = $1 AND user_id IS NOT DISTINCT FROM $2::int',
      [connectionId, userId],
    );
    if (rowCount === 0) throw new ConnectionGrantNotFoundError();
  }
}
