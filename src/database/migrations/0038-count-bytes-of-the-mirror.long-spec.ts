import { withUndone } from '../../../test/support/undone-migration.js';
import { CountBytesOfTheMirror1700000000038 } from './0038-count-bytes-of-the-mirror.js';

it('counts the bytes of the tables that are there, and nobody as who loaded them', () =>
  withUndone(CountBytesOfTheMirror1700000000038, async ({ client, run }) => {
    await client.query(`CREATE TABLE mirror."A b" AS SELECT 1 AS id; INSERT INTO mirror_tables (name) VALUES ('A b'), ('gone')`);
    await run();
    const { rows } = await client.query('SELECT name, bytes::int, loaded_by FROM mirror_tables ORDER BY name');
    expect(rows).toEqual([
      { name: 'A b', bytes: 8_192, loaded_by: null },
      { name: 'gone', bytes: 0, loaded_by: null },
    ]);
  }));
