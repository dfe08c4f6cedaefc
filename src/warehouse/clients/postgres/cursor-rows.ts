import { type SqlStatement } from '../../../sql/sql-parameters.js';
import { type QueryRequest, type QueryResult } from '../warehouse.client.js';

const firstRows = 100;
const mostRows = 1_000;
/** Bytes that a batch should have, so that memory holds little of a result of wide rows. */
const batchBytes = 262_144;

const declare = (holds: boolean): string => `DECLARE result NO SCROLL CURSOR ${holds ? 'WITH HOLD ' : ''}FOR `;

/**
 * Reads a result batch by batch through a cursor of the running transaction. The first batch comes even when it is empty, for its
 * columns.
 * @param letGo ends the transaction and begins another. The server has then computed all rows and holds no snapshot and no lock for
 * them. Null reads them within the transaction
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

/** The error, with its place in the statement of the caller. */
function withoutPrefix(cause: unknown, length: number): unknown {
  const failed = cause as { position?: string };
  if (failed.position !== undefined) failed.position = String(Number(failed.position) - length);
  return cause;
}
