import { type PoolClient } from 'pg';
import { setTimeout as sleep } from 'node:timers/promises';
import { type WatchedPool } from '../../../database/watched-pool.js';
import { frame, withWatch } from './frame.js';

const askedEveryMs = 1_000;
/** The longest wait in ms. After so long the server may have given the process id to another process. */
const longestMs = 3_600_000;

/**
 * Resolves once the server has ended the statement of a connection that was cut. The server cannot end a statement at once while it, for
 * example, compares two long texts. The question is asked on connections that are released again at once. Never rejects: a server that
 * cannot be asked is taken to have ended the statement.
 */
export async function untilGone(pool: WatchedPool, cut: PoolClient): Promise<void> {
  const { processID } = cut as unknown as { processID: number };
  for (
    const startedAt = performance.now();
    performance.now() - startedAt < longestMs;
    await sleep(askedEveryMs, undefined, { ref: false })
  ) {
    const isActive = await pool.connect().then(client => isAtWork(client, processID), () => false); // prettier-ignore
    if (!isActive) return;
  }
}

async function isAtWork(client: PoolClient, processId: number): Promise<boolean> {
  try {
    const { rowCount } = await withWatch(client, 0, () =>
      frame(client, `SELECT FROM pg_stat_activity WHERE pid = ${Number(processId)} AND coalesce(state, 'active') = 'active'`),
    );
    client.release(true);
    return rowCount === 1;
  } catch (cause) {
    client.release(cause as Error);
    return false;
  }
}
