import pg from 'pg';
import { type Logger } from 'pino';
import { cloneDatabase } from '../../test/support/database.js';
import { reportServerBounds } from './report-server-bounds.js';

describe('a server that is not ours', () => {
  it('is reported with the SQL to run when temporary files have no limit, and only then', async () => {
    const database = await cloneDatabase();
    const warnings: unknown[] = [];
    const log = { warn: (facts: unknown, text: string) => warnings.push([facts, text]) } as unknown as Logger;
    const report = async (): Promise<void> => {
      const client = new pg.Client(database.url);
      await client.connect();
      await reportServerBounds(client, log);
      await client.end();
    };
    try {
      await report();
      expect(warnings).toEqual([]);
      const superuser = new pg.Client(process.env.TEST_POSTGRES_URL);
      await superuser.connect();
      await superuser.query(`ALTER DATABASE ${new pg.Client(database.url).database} SET temp_file_limit = -1`);
      await superuser.end();
      await report();
      expect(warnings).toEqual([
        [{ sql: ["ALTER SYSTEM SET temp_file_limit = '8GB'", 'SELECT pg_reload_conf()'] }, expect.stringContaining('临时文件')],
      ]);
    } finally {
      await database.drop();
    }
  });
});
