import { mapInTurns } from '../../../common/turns/pace.js';
import { withIsoYear } from '../../../text/iso-years.js';
import { WarehouseQueryError } from '../../warehouse.errors.js';
import { type QueryResult } from '../warehouse.client.js';
import { RowDocuments } from '../read-document.js';
import { toIsoTime } from '../postgres/wire-types.js';
import { type QueryAnswer, type Row } from './protocol.js';

/** Turns the texts that PostgreSQL would write into the values that every client gives. */
export async function toQueryResult({ columns, rows, truncated, bytes }: QueryAnswer): Promise<QueryResult> {
  const documents = new RowDocuments();
  const parsers = columns.map(({ type }) => parserOf(type, documents));
  const parse = (row: Row): unknown[] => {
    documents.nextRow();
    return row.map((text, index) => (text === null ? null : parsers[index]!(text)));
  };
  return { columns, rows: await mapInTurns(rows, parse), truncated, bytes };
}

function parserOf(type: string, documents: RowDocuments): (text: string) => unknown {
  switch (type) {
    case 'boolean':
      return text => text === 'true';
    case 'smallint':
    case 'integer':
      return Number;
    case 'real':
    case 'double precision':
      return text => (Number.isFinite(Number(text)) ? Number(text) : text);
    case 'date':
      return withIsoYear;
    case 'timestamp':
    case 'timestamptz':
      return toIsoTime;
    case 'json':
    case 'jsonb':
      return text => parseJson(text, documents);
    default:
      return text => text;
  }
}

/**
 * Parses a JSON value. A value that holds a NaN is not valid JSON; it is shown as DuckDB writes it, and so is a value that is nested too
 * deeply. @throws ValueTooDetailedError
 */
function parseJson(text: string, documents: RowDocuments): unknown {
  try {
    return documents.read(text);
  } catch (error) {
    if (error instanceof WarehouseQueryError) return text;
    throw error;
  }
}
