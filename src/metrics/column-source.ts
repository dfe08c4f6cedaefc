import { type BoundColumn, type MetricBinding } from './plan/metric-binding.js';

/** A column of a table of a connection. */
export interface ColumnSource {
  connection_id: number;
  table: string;
  column: string;
}

const name = '(?:"((?:[^"]|"")+)"|(\\p{L}[\\p{L}\\p{N}_]*))';
const column = new RegExp(`^${name}\\.${name}$`, 'u');

/** The table column behind a column of a binding. Null for an expression that is not a bare column, and for a column of a query. */
export function sourceOf({ expression }: BoundColumn, { connection_id, fact, joins }: MetricBinding): ColumnSource | null {
  const parts = column.exec(expression);
  if (!parts) return null;
  const [alias, own] = [parts[1] ?? parts[2], parts[3] ?? parts[4] ?? ''];
  const read = [fact, ...joins].find(each => each.alias === alias);
  return read && 'table' in read.source ? { connection_id, table: read.source.table, column: own.replaceAll('""', '"') } : null;
}
