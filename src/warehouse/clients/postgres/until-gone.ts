import { type PoolClient } from 'pg';
import { setTimeout as sleep } from 'node:timers/promises';
import { type WatchedPool } from '../../../database/watched-pool.js';
import { frame, withWatch } from './frame.js';

const askedFirstMs = 1_000;
const askedLaterMs = 30_000;

/**
 * Resolves once the server has ended the statement of a connection that was cut, however long that takes. The server cannot end a statement
 * at once while it, for example, compares two long texts. The session is known by its process id and its beginning, because the server may
 * give the id to another session later. The question is asked on connections that are released again at once, at first every second and
 * later every 30 s. Never rejects: a server that cannot be asked is taken to have ended the statement.
 */
export async function untilGone(pool: WatchedPool, cut: PoolClient): Promise<void> {
  const { processID } = cut as unknown as { processID: number };
  let begun: string | null = null;
  for (let pauseMs = askedFirstMs; ; pauseMs = Math.min(pauseMs * 1.2, askedLaterMs)) {
    const active = await pool.connect().then(client => sessionAtWork(client, processID), () => null); // prettier-ignore
    if (active === null || (begun !== null && active.begun !== begun)) return;
    begun = active.begun;
    await sleep(pauseMs, undefined, { ref: false });
  }
}

/** The beginning of the session that runs a statement under this process id; null if none does or the server does not answer. */
async function sessionAtWork(client: PoolClient, processId: number): Promise<{ begun: string | null } | null> {
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
    return null;
  }
}
