import pg from 'pg';
import { DataSource } from 'typeorm';
import { emptyDatabase } from '../../../test/support/database.js';
import { createGraphTables } from '../graph-tables.js';
import { FindStubs1700000000018 } from './0018-find-stubs.js';
import { migrations } from './migrations.js';

it('adds the index that a new graph has to each graph with tables, also after later migrations, and can be undone', async () => {
  const database = await emptyDatabase();
  const others = migrations.filter(migration => migration !== FindStubs1700000000018);
  const client = new pg.Client(database.url);
  const stubIndexes = async (): Promise<unknown> =>
    (
      await client.query(
        `SELECT tablename AS table, replace(indexdef, tablename, 'n') AS definition FROM pg_indexes WHERE indexname LIKE '%stubs' ORDER BY 1`,
      )
    ).rows;
  const earlier = await new DataSource({ type: 'postgres', url: database.url, migrations: others }).initialize();
  try {
    await earlier.runMigrations({ transaction: 'each' });
    await client.connect();
    await client.query(`INSERT INTO users (username, password_hash) VALUES ('u', '')`);
    await client.query(`INSERT INTO graphs (name, owner_id) SELECT g, id FROM users, unnest(ARRAY['a', 'b', 'without tables']) AS g`);
    for (const id of [1, 2]) await client.query(createGraphTables(id));
    const made = await stubIndexes();
    expect(made).toHaveLength(2);
    await client.query('DROP INDEX graph_data.nodes_1_stubs');

    const now = await new DataSource({ type: 'postgres', url: database.url, migrations }).initialize();
    try {
      expect(await now.runMigrations({ transaction: 'each' })).toMatchObject([{ name: 'FindStubs1700000000018' }]);
      expect(await stubIndexes()).toEqual(made);
      await now.undoLastMigration({ transaction: 'each' });
      expect(await stubIndexes()).toEqual([]);
    } finally {
      await now.destroy();
    }
  } finally {
    await earlier.destroy();
    await client.end();
    await database.drop();
  }
});
