import { setTimeout as pause } from 'node:timers/promises';
import { type PoolClient } from 'pg';
import { inLockOrder } from '../../sql/quote-identifier.js';
import { sqlstates, sqlstateOf } from '../../sql/sqlstate.js';

const waitForReadersMs = 60_000;
const betweenAskingMs = 1_000;
/**
 * Time in ms that a short attempt waits for a table's lock. New readers queue behind a waiting attempt, so attempts are short and repeated.
 */
export const askForTableMs = 200;
/** Time in ms that the one patient attempt of `dropBetweenReaders` waits beyond the longest read. */
const spareMs = 5_000;

export interface ReplacePatience {
  /** The longest time in ms that a read of a metric or a look-up may take. */
  longestReadMs: number;
  /** The time in ms after which the function stops trying, if a table is still read. */
  waitMs?: number;
}

/** Keeps others from loading the table until the transaction ends. The call waits for the lock as long as `lock_timeout` allows. */
export async function lockMirrorTable(client: PoolClient, table: string): Promise<void> {
  await client.query("SELECT pg_advisory_xact_lock(hashtextextended('mirror.' || $1, 0))", [table]);
}

/**
 * Drops tables at a moment in which nobody reads them. The names are quoted. Attempts are short at first, because new readers wait behind
 * an attempt.
 * If reads overlap all the time, there is no such moment. So after the time of the longest read, one patient attempt waits until all
 * running reads must have ended. New readers wait behind it, and those who cannot wait get `TableBeingReplacedError`. The patient attempt
 * is left out if a transaction that read a table at the beginning still does, such as a run or a backup: it would only hold up the others.
 * Readers and this function lock tables in the order of `inLockOrder`, so that they cannot deadlock.
 * @throws the lock time-out if a table is still read after `waitMs`, for example by a run, which may take an hour
 */
export async function dropBetweenReaders(
  client: PoolClient,
  names: readonly string[],
  { longestReadMs, waitMs = waitForReadersMs }: ReplacePatience,
): Promise<void> {
  const startedAt = performance.now();
  const first = await readersOf(client, names);
  for (let mayWait = true; ;) {
    const isDue = mayWait && performance.now() > startedAt + Math.min(longestReadMs, waitMs);
    const isPatient = isDue && !(await readersOf(client, names)).some(reader => first.includes(reader));
    if (isDue) mayWait = false;
    await client.query('SAVEPOINT before_drop');
    try {
      const found = await existing(client, names);
      await lockAll(client, found, isPatient ? longestReadMs + spareMs : askForTableMs);
      if (found.length > 0) await client.query(`DROP TABLE ${found.join(', ')}`);
      return;
    } catch (error) {
      if (!isInUse(error) || (!mayWait && performance.now() > startedAt + waitMs)) throw error;
      await client.query('ROLLBACK TO SAVEPOINT before_drop');
      await pause(betweenAskingMs);
    }
  }
}

/** Locks the tables against readers, one after the other. `waitMs` bounds the wait for all of them together. */
async function lockAll(client: PoolClient, names: readonly string[], waitMs: number): Promise<void> {
  const until = performance.now() + waitMs;
  for (const name of names) {
    // Only the lock time-out bounds the wait: a shorter statement time-out would end it early.
    await client.query(
      `SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = ${Math.max(askForTableMs, Math.ceil(until - performance.now()))}`,
    );
    await client.query(`LOCK TABLE ${name} IN ACCESS EXCLUSIVE MODE`);
  }
}

/** The other transactions that hold a lock on any of the tables. Each has an identifier that no later transaction gets. */
async function readersOf(client: PoolClient, names: readonly string[]): Promise<string[]> {
  const { rows } = await client.query<{ reader: string }>(
    `SELECT DISTINCT pid || ' ' || virtualtransaction AS reader FROM pg_locks
     WHERE locktype = 'relation' AND granted AND pid <> pg_backend_pid() AND relation = ANY (SELECT to_regclass(name) FROM unnest($1::text[]) AS n (name))`,
    [names],
  );
  return rows.map(({ reader }) => reader);
}

async function existing(client: PoolClient, names: readonly string[]): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    'SELECT name FROM unnest($1::text[]) AS n (name) WHERE to_regclass(name) IS NOT NULL',
    [names],
  );
  return inLockOrder(rows.map(({ name }) => name));
}

/** True for a table that somebody else uses, or has just dropped. */
function isInUse(error: unknown): boolean {
  const inUse: string[] = [sqlstates.lockNotAvailable, sqlstates.deadlockDetected, sqlstates.undefinedTable];
  return inUse.includes(sqlstateOf(error));
}

export function isLockTimeout(error: unknown): boolean {
  return sqlstateOf(error) === sqlstates.lockNotAvailable;
}
