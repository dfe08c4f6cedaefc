import pg from 'pg';
import { DataSource } from 'typeorm';
import { emptyDatabase } from '../../../test/support/database.js';
import { CountBytesOfTheMirror1700000000038 } from './0038-count-bytes-of-the-mirror.js';
import { migrations } from './migrations.js';

it('counts the bytes of the tables that are there, and nobody as who loaded them', async () => {
  const database = await emptyDatabase();
  const upTo = migrations.slice(0, migrations.indexOf(CountBytesOfTheMirror1700000000038) + 1);
  const source = new DataSource({ type: 'postgres', url: database.url, migrations: upTo });
  const client = new pg.Client(database.url);
  try {
    await source.initialize();
    await source.runMigrations({ transaction: 'each' });
    await source.undoLastMigration({ transaction: 'each' });
    await client.connect();
    await client.query(`CREATE TABLE mirror."A b" AS SELECT 1 AS id; INSERT INTO mirror_tables (name) VALUES ('A b'), ('gone')`);
    await source.runMigrations({ transaction: 'each' });
    const { rows } = await client.query('SELECT name, bytes::int, loaded_by FROM mirror_tables ORDER BY name');
    expect(rows).toEqual([
      { name: 'A b', bytes: 8_192, loaded_by: null },
      { name: 'gone', bytes: 0, loaded_by: null },
    ]);
  } finally {
    await source.destroy();
    await client.end();
    await database.drop();
  }
});
