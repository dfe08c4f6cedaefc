import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { cloneDatabase, type TestDatabase } from '../../../test/support/database.js';
import { askForTableMs, dropBetweenReaders } from './replace-tables.js';

describe('dropBetweenReaders', () => {
  let database: TestDatabase;
  let pool: pg.Pool;
  beforeAll(async () => {
    database = await cloneDatabase();
    pool = new pg.Pool({ connectionString: database.url, max: 4 });
  });
  afterAll(async () => {
    await pool.end();
    await database.drop();
  });

  /** Whether a `dropBetweenReaders` has waited for the table for this time. */
  async function isTried(table: string, forMs: number): Promise<boolean> {
    const { rowCount } = await pool.query(
      `SELECT FROM pg_locks WHERE relation = $1::regclass AND mode = 'AccessExclusiveLock' AND NOT granted
       AND waitstart <= clock_timestamp() - make_interval(secs => $2)`,
      [table, forMs / 1000],
    );
    return rowCount! > 0;
  }

  /** Reads the table in two sessions in turn, so that one of them has it at any moment. Each attempt to drop it meets another reader. */
  async function readWithoutPause(table: string, { signal }: AbortController): Promise<{ error: Promise<{ code: string }> }> {
    const sessions = [await pool.connect(), await pool.connect()] as const;
    const read = (session: pg.PoolClient) => session.query(`BEGIN; LOCK TABLE ${table} IN ACCESS SHARE MODE`);
    await read(sessions[0]);
    async function takeTurns(): Promise<never> {
      for (let [reader, next] = sessions; ; [reader, next] = [next, reader]) {
        while (!(await isTried(table, 0))) await sleep(10, null, { signal });
        let isTaken = false;
        // A short attempt ends before the next reader gets the table. A patient one has to see that the former reader leaves.
        const taken = read(next).finally(() => (isTaken = true));
        taken.catch(() => undefined);
        while (!isTaken && !(await isTried(table, 2 * askForTableMs))) await sleep(10);
        await reader.query('COMMIT');
        await taken;
      }
    }
    const error = takeTurns().catch(async (thrown: { code: string }) => {
      for (const session of sessions) {
        await session.query('ROLLBACK');
        session.release();
      }
      return thrown;
    });
    return { error };
  }

  it('drops a table whose readers overlap for ever, and lets them wait until then', async () => {
    await pool.query('CREATE TABLE mirror.read_always (n int)');
    const failed = new AbortController();
    const { error } = await readWithoutPause('mirror.read_always', failed);
    const client = await pool.connect();
    await client.query('BEGIN');
    await dropBetweenReaders(client, ['"mirror"."read_always"', '"mirror"."never_there"'], { longestReadMs: 20_000, waitMs: 1_500 })
      .finally(() => client.query('COMMIT'))
      .catch((thrown: Error) => {
        failed.abort();
        throw thrown;
      })
      .finally(() => client.release());
    expect((await error).code).toBe('42P01');
    await expect(pool.query('TABLE mirror.read_always')).rejects.toMatchObject({ code: '42P01' });
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
