import { type PoolClient, type QueryResult } from 'pg';
import { withinBytes } from '../../../database/byte-budget.js';
import { sever } from '../../../database/sever-connection.js';
import { WarehouseTimeoutError } from '../../warehouse.errors.js';

/** Time in ms that a server may exceed a statement's time limit before the connection is cut. */
export const graceMs = 3_000;
/** The most bytes of an answer to BEGIN or ROLLBACK, including notices. */
const frameMaxBytes = 1_048_576;

/**
 * Runs a short statement before or after the reads, such as BEGIN. Its answer is held in memory, so a dishonest server must not make it
 * long.
 */
export async function frame(client: PoolClient, sql: string): Promise<QueryResult> {
  return (await withinBytes(client, { limitBytes: frameMaxBytes, source: 'rows' }, () => client.query(sql))).result;
}

/** Gives the connection back to its pool once the server has ended the transaction. Never rejects. */
export async function rollBack(client: PoolClient, sql: string): Promise<void> {
  const failure = await withWatch(client, 0, () => frame(client, sql)).then(() => false, (cause: Error) => cause); // prettier-ignore
  client.release(failure);
}

/**
 * Does work on a connection. Cuts the connection `graceMs` after the time limit, because a server that has not ended the work by then has
 * stopped answering.
 */
export async function withWatch<T>(client: PoolClient, limitMs: number, work: () => Promise<T>): Promise<T> {
  let isCut = false;
  const cut = (): void => {
    isCut = true;
    sever(client);
  };
  const timer = setTimeout(cut, Math.min(limitMs + graceMs, 2_147_483_647));
  try {
    return await work();
  } catch (cause) {
    throw isCut ? new WarehouseTimeoutError(limitMs, cause) : cause;
  } finally {
    clearTimeout(timer);
  }
}
