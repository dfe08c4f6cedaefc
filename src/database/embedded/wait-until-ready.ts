import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { sqlstateOf, sqlstates } from '../../sql/sqlstate.js';

const startTimeoutMs = 60_000;

/**
 * Resolves when the server accepts connections. A server that reports that it is starting (57P03) may take any time: after a crash it
 * replays its write-ahead log, and giving up would make it replay the log from the beginning at the next start.
 * @throws the error that `failed` returns, or the error of the last attempt after `patienceMs`
 */
export async function waitUntilReady(url: string, failed: () => Error | undefined, patienceMs = startTimeoutMs): Promise<void> {
  for (const deadline = Date.now() + patienceMs; ; await sleep(15)) {
    const failure = failed();
    if (failure) throw failure;
    const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2000 });
    client.on('error', () => undefined);
    try {
      await client.connect();
      await client.end();
      return;
    } catch (error) {
      if (Date.now() > deadline && sqlstateOf(error) !== sqlstates.cannotConnectNow) throw error;
    }
  }
}
