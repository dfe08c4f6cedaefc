import { type Socket } from 'node:net';
import type pg from 'pg';

/**
 * Cuts a connection without telling the server. Everything that waits on the connection fails at once; `end()` would wait for a
 * server that does not answer.
 */
export function sever(client: pg.ClientBase): void {
  (client as unknown as { connection: { stream: Socket } }).connection.stream.destroy();
}

/** Whether a statement of this connection is still unanswered. Such a connection must not go back into a pool. */
export function isBusy(client: pg.ClientBase): boolean {
  const { _activeQuery, _queryQueue } = client as unknown as { _activeQuery: unknown; _queryQueue: unknown[] };
  return Boolean(_activeQuery) || _queryQueue.length > 0;
}
