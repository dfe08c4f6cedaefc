import { withUndone } from '../../../test/support/undone-migration.js';
import { GiveMirrorTablesVersions1700000000016 } from './0016-give-mirror-tables-versions.js';

it('gives each table of the mirror that exists a version of its own', () =>
  withUndone(GiveMirrorTablesVersions1700000000016, async ({ client, run }) => {
    await client.query('CREATE TABLE mirror.b (id int); CREATE TABLE mirror."A b" (id int PRIMARY KEY)');
    await run();
    const { rows } = await client.query('SELECT name, version::int FROM mirror_tables ORDER BY version');
    expect(rows).toEqual([
      { name: 'A b', version: 1 },
      { name: 'b', version: 2 },
    ]);
  }));
