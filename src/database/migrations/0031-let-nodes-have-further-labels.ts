// The previous release keeps working. It leaves the further labels of nodes as they are.
import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** Adds the further labels of nodes, to each graph in a transaction of its own, and those that jobs map with their counts. */
export class LetNodesHaveFurtherLabels1700000000031 implements MigrationInterface {
  transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE graph_elements ADD COLUMN IF NOT EXISTS labels jsonb NOT NULL DEFAULT '[]'`);
    const rows = (await runner.query(`SELECT id FROM graphs WHERE to_regclass('graph_data.nodes_' || id) IS NOT NULL ORDER BY id`)) as {
      id: number;
    }[];
    for (const { id } of rows) {
      await runner.startTransaction();
      try {
        // Locks the row, so that the graph is not deleted meanwhile.
        const found = (await runner.query('SELECT FROM graphs WHERE id = $1 FOR KEY SHARE', [id])) as unknown[];
        if (found.length > 0) {
          await runner.query(`ALTER TABLE graph_data.nodes_${id} ADD COLUMN IF NOT EXISTS labels text[] NOT NULL DEFAULT '{}'`);
        }
        await runner.commitTransaction();
      } catch (error) {
        await runner.rollbackTransaction();
        throw error;
      }
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    const rows = (await runner.query(
      `SELECT relname AS name FROM pg_class WHERE relnamespace = 'graph_data'::regnamespace AND relkind = 'r' AND relname ~ '^nodes_[0-9]+$'`,
    )) as { name: string }[];
    for (const { name } of rows) await runner.query(`ALTER TABLE graph_data."${name}" DROP COLUMN IF EXISTS labels`);
    await runner.query('ALTER TABLE graph_elements DROP COLUMN IF EXISTS labels');
  }
}
