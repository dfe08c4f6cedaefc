import { type Socket } from 'node:net';
import type pg from 'pg';

/**
 * Cuts a connection without a word to the server. `end()` would wait for one that does not answer; whatever waits on the
 * connection fails at once.
 */
export function sever(client: pg.ClientBase): void {
  (client as unknown as { connection: { stream: Socket } }).connection.stream.destroy();
}

/** Whether statements of this connection are still without an answer; such a one must not go back into a pool. */
export function isBusy(client: pg.ClientBase): boolean {
  const { _activeQuery, _queryQueue } = client as unknown as { _activeQuery: unknown; _queryQueue: unknown[] };
  return Boolean(_activeQuery) || _queryQueue.length > 0;
}
