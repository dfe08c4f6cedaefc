import { type Socket } from 'node:net';
import type pg from 'pg';
import { AnswerTooLargeError, type AnswerSource } from '../common/errors/answer-too-large.error.js';
import { sever } from './sever-connection.js';

export interface ByteBudget {
  limitBytes: number;
  /** What is read, which decides the advice in the error. */
  source: AnswerSource;
}

/**
 * Runs statements whose results may take at most so many bytes on the wire. The bytes are counted as they arrive: node-postgres
 * holds a row until it is complete, and one row can be as large as PostgreSQL's memory. Past the budget the connection is cut,
 * which also ends the statement, for the server finds nobody to send to. The caller must then release the client with the error.
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
  // In front of the parser, so that it does not grow its buffer any more.
  stream.prependListener('data', count);
  try {
    const result = await work();
    if (received <= budget.limitBytes) return { result, bytes: received };
  } catch (error) {
    // What the cut connection said is a consequence, not the reason.
    if (received <= budget.limitBytes) throw error;
  } finally {
    stream.off('data', count);
  }
  throw new AnswerTooLargeError(budget.source, received, budget.limitBytes);
}
