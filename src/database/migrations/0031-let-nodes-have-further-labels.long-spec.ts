import pg from 'pg';
import { DataSource } from 'typeorm';
import { emptyDatabase } from '../../../test/support/database.js';
import { createGraphTables } from '../graph-tables.js';
import { LetNodesHaveFurtherLabels1700000000031 } from './0031-let-nodes-have-further-labels.js';
import { migrations } from './migrations.js';

it('adds the labels that new graphs have to each graph with tables, empty for the nodes that are there, and can be undone', async () => {
  const database = await emptyDatabase();
  const others = migrations.filter(migration => migration !== LetNodesHaveFurtherLabels1700000000031);
  const client = new pg.Client(database.url);
  const columns = async (): Promise<unknown> =>
    (
      await client.query(
        `SELECT table_name AS table, data_type AS type, is_nullable, column_default FROM information_schema.columns
         WHERE column_name = 'labels' ORDER BY table_schema, table_name`,
      )
    ).rows;
  const earlier = await new DataSource({ type: 'postgres', url: database.url, migrations: others }).initialize();
  try {
    await earlier.runMigrations({ transaction: 'each' });
    await client.connect();
    await client.query(`INSERT INTO users (username, password_hash) VALUES ('u', '')`);
    await client.query(`INSERT INTO graphs (name, owner_id) SELECT g, id FROM users, unnest(ARRAY['a', 'b', 'without tables']) AS g`);
    for (const id of [1, 2]) await client.query(createGraphTables(id));
    await client.query('ALTER TABLE graph_data.nodes_1 DROP COLUMN labels');
    await client.query(`INSERT INTO graph_data.nodes_1 (label, key, display, run_id) VALUES ('N', '1', '', 1)`);

    const now = await new DataSource({ type: 'postgres', url: database.url, migrations }).initialize();
    try {
      expect(await now.runMigrations({ transaction: 'each' })).toMatchObject([{ name: 'LetNodesHaveFurtherLabels1700000000031' }]);
      const list = { type: 'ARRAY', is_nullable: 'NO', column_default: "'{}'::text[]" };
      expect(await columns()).toEqual([
        { table: 'nodes_1', ...list },
        { table: 'nodes_2', ...list },
        { table: 'graph_elements', type: 'jsonb', is_nullable: 'NO', column_default: "'[]'::jsonb" },
      ]);
      expect((await client.query('SELECT labels FROM graph_data.nodes_1')).rows).toEqual([{ labels: [] }]);
      await now.undoLastMigration({ transaction: 'each' });
      expect(await columns()).toEqual([]);
    } finally {
      await now.destroy();
    }
  } finally {
    await earlier.destroy();
    await client.end();
    await database.drop();
  }
});
