// The previous release must not load graphs any more: it records no owners.
import { type MigrationInterface, type QueryRunner } from 'typeorm';

/**
 * Adds what keeps a graph equal to its source: the jobs that yield each node and edge (`owners`), the job of those without owners
 * (`owns_rest`), the revisions of a job's mapping, and its end. An element of several jobs belongs to all of them at first, so
 * that none is removed too early. Each graph takes one transaction, and a start that was killed goes on where it stopped.
 */
export class KeepGraphsInStep1700000000015 implements MigrationInterface {
  transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await this.inTransaction(runner, () => runner.query(records));
    const rows = (await runner.query(`SELECT id FROM graphs WHERE to_regclass('graph_data.nodes_' || id) IS NOT NULL ORDER BY id`)) as {
      id: number;
    }[];
    for (const { id } of rows) await this.inTransaction(runner, () => this.addOwners(runner, id));
  }

  async down(runner: QueryRunner): Promise<void> {
    const rows = (await runner.query(
      `SELECT relname AS name FROM pg_class WHERE relnamespace = 'graph_data'::regnamespace AND relkind = 'r'`,
    )) as { name: string }[];
    for (const { name } of rows) await runner.query(`ALTER TABLE graph_data."${name}" DROP COLUMN IF EXISTS owners`);
    await runner.query(`
      DROP TABLE ingestion_revisions;
      DELETE FROM ingestion_jobs WHERE connection_id IS NULL;
      ALTER TABLE ingestion_jobs ALTER COLUMN connection_id SET NOT NULL, DROP COLUMN revision, DROP COLUMN saved_at, DROP COLUMN retired_at;
      ALTER TABLE ingestion_runs DROP COLUMN revision, DROP COLUMN allow_deletes, DROP COLUMN retires;
      ALTER TABLE graph_elements DROP COLUMN owns_rest;
    `);
  }

  private async addOwners(runner: QueryRunner, id: number): Promise<void> {
    // Locks the row, so that the graph is not deleted meanwhile.
    if (((await runner.query('SELECT FROM graphs WHERE id = $1 FOR KEY SHARE', [id])) as unknown[]).length === 0) return;
    await runner.query(`
      ALTER TABLE graph_data.nodes_${id} ADD COLUMN IF NOT EXISTS owners int[];
      ALTER TABLE graph_data.edges_${id} ADD COLUMN IF NOT EXISTS owners int[];
      UPDATE graph_data.nodes_${id} n SET owners = s.jobs
      FROM (${sharedElements('node', id)}) s WHERE n.label = s.name AND n.owners IS NULL;
      UPDATE graph_data.edges_${id} e SET owners = s.jobs
      FROM (${sharedElements('edge', id)}) s, graph_data.nodes_${id} a, graph_data.nodes_${id} b
      WHERE e.type = s.name AND a.id = e.source_id AND a.label = s.source_label AND b.id = e.target_id AND b.label = s.target_label
        AND e.owners IS NULL;
    `);
  }

  private async inTransaction(runner: QueryRunner, work: () => Promise<unknown>): Promise<void> {
    await runner.startTransaction();
    try {
      await work();
      await runner.commitTransaction();
    } catch (error) {
      await runner.rollbackTransaction();
      throw error;
    }
  }
}

/** The elements of a graph that several jobs feed, with these jobs. */
function sharedElements(kind: 'node' | 'edge', graphId: number): string {
  return `SELECT name, source_label, target_label, array_agg(job_id ORDER BY job_id) AS jobs FROM graph_elements
          WHERE graph_id = ${graphId} AND kind = '${kind}' GROUP BY 1, 2, 3 HAVING count(*) > 1`;
}

const records = `
  ALTER TABLE ingestion_jobs ALTER COLUMN connection_id DROP NOT NULL;
  ALTER TABLE ingestion_jobs
    ADD COLUMN IF NOT EXISTS revision int NOT NULL DEFAULT 1,
    ADD COLUMN IF NOT EXISTS saved_at timestamptz,
    ADD COLUMN IF NOT EXISTS retired_at timestamptz;
  UPDATE ingestion_jobs SET saved_at = created_at WHERE saved_at IS NULL;
  ALTER TABLE ingestion_jobs ALTER COLUMN saved_at SET DEFAULT now(), ALTER COLUMN saved_at SET NOT NULL;

  -- The mappings that a job had before its current one.
  CREATE TABLE IF NOT EXISTS ingestion_revisions (
    job_id       int NOT NULL REFERENCES ingestion_jobs (id) ON DELETE CASCADE,
    revision     int NOT NULL,
    mapping_yaml text NOT NULL,
    saved_by     int REFERENCES users (id) ON DELETE SET NULL,
    saved_at     timestamptz NOT NULL,
    PRIMARY KEY (job_id, revision)
  );

  ALTER TABLE ingestion_runs
    ADD COLUMN IF NOT EXISTS revision int NOT NULL DEFAULT 1,
    ADD COLUMN IF NOT EXISTS allow_deletes boolean NOT NULL DEFAULT false,
    ADD COLUMN IF NOT EXISTS retires boolean NOT NULL DEFAULT false;

  -- The job of all nodes or edges of this element that name no owners. The rows of the whole element are counted there.
  ALTER TABLE graph_elements ADD COLUMN IF NOT EXISTS owns_rest boolean NOT NULL DEFAULT false;
  WITH element AS (
    SELECT graph_id, kind, name, source_label, target_label, min(job_id) AS job_id, sum(row_count) AS row_count
    FROM graph_elements GROUP BY 1, 2, 3, 4, 5 HAVING NOT bool_or(owns_rest)
  )
  UPDATE graph_elements g SET owns_rest = g.job_id = e.job_id, row_count = CASE WHEN g.job_id = e.job_id THEN e.row_count ELSE 0 END
  FROM element e
  WHERE (g.graph_id, g.kind, g.name, g.source_label, g.target_label) = (e.graph_id, e.kind, e.name, e.source_label, e.target_label);
`;
