import { checkDetail } from '../../../common/json/check-detail.js';
import { parseExactJson } from '../../../common/json/parse-exact-json.js';
import { type QueryResult } from '../warehouse.client.js';
import { toIsoTime } from '../postgres/wire-types.js';
import { type QueryAnswer } from './protocol.js';

/** Values as every client gives them, from the texts that PostgreSQL would write. */
export function toQueryResult({ columns, rows, truncated, bytes }: QueryAnswer): QueryResult {
  const parsers = columns.map(({ type }) => parserOf(type));
  return { columns, rows: rows.map(row => row.map((text, index) => (text === null ? null : parsers[index]!(text)))), truncated, bytes };
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

/** A NaN inside of a value of DuckDB is no JSON, and is shown as it is written. @throws ValueTooDetailedError */
function parseJson(text: string): unknown {
  checkDetail(text);
  try {
    return parseExactJson(text);
  } catch {
    return text;
  }
}
