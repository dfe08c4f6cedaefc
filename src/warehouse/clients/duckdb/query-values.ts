import { mapInTurns } from '../../../common/turns/pace.js';
import { withIsoYear } from '../../../text/iso-years.js';
import { WarehouseQueryError } from '../../warehouse.errors.js';
import { type QueryResult } from '../warehouse.client.js';
import { RowDocuments } from '../read-document.js';
import { toIsoTime } from '../postgres/wire-types.js';
import { type QueryAnswer, type Row } from './protocol.js';

/** Converts the texts of an answer, in PostgreSQL's spelling, into the values that the clients of all databases return. */
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
 * Parses a JSON value. A text that is not valid JSON, such as one with NaN, or that is nested too deeply, is returned as DuckDB writes it.
 * @throws ValueTooDetailedError
 */
function parseJson(text: string, documents: RowDocuments): unknown {
  try {
    return documents.read(text);
  } catch (error) {
    if (error instanceof WarehouseQueryError) return text;
    throw error;
  }
}
