import { Injectable } from '@nestjs/common';
import { type PoolClient } from 'pg';
import { type Principal } from '../access/principal.js';
import { Quotas } from '../database/quotas.js';
import { type RowPage, ServicePool } from '../database/service-pool.js';
import {
  GraphSchemaTooLargeError,
  JobNotFoundError,
  JobRetiredError,
  RevisionNotFoundError,
  TooManyRevisionsError,
} from './ingestion.errors.js';
import { type ElementId, elementOf, isSame } from './run/ownership.js';
import { mostPossible, soughtIn } from '../warehouse/tables/table-readers.js';
import { mostInSchema, type SchemaSize, sizeOfTargets } from './schema-size.js';
import { type Target } from './staging/target.js';

export interface JobRow {
  id: number;
  graph_id: number;
  /** The connection that the job reads. Null once the job is retired, so that the connection may be deleted. */
  connection_id: number | null;
  connection: string | null;
  name: string;
  mapping_yaml: string;
  cursors: Record<string, string>;
  /** The user who saved the job, in whose name the job reads its source; null once that user is deleted. */
  saved_by: { id: number; username: string } | null;
  created_at: Date;
  /** The number of the job's current mapping, counted from 1. */
  revision: number;
  saved_at: Date;
  retired_at: Date | null;
  last_run_id: number | null;
  last_run_status: string | null;
}

/** A current or former mapping of a job. */
export interface RevisionRow {
  revision: number;
  mapping_yaml: string;
  /** The user who saved this revision, in whose name it reads the source; null once that user is deleted. */
  saved_by: { id: number; username: string } | null;
  saved_at: Date;
}

/** The most revisions of one job. */
const maxRevisions = 1_000;

const jobRow = `
  SELECT j.id, j.graph_id, j.connection_id, c.name AS connection, j.name, j.mapping_yaml, j.cursors, j.created_at,
         j.revision, j.saved_at, j.retired_at,
         CASE WHEN u.id IS NOT NULL THEN jsonb_build_object('id', u.id, 'username', u.username) END AS saved_by,
         r.id AS last_run_id, r.status AS last_run_status
  FROM ingestion_jobs j
  LEFT JOIN warehouse_connections c ON c.id = j.connection_id
  LEFT JOIN users u ON u.id = j.created_by
  LEFT JOIN LATERAL (SELECT id, status FROM ingestion_runs WHERE job_id = j.id ORDER BY id DESC LIMIT 1) r ON true`;

const revisionRow = `
  SELECT v.revision, v.mapping_yaml, v.saved_at,
         CASE WHEN u.id IS NOT NULL THEN jsonb_build_object('id', u.id, 'username', u.username) END AS saved_by
  FROM (SELECT id AS job_id, revision, mapping_yaml, created_by AS saved_by, saved_at FROM ingestion_jobs
        UNION ALL
        SELECT job_id, revision, mapping_yaml, saved_by, saved_at FROM ingestion_revisions) v
  LEFT JOIN users u ON u.id = v.saved_by`;

/** Jobs with their current mapping and its author (`created_by`), and their former mappings. */
@Injectable()
export class JobsRepository {
  constructor(
    private readonly pool: ServicePool,
    private readonly quotas: Quotas,
  ) {}

  /** @throws QuotaReachedError, DiskReserveError */
  async create(
    client: PoolClient,
    job: { graphId: number; connectionId: number; name: string; mappingYaml: string; creator: Principal },
  ): Promise<number> {
    await this.quotas.ask(client, 'jobs', job.graphId, job.creator);
    await this.quotas.askForBytes(client, job.graphId, Buffer.byteLength(job.mappingYaml), job.creator);
    const { rows } = await client.query<{ id: number }>(
      `INSERT INTO ingestion_jobs (graph_id, connection_id, name, mapping_yaml, created_by) VALUES ($1, $2, $3, $4, $5) RETURNING id`,
      [job.graphId, job.connectionId, job.name, job.mappingYaml, job.creator.userId],
    );
    return rows[0]!.id;
  }

