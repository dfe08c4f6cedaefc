import { withUndone } from '../../../test/support/undone-migration.js';
import { createGraphTables } from '../graph-tables.js';
import { CountBytesOfGraphs1700000000040 } from './0040-count-bytes-of-graphs.js';

it('counts the bytes of the graphs that are there, each for itself', () =>
  withUndone(CountBytesOfGraphs1700000000040, async ({ client, run }) => {
    await client.query(`INSERT INTO users (username, password_hash) VALUES ('u', '')`);
    await client.query(`INSERT INTO graphs (name, owner_id) SELECT 'g' || i, users.id FROM users, generate_series(1, 11) AS i`);
    await client.query(`${createGraphTables(1)}; ${createGraphTables(11)}`);
    await client.query(
      `INSERT INTO graph_data.nodes_11 (label, key, display, run_id) SELECT 'A', i, 'a', 1 FROM generate_series(1, 10000) AS i`,
    );
    await run();
    const { rows } = await client.query('SELECT bytes::int FROM graphs WHERE id IN (1, 11) ORDER BY id');
    expect(rows[0].bytes).toBeLessThan(200_000);
    expect(rows[1].bytes).toBeGreaterThan(1_000_000);
  }));
