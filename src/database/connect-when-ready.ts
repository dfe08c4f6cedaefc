import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { type Logger } from 'pino';
import { sever } from './sever-connection.js';

/** The time to wait for a database that starts at the same time as the service. */
const startPatienceMs = 60_000;
const retryEveryMs = 500;

/**
 * Matches errors of a server that does not run yet or accepts no login yet. Waiting does not help against a refused password or a
 * missing database.
 */
const notThereYet = /^(ECONNREFUSED|ECONNRESET|ENOENT|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN|57P0[123]|53300)$/;

/** Connects to a server that may start at the same time, which it waits for one minute. */
export async function connectWhenReady(url: string, log?: Logger, options: pg.ClientConfig = {}): Promise<pg.Client> {
  for (let told = false, deadline = Date.now() + startPatienceMs; ; await sleep(retryEveryMs)) {
    const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000, ...options });
    client.on('error', () => undefined);
    try {
      await client.connect();
      return client;
    } catch (cause) {
      sever(client);
      const { code, message } = cause as { code?: string; message: string };
      const isWorthWaiting = notThereYet.test(code ?? '') || /timeout expired|Connection terminated/.test(message);
      if (!isWorthWaiting || Date.now() > deadline) throw cause;
      if (!told) log?.warn({ cause, patience_ms: startPatienceMs }, 'The database does not answer yet; waiting for it');
      told = true;
    }
  }
}
