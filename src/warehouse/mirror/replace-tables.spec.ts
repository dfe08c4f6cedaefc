import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { cloneDatabase, type TestDatabase } from '../../../test/support/database.js';
import { dropBetweenReaders } from './replace-tables.js';

describe('dropBetweenReaders', () => {
  let database: TestDatabase;
  let pool: pg.Pool;
  beforeAll(async () => {
    database = await cloneDatabase();
    pool = new pg.Pool({ connectionString: database.url, max: 3 });
  });
  afterAll(async () => {
    await pool.end();
    await database.drop();
  });

  /** Locks the table for reading again and again, for 400 ms each time, until it is gone. */
  async function readUntilGone(table: string): Promise<string> {
    const client = await pool.connect();
    try {
      for (;;) {
        await client.query(`BEGIN; LOCK TABLE ${table} IN ACCESS SHARE MODE`);
        await sleep(400);
        await client.query('COMMIT');
      }
    } catch (error) {
      await client.query('ROLLBACK');
      return (error as { code: string }).code;
    } finally {
      client.release();
    }
  }

  it('drops a table whose readers overlap for ever, and lets them wait until then', async () => {
    await pool.query('CREATE TABLE mirror.read_always (n int)');
    const first = readUntilGone('mirror.read_always');
    await sleep(200);
    const second = readUntilGone('mirror.read_always');
    await sleep(100);
    const client = await pool.connect();
    await client.query('BEGIN');
    await dropBetweenReaders(client, ['"mirror"."read_always"', '"mirror"."never_there"'], { longestReadMs: 20_000, waitMs: 1_500 });
    await client.query('COMMIT');
    client.release();
    expect(await Promise.all([first, second])).toEqual(['42P01', '42P01']);
  });

  it('gives up a table that a reader keeps for longer than a read may take', async () => {
    await pool.query('CREATE TABLE mirror.kept (n int)');
    const [reader, client] = [await pool.connect(), await pool.connect()];
    await reader.query('BEGIN; LOCK TABLE mirror.kept IN ACCESS SHARE MODE');
    await client.query('BEGIN');
    const dropped = dropBetweenReaders(client, ['"mirror"."kept"'], { longestReadMs: 0, waitMs: 500 });
    await expect(dropped).rejects.toMatchObject({ code: '55P03' });
    for (const each of [client, reader]) {
      await each.query('ROLLBACK');
      each.release();
    }
  });
});
