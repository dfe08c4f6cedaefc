import { type Socket } from 'node:net';
import type pg from 'pg';
import { AnswerTooLargeError, type AnswerSource } from '../common/errors/answer-too-large.error.js';
import { sever } from './sever-connection.js';

export interface ByteBudget {
  limitBytes: number;
  /** The kind of thing being read, which decides the advice in the error. */
  source: AnswerSource;
}

/**
 * Runs statements whose results may take at most `limitBytes` on the wire. Bytes are counted as they arrive: node-postgres holds a row
 * until it is complete, and one row can be as large as PostgreSQL's memory. Beyond the limit the connection is cut, and the server ends the
 * statement because its client is gone. The caller must then release the client with the error.
 * @throws AnswerTooLargeError
 */
export async function withinBytes<T>(
  client: pg.ClientBase,
  budget: ByteBudget,
  work: () => Promise<T>,
): Promise<{ result: T; bytes: number }> {
  const { stream } = (client as unknown as { connection: { stream: Socket } }).connection;
  let received = 0;
  const count = (chunk: Buffer): void => {
    received += chunk.length;
    if (received > budget.limitBytes) sever(client);
  };
  // The count runs before the parser, so that the parser's buffer stops growing at the limit.
  stream.prependListener('data', count);
  try {
    const result = await work();
    if (received <= budget.limitBytes) return { result, bytes: received };
  } catch (error) {
    // Beyond the limit, the error is only a consequence of the cut connection, so AnswerTooLargeError replaces it.
    if (received <= budget.limitBytes) throw error;
  } finally {
    stream.off('data', count);
  }
  throw new AnswerTooLargeError(budget.source, received, budget.limitBytes);
}
