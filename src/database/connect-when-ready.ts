import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { type Logger } from 'pino';
import { sever } from './sever-connection.js';

/** Milliseconds for which the service waits for a database that starts at the same time. */
const startPatienceMs = 60_000;
const retryEveryMs = 500;

/**
 * Matches the error codes of a server that does not run yet or does not accept logins yet. A refused password and a missing database are
 * left out, because waiting does not help against them.
 */
const notThereYet = /^(ECONNREFUSED|ECONNRESET|ENOENT|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN|57P0[123]|53300)$/;

/** Connects to a server, and waits up to one minute for a server that is still starting. */
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
