import { Injectable } from '@nestjs/common';
import { type PoolClient } from 'pg';
import { type GraphRole } from '../access/access.decorator.js';
import { ServicePool } from '../database/service-pool.js';
import { type MemberRow } from './permissions.dto.js';
import { MemberNotFoundError } from './permissions.errors.js';

const member = 'SELECT m.user_id, u.username, m.role, m.created_at FROM graph_members m JOIN users u ON u.id = m.user_id';

@Injectable()
export class PermissionsRepository {
  constructor(private readonly pool: ServicePool) {}

  async list(graphId: number, afterUser: number, limit: number): Promise<MemberRow[]> {
    const { rows } = await this.pool.query<MemberRow>(`${member} WHERE m.graph_id = $1 AND m.user_id > $2 ORDER BY m.user_id LIMIT $3`, [
      graphId,
      afterUser,
      limit,
    ]);
    return rows;
  }

  async find(graphId: number, userId: number): Promise<MemberRow | null> {
    const { rows } = await this.pool.query<MemberRow>(`${member} WHERE m.graph_id = $1 AND m.user_id = $2`, [graphId, userId]);
    return rows[0] ?? null;
  }

  /** Makes a user a member of a graph, or changes a member's role. @returns true when the user was not a member before */
  async grant(client: PoolClient, graphId: number, userId: number, role: GraphRole): Promise<boolean> {
    const { rows } = await client.query<{ created: boolean }>(
      `INSERT INTO graph_members (graph_id, user_id, role) VALUES ($1, $2, $3)
       ON CONFLICT (graph_id, user_id) DO UPDATE SET role = excluded.role RETURNING xmax = 0 AS created`,
      [graphId, userId, role],
    );
    return rows[0]!.created;
  }

  /** @throws MemberNotFoundError */
  async changeRole(client: PoolClient, graphId: number, userId: number, role: GraphRole): Promise<void> {
    const { rowCount } = await client.query('UPDATE graph_members SET role = $3 WHERE graph_id = $1 AND user_id = $2', [
      graphId,
      userId,
      role,
    ]);
    if (rowCount === 0) throw new MemberNotFoundError();
  }

  /** @throws MemberNotFoundError */
  async revoke(client: PoolClient, graphId: number, userId: number): Promise<void> {
    const { rowCount } = await client.query('DELETE FROM graph_members WHERE graph_id = $1 AND user_id = $2', [graphId, userId]);
    if (rowCount === 0) throw new MemberNotFoundError();
  }
}
