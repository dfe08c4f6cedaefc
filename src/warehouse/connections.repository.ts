import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { type PoolClient } from 'pg';
import { MoreThan, Repository } from 'typeorm';
import { Connection, type ConnectionType } from './connection.entity.js';
import { ConnectionInUseError, ConnectionNameTakenError, ConnectionNotFoundError } from './warehouse.errors.js';

const restrictViolations = new Set(['23001', '23503']);

@Injectable()
export class ConnectionsRepository {
  constructor(@InjectRepository(Connection) private readonly connections: Repository<Connection>) {}

  async list(after: number, limit: number): Promise<Connection[]> {
    return this.connections.find({ where: { id: MoreThan(after) }, order: { id: 'ASC' }, take: limit });
  }

  async findById(id: number): Promise<Connection | null> {
    return this.connections.findOneBy({ id });
  }

  async findByName(name: string): Promise<Connection | null> {
    return this.connections.findOneBy({ name });
  }

  async findDefault(): Promise<Connection | null> {
    return this.connections.findOneBy({ isDefault: true });
  }

  async getById(id: number): Promise<Connection> {
    const connection = await this.findById(id);
    if (!connection) throw new ConnectionNotFoundError();
    return connection;
  }

  /** @throws ConnectionNameTakenError */
  async create(client: PoolClient, { name, type }: { name: string; type: ConnectionType }): Promise<number> {
    const { rows } = await client.query<{ id: number }>(
      'INSERT INTO warehouse_connections (name, type) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING RETURNING id',
      [name, type],
    );
    if (!rows[0]) throw new ConnectionNameTakenError();
    return rows[0].id;
  }

  /** Creates the default connection unless there is one; instances that start together do no harm. */
  async ensureDefault(): Promise<void> {
    await this.connections.query(`
      INSERT INTO warehouse_connections (name, type, is_default)
      SELECT 'pg_mirror', 'pg_mirror', true
      WHERE NOT EXISTS (SELECT FROM warehouse_connections WHERE is_default)
      ON CONFLICT DO NOTHING`);
  }

  /**
   * Foreign keys decide, so a job created at the same moment cannot slip through.
   * @throws ConnectionInUseError naming the jobs and metrics that refer to the connection.
   */
  async delete(client: PoolClient, id: number): Promise<void> {
    try {
      await client.query('DELETE FROM warehouse_connections WHERE id = $1', [id]);
    } catch (error) {
      if (!restrictViolations.has((error as { code?: string }).code ?? '')) throw error;
      throw new ConnectionInUseError(
        await this.idsOf('SELECT id FROM ingestion_jobs WHERE connection_id = $1 ORDER BY id LIMIT 100', id),
        await this.idsOf('SELECT metric_id AS id FROM metric_bindings WHERE connection_id = $1 ORDER BY metric_id LIMIT 100', id),
      );
    }
  }

  private async idsOf(sql: string, connectionId: number): Promise<number[]> {
    const rows: { id: number }[] = await this.connections.query(sql, [connectionId]);
    return rows.map(row => row.id);
  }
}
