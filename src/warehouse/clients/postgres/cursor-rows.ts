import { type SqlStatement } from '../../../sql/sql-parameters.js';
import { type QueryRequest, type QueryResult } from '../warehouse.client.js';

const firstRows = 100;
const mostRows = 1_000;
/** Bytes that a batch of rows should have, so that a result of wide rows takes little memory. */
const batchBytes = 262_144;

const declare = (holds: boolean): string => `DECLARE result NO SCROLL CURSOR ${holds ? 'WITH HOLD ' : ''}FOR `;

/**
 * Reads a result batch by batch through a cursor of the running transaction. The first batch is returned even when it is empty, because it
 * has the columns.
 * @param letGo ends the transaction and begins another one. The server first computes and stores all rows (WITH HOLD), and so keeps neither
 *   a snapshot nor a lock while they are read. If null, the rows are read within the running transaction
 */
export async function* cursorRows(
  query: (statement: Pick<QueryRequest, 'sql' | 'parameters' | 'maxRows'>) => Promise<QueryResult>,
  { sql, parameters }: SqlStatement,
  letGo: (() => Promise<void>) | null,
): AsyncGenerator<QueryResult> {
  const start = declare(letGo !== null);
  await query({ sql: start + sql, parameters, maxRows: 0 }).catch((cause: unknown) => {
    throw withoutPrefix(cause, start.length);
  });
  if (letGo) await letGo();
  for (let asked = firstRows; ;) {
    const batch = await query({ sql: `FETCH ${asked} FROM result`, parameters: [], maxRows: asked });
    yield batch;
    if (batch.rows.length < asked) return;
    const fitting = Math.floor((asked * batchBytes) / Math.max(1, batch.bytes));
    asked = Math.max(1, Math.min(fitting, 2 * asked, mostRows));
  }
}

/** The error with its position counted in the caller's statement, without the DECLARE prefix. */
function withoutPrefix(cause: unknown, length: number): unknown {
  const failed = cause as { position?: string };
  if (failed.position !== undefined) failed.position = String(Number(failed.position) - length);
  return cause;
}
