import { Injectable } from '@nestjs/common';
import { type PoolClient } from 'pg';
import { type Principal } from '../access/principal.js';
import { Quotas } from '../database/quotas.js';
import { ServicePool } from '../database/service-pool.js';
import { JobNotFoundError } from './ingestion.errors.js';

export interface JobRow {
  id: number;
  graph_id: number;
  connection_id: number;
  connection: string;
  name: string;
  mapping_yaml: string;
  cursors: Record<string, string>;
  /** The user who saved it, in whose name it reads; null once that user is deleted. */
  saved_by: { id: number; username: string } | null;
  created_at: Date;
  last_run_id: number | null;
  last_run_status: string | null;
}

const jobRow = `
  SELECT j.id, j.graph_id, j.connection_id, c.name AS connection, j.name, j.mapping_yaml, j.cursors, j.created_at,
         CASE WHEN u.id IS NOT NULL THEN jsonb_build_object('id', u.id, 'username', u.username) END AS saved_by,
         r.id AS last_run_id, r.status AS last_run_status
  FROM ingestion_jobs j
  JOIN warehouse_connections c ON c.id = j.connection_id
  LEFT JOIN users u ON u.id = j.created_by
  LEFT JOIN LATERAL (SELECT id, status FROM ingestion_runs WHERE job_id = j.id ORDER BY id DESC LIMIT 1) r ON true`;

@Injectable()
export class JobsRepository {
  constructor(
    private readonly pool: ServicePool,
    private readonly quotas: Quotas,
  ) {}

  /** @throws QuotaReachedError */
  async create(job: { graphId: number; connectionId: number; name: string; mappingYaml: string; creator: Principal }): Promise<number> {
    return this.pool.transaction(async client => {
      await this.quotas.ask(client, 'jobs', job.graphId, job.creator);
      const { rows } = await client.query<{ id: number }>(
        `INSERT INTO ingestion_jobs (graph_id, connection_id, name, mapping_yaml, created_by) VALUES ($1, $2, $3, $4, $5) RETURNING id`,
        [job.graphId, job.connectionId, job.name, job.mappingYaml, job.creator.userId],
      );
      return rows[0]!.id;
    });
  }

  /** @throws JobNotFoundError */
  async get(id: number): Promise<JobRow> {
    const { rows } = await this.pool.query<JobRow>(`${jobRow} WHERE j.id = $1`, [id]);
    if (!rows[0]) throw new JobNotFoundError();
    return rows[0];
  }

  /** Lists those of the given jobs that belong to the graph. */
  async listByIds(graphId: number, ids: number[]): Promise<JobRow[]> {
    const { rows } = await this.pool.query<JobRow>(`${jobRow} WHERE j.graph_id = $1 AND j.id = ANY ($2::int[])`, [graphId, ids]);
    return rows;
  }

  /** Lists the jobs of the visible graphs (null: all of them), or of one of these graphs. */
  async list(visible: number[] | null, graphId: number | null, afterId: number, limit: number): Promise<JobRow[]> {
    const { rows } = await this.pool.query<JobRow>(
      `${jobRow}
       WHERE j.id > $1 AND ($2::int IS NULL OR j.graph_id = $2) AND ($3::int[] IS NULL OR j.graph_id = ANY ($3))
       ORDER BY j.id LIMIT $4`,
      [afterId, graphId, visible, limit],
    );
    return rows;
  }

  /** Stores where each target named in `cursors` reads on. */
  async moveCursors(client: PoolClient, id: number, cursors: Record<string, string>): Promise<void> {
    await client.query('UPDATE ingestion_jobs SET cursors = cursors || $2::jsonb WHERE id = $1', [id, JSON.stringify(cursors)]);
  }
}