  /**
   * Checks the bound on a graph's schema (`mostInSchema`): the labels, types, aliases and properties of these targets count together with
   * those of the graph's other jobs. A job whose targets have no more of them than the job had before always passes.
   * @param client null outside of a transaction
   * @param jobId the job of the targets; null for a new job
   * @throws GraphSchemaTooLargeError
   */
  async requireRoomInSchema(client: PoolClient | null, graphId: number, jobId: number | null, targets: readonly Target[]): Promise<void> {
    const { rows } = await (client ?? this.pool).query<SchemaSize & { is_own: boolean }>(
      `SELECT job_id IS NOT DISTINCT FROM $2 AS is_own, sum(1 + jsonb_array_length(labels))::int AS names,
              sum(cardinality(aliases) + jsonb_array_length(jsonb_path_query_array(labels, '$[*].aliases[*]')))::int AS aliases,
              sum(jsonb_array_length(properties))::int AS properties
       FROM graph_elements WHERE graph_id = $1 GROUP BY is_own`,
      [graphId, jobId],
    );
    const none = { names: 0, aliases: 0, properties: 0 };
    const [made, others] = [true, false].map(isOwn => rows.find(row => row.is_own === isOwn) ?? none) as [SchemaSize, SchemaSize];
    const own = sizeOfTargets(targets);
    const kinds = ['names', 'aliases', 'properties'] as const;
    const size = Object.fromEntries(kinds.map(of => [of, others[of] + own[of]])) as unknown as SchemaSize;
    if (kinds.some(of => size[of] > mostInSchema[of] && own[of] > made[of])) throw new GraphSchemaTooLargeError(size);
  }

  /**
   * The names of the targets whose elements in the graph may have keys in the form of an earlier release. The next run of the job reads all
   * rows of these targets, and removes the elements that no row yields.
   */
  async findRereads({ id, graph_id: graphId }: Pick<JobRow, 'id' | 'graph_id'>, targets: readonly Target[]): Promise<ReadonlySet<string>> {
    const { rows } = await this.pool.query<ElementId>(
      `SELECT kind, name, source_label AS "sourceLabel", target_label AS "targetLabel" FROM graph_elements
       WHERE graph_id = $1 AND job_id = $2 AND reread`,
      [graphId, id],
    );
    return new Set(targets.filter(target => rows.some(row => isSame(row, elementOf(target)))).map(({ name }) => name));
  }

  /** @throws JobNotFoundError */
  async get(id: number): Promise<JobRow> {
    const { rows } = await this.pool.query<JobRow>(`${jobRow} WHERE j.id = $1`, [id]);
    if (!rows[0]) throw new JobNotFoundError();
    return rows[0];
  }

  /**
   * Lists the given jobs of the graph that are not retired, each with the revision whose data the graph has: that of the last success. The
   * mappings are left out, since they may have 256 KiB each.
   */
  async listApplied(graphId: number, ids: number[]): Promise<Pick<JobRow, 'id' | 'name' | 'revision' | 'saved_by'>[]> {
    const { rows } = await this.pool.query<JobRow>(
      `SELECT j.id, j.name, f.revision, f.saved_by FROM ingestion_jobs j
         CROSS JOIN LATERAL (SELECT coalesce(
           (SELECT revision FROM ingestion_runs WHERE job_id = j.id AND status = 'succeeded' ORDER BY id DESC LIMIT 1), j.revision
         ) AS revision) a
         CROSS JOIN LATERAL (${revisionRow} WHERE v.job_id = j.id AND v.revision = a.revision) f
       WHERE j.graph_id = $1 AND j.id = ANY ($2::int[]) AND j.connection_id IS NOT NULL`,
      [graphId, ids],
    );
    return rows;
  }

  /**
   * Lists the jobs on the mirror whose mapping may name the table, at most `mostPossible + 1`. In YAML and in SQL names of the form U&"…"
   * any character may be written as an escape, so a mapping with escapes may name any table.
   */
  async listNaming(table: string): Promise<{ id: number; graphId: number }[]> {
    const { rows } = await this.pool.query<{ id: number; graphId: number }>(
      `SELECT j.id, j.graph_id AS "graphId" FROM ingestion_jobs j JOIN warehouse_connections c ON c.id = j.connection_id
       WHERE c.type = 'pg_mirror' AND (position(lower($1::text) IN lower(j.mapping_yaml)) > 0
         OR j.mapping_yaml ~ '\\\\[xuU]' OR j.mapping_yaml ~* 'U&') ORDER BY j.id LIMIT $2`,
      [soughtIn(table), mostPossible + 1],
    );
    return rows;
  }

