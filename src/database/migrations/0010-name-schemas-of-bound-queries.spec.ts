import pg from 'pg';
import { DataSource } from 'typeorm';
import { emptyDatabase } from '../../../test/support/database.js';
import { NameSchemasOfBoundQueries1700000000010 } from './0010-name-schemas-of-bound-queries.js';
import { migrations } from './migrations.js';

it('names the schema of a bound query, takes it back, and changes nothing else of a binding', async () => {
  const database = await emptyDatabase();
  const before = migrations.slice(0, migrations.indexOf(NameSchemasOfBoundQueries1700000000010));
  const source = new DataSource({ type: 'postgres', url: database.url, migrations: [...before, NameSchemasOfBoundQueries1700000000010] });
  const client = new pg.Client(database.url);
  const sources = async (): Promise<unknown[]> =>
    (await client.query(`SELECT binding FROM metric_bindings ORDER BY metric_id`)).rows.map(row => row.binding);
  const binding = (bound: object) => ({ source: { relation: {} }, bound: { fact: { alias: 'q', source: bound }, joins: [] } });
  try {
    await source.initialize();
    await source.runMigrations({ transaction: 'each' });
    await source.undoLastMigration({ transaction: 'each' });
    await client.connect();
    await client.query(`
      INSERT INTO users (username, password_hash) VALUES ('u', '');
      INSERT INTO graphs (name, owner_id) SELECT 'g', id FROM users;
      INSERT INTO warehouse_connections (name, type) VALUES ('m', 'pg_mirror');
      INSERT INTO metrics (graph_id, name, formula) SELECT graphs.id, n.name, 'COUNT(*)' FROM graphs, (VALUES ('a'), ('b')) AS n (name)`);
    const stored = [binding({ sql: 'SELECT 1 FROM mirror.t' }), binding({ schema: 'mirror', table: 't' })];
    for (const [index, each] of stored.entries()) {
      await client.query('INSERT INTO metric_bindings (metric_id, connection_id, binding) VALUES ($1, 1, $2)', [index + 1, each]);
    }
    await source.runMigrations({ transaction: 'each' });
    expect(await sources()).toEqual([binding({ schema: 'mirror', sql: 'SELECT 1 FROM mirror.t' }), stored[1]]);
    await source.undoLastMigration({ transaction: 'each' });
    expect(await sources()).toEqual(stored);
  } finally {
    await source.destroy();
    await client.end();
    await database.drop();
  }
});
