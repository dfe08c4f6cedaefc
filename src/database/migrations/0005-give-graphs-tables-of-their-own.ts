// The previous release stops working: the tables that it names, `nodes` and `edges`, are gone.
import { type MigrationInterface, type QueryRunner } from 'typeorm';

/**
 * Moves each graph's rows from the partitions of `nodes` and `edges` to two tables of its own in the schema `graph_data`. It copies
 * the rows instead of moving the partitions: they lose `graph_id` (8 bytes each with its padding), and their indexes are built
 * afterwards. Each graph takes one transaction: thousands of graphs in one would need more locks than PostgreSQL has, and a process
 * that is killed loses one graph's work only. A moved graph has no partition any more, so the next start goes on with the rest.
 */
export class GiveGraphsTablesOfTheirOwn1700000000005 implements MigrationInterface {
  transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('CREATE SCHEMA IF NOT EXISTS graph_data');
    for (const sequence of ['node_ids', 'edge_ids']) await runner.query(`ALTER SEQUENCE IF EXISTS ${sequence} SET SCHEMA graph_data`);
    do {
      for (const id of await this.partitionedGraphs(runner)) await this.inTransaction(runner, () => this.move(runner, id));
    } while (!(await this.dropParents(runner)));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(partitionedTables);
    const rows = (await runner.query(
      `SELECT substring(relname FROM '[0-9]+$')::int AS id FROM pg_class
       WHERE relnamespace = 'graph_data'::regnamespace AND relkind = 'r' AND relname LIKE 'nodes\\_%' ORDER BY 1`,
    )) as { id: number }[];
    for (const { id } of rows) await this.inTransaction(runner, () => this.moveBack(runner, id));
    const [{ schema }] = (await runner.query('SELECT quote_ident(current_schema()) AS schema')) as [{ schema: string }];
    for (const sequence of ['node_ids', 'edge_ids']) await runner.query(`ALTER SEQUENCE graph_data.${sequence} SET SCHEMA ${schema}`);
    await runner.query('DROP SCHEMA graph_data');
  }

  /** Lists the graphs that still have partitions, including deleted graphs, whose partitions are dropped. */
  private async partitionedGraphs(runner: QueryRunner): Promise<number[]> {
    const rows = (await runner.query(`
      SELECT DISTINCT substring(c.relname FROM '[0-9]+$')::int AS id FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
      WHERE i.inhparent IN (to_regclass('nodes'), to_regclass('edges')) ORDER BY 1`)) as { id: number }[];
    return rows.map(row => row.id);
  }

  private async move(runner: QueryRunner, id: number): Promise<void> {
    // Locks the row, so that the graph is not deleted between this check and the commit.
    const isKept = ((await runner.query('SELECT FROM graphs WHERE id = $1 FOR KEY SHARE', [id])) as unknown[]).length > 0;
    if (isKept) {
      await runner.query(`
        LOCK TABLE nodes_${id}, edges_${id} IN SHARE MODE;
        CREATE TABLE graph_data.nodes_${id} (
          id bigint NOT NULL DEFAULT nextval('graph_data.node_ids'), label text NOT NULL, key text NOT NULL, display text NOT NULL,
          properties jsonb NOT NULL DEFAULT '{}', run_id int NOT NULL);
        INSERT INTO graph_data.nodes_${id} SELECT id, label, key, display, properties, run_id FROM nodes_${id};
        ALTER TABLE graph_data.nodes_${id} ADD PRIMARY KEY (id), ADD UNIQUE (label, key);
        CREATE TABLE graph_data.edges_${id} (
          id bigint NOT NULL DEFAULT nextval('graph_data.edge_ids'), type text NOT NULL, source_id bigint NOT NULL,
          target_id bigint NOT NULL, key text NOT NULL, properties jsonb NOT NULL DEFAULT '{}', run_id int NOT NULL);
        INSERT INTO graph_data.edges_${id}
          SELECT id, type, source_id, target_id, key, properties, run_id FROM edges_${id};
        ALTER TABLE graph_data.edges_${id} ADD UNIQUE (source_id, type, target_id, key);
        CREATE INDEX ON graph_data.edges_${id} (target_id, type);
        ANALYZE graph_data.nodes_${id}, graph_data.edges_${id};
      `);
    }
    // An orphan may have only one of the two tables.
    await runner.query(`DROP TABLE IF EXISTS nodes_${id}, edges_${id}`);
  }

  /**
   * Drops the parents, which would drop their partitions with the rows. Returns false when the previous release has made a
   * partition meanwhile, which must be moved first.
   */
  private async dropParents(runner: QueryRunner): Promise<boolean> {
    return this.inTransaction(runner, async () => {
      const rows = (await runner.query(`SELECT to_regclass('nodes') IS NULL AS gone`)) as { gone: boolean }[];
      if (rows[0]?.gone) return true;
      await runner.query('LOCK TABLE nodes, edges IN ACCESS EXCLUSIVE MODE');
      if ((await this.partitionedGraphs(runner)).length > 0) return false;
      await runner.query('DROP TABLE edges, nodes');
      return true;
    });
  }

  private async moveBack(runner: QueryRunner, id: number): Promise<void> {
    await runner.query(`
      CREATE TABLE nodes_${id} (LIKE nodes INCLUDING ALL);
      CREATE TABLE edges_${id} (LIKE edges INCLUDING ALL);
      INSERT INTO nodes_${id} SELECT ${id}, id, label, key, display, properties, run_id FROM graph_data.nodes_${id};
      INSERT INTO edges_${id} SELECT ${id}, id, type, source_id, target_id, key, properties, run_id FROM graph_data.edges_${id};
      ALTER TABLE nodes ATTACH PARTITION nodes_${id} FOR VALUES IN (${id});
      ALTER TABLE edges ATTACH PARTITION edges_${id} FOR VALUES IN (${id});
      DROP TABLE graph_data.nodes_${id}, graph_data.edges_${id};
    `);
  }

  private async inTransaction<T>(runner: QueryRunner, work: () => Promise<T>): Promise<T> {
    await runner.startTransaction();
    try {
      const result = await work();
      await runner.commitTransaction();
      return result;
    } catch (error) {
      await runner.rollbackTransaction();
      throw error;
    }
  }
}

const partitionedTables = `
  CREATE TABLE IF NOT EXISTS nodes (
    graph_id int NOT NULL, id bigint NOT NULL DEFAULT nextval('graph_data.node_ids'), label text NOT NULL, key text NOT NULL,
    display text NOT NULL, properties jsonb NOT NULL DEFAULT '{}', run_id int NOT NULL,
    PRIMARY KEY (graph_id, id), UNIQUE (graph_id, label, key)
  ) PARTITION BY LIST (graph_id);
  CREATE TABLE IF NOT EXISTS edges (
    graph_id int NOT NULL, id bigint NOT NULL DEFAULT nextval('graph_data.edge_ids'), type text NOT NULL, source_id bigint NOT NULL,
    target_id bigint NOT NULL, key text NOT NULL, properties jsonb NOT NULL DEFAULT '{}', run_id int NOT NULL,
    UNIQUE (graph_id, source_id, type, target_id, key)
  ) PARTITION BY LIST (graph_id);
  CREATE INDEX IF NOT EXISTS edges_incoming ON edges (graph_id, target_id, type);`;