  /** Lists the jobs of the graphs with the ids in `visible` (null: of all graphs). A `graphId` limits the list to that graph. */
  async list(visible: number[] | null, graphId: number | null, afterId: number, limit: number): Promise<RowPage<JobRow>> {
    return this.pool.readPage<JobRow>('rows', {
      text: `${jobRow}
             WHERE j.id > $1 AND ($2::int IS NULL OR j.graph_id = $2) AND ($3::int[] IS NULL OR j.graph_id = ANY ($3)) ORDER BY j.id`,
      values: [afterId, graphId, visible],
      limit,
      sizeOf: 'octet_length(mapping_yaml)',
    });
  }

  /**
   * Checks that the job is not retired, and prevents its retirement until the transaction ends. @throws JobNotFoundError, JobRetiredError
   */
  async requireActive(client: PoolClient, id: number): Promise<void> {
    const { rows } = await client.query<{ isRetired: boolean }>(
      'SELECT retired_at IS NOT NULL AS "isRetired" FROM ingestion_jobs WHERE id = $1 FOR SHARE',
      [id],
    );
    if (!rows[0]) throw new JobNotFoundError();
    if (rows[0].isRetired) throw new JobRetiredError();
  }

  /** Stores the cursors of the targets, by target name. The job's next run reads each target from its cursor. */
  async setCursors(client: PoolClient, id: number, cursors: Record<string, string>): Promise<void> {
    await client.query('UPDATE ingestion_jobs SET cursors = $2 WHERE id = $1', [id, JSON.stringify(cursors)]);
  }

  /** Ends the job for good. Its connection may be deleted afterwards. */
  async retire(client: PoolClient, id: number): Promise<void> {
    await client.query(`UPDATE ingestion_jobs SET retired_at = now(), connection_id = NULL, cursors = '{}' WHERE id = $1`, [id]);
  }

  /**
   * Makes a mapping the current mapping of the job.
   * @returns the number of the new revision
   * @throws JobNotFoundError, JobRetiredError, TooManyRevisionsError
   */
  async saveRevision(
    client: PoolClient,
    id: number,
    mapping: { connectionId: number; mappingYaml: string; author: Principal },
  ): Promise<number> {
    const { rows } = await client.query<{ revision: number; graphId: number; isRetired: boolean }>(
      `SELECT revision, graph_id AS "graphId", retired_at IS NOT NULL AS "isRetired" FROM ingestion_jobs WHERE id = $1 FOR UPDATE`,
      [id],
    );
    if (!rows[0]) throw new JobNotFoundError();
    if (rows[0].isRetired) throw new JobRetiredError();
    if (rows[0].revision >= maxRevisions) throw new TooManyRevisionsError(maxRevisions);
    await this.quotas.askForBytes(client, rows[0].graphId, Buffer.byteLength(mapping.mappingYaml), mapping.author);
    await client.query(
      `INSERT INTO ingestion_revisions (job_id, revision, mapping_yaml, saved_by, saved_at)
       SELECT id, revision, mapping_yaml, created_by, saved_at FROM ingestion_jobs WHERE id = $1`,
      [id],
    );
    await client.query(
      `UPDATE ingestion_jobs SET revision = revision + 1, mapping_yaml = $2, connection_id = $3, created_by = $4, saved_at = now()
       WHERE id = $1`,
      [id, mapping.mappingYaml, mapping.connectionId, mapping.author.userId],
    );
    return rows[0].revision + 1;
  }

  /** @throws RevisionNotFoundError */
  async getRevision(id: number, revision: number): Promise<RevisionRow> {
    const { rows } = await this.pool.query<RevisionRow>(`${revisionRow} WHERE v.job_id = $1 AND v.revision = $2`, [id, revision]);
    if (!rows[0]) throw new RevisionNotFoundError();
    return rows[0];
  }

  /** The revisions of a job, the newest first, without the texts of their mappings. */
  async listRevisions(id: number, before: number | null, limit: number): Promise<Omit<RevisionRow, 'mapping_yaml'>[]> {
    const { rows } = await this.pool.query<Omit<RevisionRow, 'mapping_yaml'>>(
      `SELECT revision, saved_by, saved_at FROM (${revisionRow} WHERE v.job_id = $1 AND ($2::int IS NULL OR v.revision < $2)) found
       ORDER BY revision DESC LIMIT $3`,
      [id, before, limit],
    );
    return rows;
  }
}
