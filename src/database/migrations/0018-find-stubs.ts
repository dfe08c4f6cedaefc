// The previous release keeps working. It makes no stubs.
import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** Adds the index that finds the stubs of a label, to each graph in a transaction of its own. */
export class FindStubs1700000000018 implements MigrationInterface {
  transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    const rows = (await runner.query(`SELECT id FROM graphs WHERE to_regclass('graph_data.nodes_' || id) IS NOT NULL ORDER BY id`)) as {
      id: number;
    }[];
    for (const { id } of rows) {
      await runner.startTransaction();
      try {
        // Locks the row, so that the graph is not deleted meanwhile.
        const found = (await runner.query('SELECT FROM graphs WHERE id = $1 FOR KEY SHARE', [id])) as unknown[];
        if (found.length > 0) {
          await runner.query(`CREATE INDEX IF NOT EXISTS nodes_${id}_stubs ON graph_data.nodes_${id} (label) WHERE owners = '{}'`);
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
      `SELECT relname AS name FROM pg_class WHERE relnamespace = 'graph_data'::regnamespace AND relkind = 'i' AND relname ~ '^nodes_[0-9]+_stubs$'`,
    )) as { name: string }[];
    for (const { name } of rows) await runner.query(`DROP INDEX graph_data."${name}"`);
  }
}
