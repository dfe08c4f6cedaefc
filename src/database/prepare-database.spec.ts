import pg from 'pg';
import { pino } from 'pino';
import { emptyDatabase } from '../../test/support/database.js';
import { migrations } from './migrations/migrations.js';
import { prepareDatabase } from './prepare-database.js';

describe('prepareDatabase', () => {
  it('runs each migration once when several instances start on one empty database', async () => {
    const database = await emptyDatabase();
    const client = new pg.Client(database.url);
    await client.connect();
    try {
      await Promise.all(Array.from({ length: 4 }, () => prepareDatabase(database.url, pino({ level: 'silent' }))));
      const { rows } = await client.query('SELECT name FROM migrations ORDER BY id');
      expect(rows.map(row => row.name)).toEqual(migrations.map(migration => migration.name));
    } finally {
      await client.end();
      await database.drop();
    }
  });
});
