import pg from 'pg';
import { DataSource } from 'typeorm';
import { emptyDatabase } from '../../../test/support/database.js';
import { GiveMirrorTablesVersions1700000000016 } from './0016-give-mirror-tables-versions.js';
import { migrations } from './migrations.js';

it('gives each table of the mirror that exists a version of its own', async () => {
  const database = await emptyDatabase();
  const upTo = migrations.slice(0, migrations.indexOf(GiveMirrorTablesVersions1700000000016) + 1);
  const source = new DataSource({ type: 'postgres', url: database.url, migrations: upTo });
  const client = new pg.Client(database.url);
  try {
    await source.initialize();
    await source.runMigrations({ transaction: 'each' });
    await source.undoLastMigration({ transaction: 'each' });
    await client.connect();
    await client.query('CREATE TABLE mirror.b (id int); CREATE TABLE mirror."A b" (id int PRIMARY KEY)');
    await source.runMigrations({ transaction: 'each' });
    const { rows } = await client.query('SELECT name, version::int FROM mirror_tables ORDER BY version');
    expect(rows).toEqual([
      { name: 'A b', version: 1 },
      { name: 'b', version: 2 },
    ]);
  } finally {
    await source.destroy();
    await client.end();
    await database.drop();
  }
});
