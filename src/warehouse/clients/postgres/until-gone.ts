import { type PoolClient } from 'pg';
import { setTimeout as sleep } from 'node:timers/promises';
import { type WatchedPool } from '../../../database/watched-pool.js';
import { frame, withWatch } from './frame.js';

const askedFirstMs = 1_000;
const askedLaterMs = 30_000;
/** The time without an answer after which a server counts as having ended the statement. */
const longestUnansweredMs = 3_600_000;

/**
 * Resolves once the server has ended the statement of a connection that was cut, however long that takes. For example, a server cannot
 * interrupt the comparison of two long texts. The session is identified by its process id and its start, because the server may give the id
 * to a later session. The server is asked every second at first and every 30 s later, each time on a connection that is released at once. A
 * query that fails, for example because no connection is free, is repeated. Never rejects. A server that gives no answer for an hour, or
 * whose pool has ended, counts as having ended the statement.
 */
export async function untilGone(pool: WatchedPool, cut: PoolClient): Promise<void> {
  const { processID } = cut as unknown as { processID: number };
  let begun: string | null = null;
  let answeredAt = performance.now();
  for (let pauseMs = askedFirstMs; !pool.ending; pauseMs = Math.min(pauseMs * 1.2, askedLaterMs)) {
    const session = await pool.connect().then(client => sessionAtWork(client, processID), () => undefined); // prettier-ignore
    if (session === null || (session && begun !== null && session.begun !== begun)) return;
    if (session) [begun, answeredAt] = [session.begun, performance.now()];
    else if (performance.now() - answeredAt > longestUnansweredMs) return;
    await sleep(pauseMs, undefined, { ref: false });
  }
}

/** The start of the session that runs a statement under this process id. Null if no session does, undefined if the query fails. */
async function sessionAtWork(client: PoolClient, processId: number): Promise<{ begun: string | null } | null | undefined> {
  try {
    const { rows } = await withWatch(client, 0, () =>
      frame(
        client,
        `SELECT backend_start::text AS begun FROM pg_stat_activity WHERE pid = ${Number(processId)} AND coalesce(state, 'active') = 'active'`,
      ),
    );
    client.release(true);
    return (rows[0] as { begun: string | null } | undefined) ?? null;
  } catch (cause) {
    client.release(cause as Error);
    return undefined;
  }
}
