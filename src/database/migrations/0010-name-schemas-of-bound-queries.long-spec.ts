import { withUndone } from '../../../test/support/undone-migration.js';
import { NameSchemasOfBoundQueries1700000000010 } from './0010-name-schemas-of-bound-queries.js';

it('names the schema of a bound query, takes it back, and changes nothing else of a binding', () =>
  withUndone(NameSchemasOfBoundQueries1700000000010, async ({ client, run, undo }) => {
    const sources = async (): Promise<unknown[]> =>
      (await client.query(`SELECT binding FROM metric_bindings ORDER BY metric_id`)).rows.map(row => row.binding);
    const binding = (bound: object) => ({ source: { relation: {} }, bound: { fact: { alias: 'q', source: bound }, joins: [] } });
    await client.query(`
      INSERT INTO users (username, password_hash) VALUES ('u', '');
      INSERT INTO graphs (name, owner_id) SELECT 'g', id FROM users;
      INSERT INTO warehouse_connections (name, type) VALUES ('m', 'pg_mirror');
      INSERT INTO metrics (graph_id, name, formula) SELECT graphs.id, n.name, 'COUNT(*)' FROM graphs, (VALUES ('a'), ('b')) AS n (name)`);
    const stored = [binding({ sql: 'SELECT 1 FROM mirror.t' }), binding({ schema: 'mirror', table: 't' })];
    for (const [index, each] of stored.entries()) {
      await client.query('INSERT INTO metric_bindings (metric_id, connection_id, binding) VALUES ($1, 1, $2)', [index + 1, each]);
    }
    await run();
    expect(await sources()).toEqual([binding({ schema: 'mirror', sql: 'SELECT 1 FROM mirror.t' }), stored[1]]);
    await undo();
    expect(await sources()).toEqual(stored);
  }));
