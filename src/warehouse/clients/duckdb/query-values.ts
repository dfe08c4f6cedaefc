import { mapInTurns } from '../../../common/turns/pace.js';
import { WarehouseQueryError } from '../../warehouse.errors.js';
import { type QueryResult } from '../warehouse.client.js';
import { readDocument } from '../read-document.js';
import { toIsoTime } from '../postgres/wire-types.js';
import { type QueryAnswer, type Row } from './protocol.js';

/** Values as every client gives them, from the texts that PostgreSQL would write. */
export async function toQueryResult({ columns, rows, truncated, bytes }: QueryAnswer): Promise<QueryResult> {
  const parsers = columns.map(({ type }) => parserOf(type));
  const parse = (row: Row): unknown[] => row.map((text, index) => (text === null ? null : parsers[index]!(text)));
  return { columns, rows: await mapInTurns(rows, parse), truncated, bytes };
}

function parserOf(type: string): (text: string) => unknown {
  switch (type) {
    case 'boolean':
      return text => text === 'true';
    case 'smallint':
    case 'integer':
      return Number;
    case 'real':
    case 'double precision':
      return text => (Number.isFinite(Number(text)) ? Number(text) : text);
    case 'timestamp':
    case 'timestamptz':
      return toIsoTime;
    case 'json':
    case 'jsonb':
      return parseJson;
    default:
      return text => text;
  }
}

/** A value with a NaN inside is no JSON. It is shown as DuckDB writes it, and so is one that is too deep. @throws ValueTooDetailedError */
function parseJson(text: string): unknown {
  try {
    return readDocument(text);
  } catch (error) {
    if (error instanceof WarehouseQueryError) return text;
    throw error;
  }
}
