import { nearestName } from '../../text/nearest-name.js';
import { ColumnDeniedError, ColumnNotFoundError, TableNotFoundError, UnreadableColumnError } from '../warehouse.errors.js';
import { type RowsRequest, type TableColumn, type TableDescription } from './warehouse.client.js';

/**
 * The descriptions of the columns that a reading requests, in the order of the request.
 * @throws TableNotFoundError, ColumnNotFoundError, ColumnDeniedError, UnreadableColumnError
 */
export function readableColumns(description: TableDescription | null, { table, columns, since }: RowsRequest): TableColumn[] {
  if (!description) throw new TableNotFoundError();
  const byName = new Map(description.columns.map(column => [column.name, column]));
  const readable = (name: string): TableColumn => {
    const column = byName.get(name);
    if (!column) throw new ColumnNotFoundError(table, name, nearestName(name, [...byName.keys()]));
    if (column.denied) throw new ColumnDeniedError(table, name);
    if (column.type === 'other') throw new UnreadableColumnError(table, name, column.nativeType);
    return column;
  };
  if (since) readable(since.column);
  return columns.map(readable);
}
