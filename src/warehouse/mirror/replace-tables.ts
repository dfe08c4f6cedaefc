import { setTimeout as pause } from 'node:timers/promises';
import { type PoolClient } from 'pg';
import { sqlstates, sqlstateOf } from '../../sql/sqlstate.js';

const waitForReadersMs = 60_000;
const betweenAskingMs = 1_000;
/**
 * Time in ms that one attempt waits for a table's lock. New readers queue behind a waiting attempt, so attempts are short and repeated.
 */
export const askForTableMs = 200;

/** Keeps others from loading the table until the transaction ends. The call waits for the lock as long as `lock_timeout` allows. */
export async function lockMirrorTable(client: PoolClient, table: string): Promise<void> {
  await client.query("SELECT pg_advisory_xact_lock(hashtextextended('mirror.' || $1, 0))", [table]);
}

/**
 * Drops tables at a moment in which nobody reads any of them. The session needs a `lock_timeout`. The names are quoted.
 * @throws the lock time-out if readers leave no gap within `waitMs`
 */
export async function dropBetweenReaders(client: PoolClient, names: readonly string[], waitMs = waitForReadersMs): Promise<void> {
  const until = performance.now() + waitMs;
  for (;;) {
    await client.query('SAVEPOINT before_drop');
    try {
      await client.query(`DROP TABLE IF EXISTS ${names.join(', ')}`);
      return;
    } catch (error) {
      if (!isLockTimeout(error) || performance.now() > until) throw error;
      await client.query('ROLLBACK TO SAVEPOINT before_drop');
      await pause(betweenAskingMs);
    }
  }
}

export function isLockTimeout(error: unknown): boolean {
  return sqlstateOf(error) === sqlstates.lockNotAvailable;
}
