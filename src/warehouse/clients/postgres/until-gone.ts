import { type PoolClient } from 'pg';
import { setTimeout as sleep } from 'node:timers/promises';
import { type WatchedPool } from '../../../database/watched-pool.js';
import { frame, withWatch } from './frame.js';

const askedFirstMs = 1_000;
const askedLaterMs = 30_000;
/** The time without an answer after which a server is taken to have ended the statement. */
const longestUnansweredMs = 3_600_000;

/**
 * Resolves once the server has ended the statement of a connection that was cut, however long that takes. The server cannot end a statement
 * at once while it, for example, compares two long texts. The session is known by its process id and its beginning, because the server may
 * give the id to another session later. The question is asked on connections that are released again at once, at first every second and
 * later every 30 s. A question that fails, such as for want of a connection, is asked again. Never rejects: a server that gives no answer for
 * an hour, or whose pool has ended, is taken to have ended the statement.
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

/** The beginning of the session that runs a statement under this process id; null if none does, undefined if the question fails. */
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
