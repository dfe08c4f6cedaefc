import { randomBytes } from 'node:crypto';
import { sqlstates } from '../../../sql/sqlstate.js';
import { WarehouseQueryError } from '../../warehouse.errors.js';
import { type RowsRequest, type TableColumn } from '../warehouse.client.js';
import { isNullable } from './native-type.js';
import { quoteName } from './quote-name.js';
import { readableTypeOf } from './readable-type.js';

/** Marker in the error text that the server raises for an unfit value; the index of the column follows it. */
export const unfit = 'graph-service: unfit value of column ';

/**
 * The statement that reads rows in PostgreSQL's text format of COPY. Its only parameter is `since`.
 * @throws WarehouseQueryError if the column of `since` has a type without an order
 */
export function readingSql(
  database: string,
  { table, since }: RowsRequest,
  columns: TableColumn[],
  nativeTypes: Map<string, string>,
): string {
  // If an alias and a column have the same name, ClickHouse uses the alias. A random part keeps the aliases apart from all columns.
  const own = randomBytes(6).toString('hex');
  const read = columns.map(({ name, nativeType }, index) => {
    const type = readableTypeOf(nativeType);
    const alias = `c${index}_${own}`;
    const refusal = type.unfit && `ifNull(${type.unfit(alias)}, 0)`;
    return {
      inside: `${type.read(quoteName(name))} AS ${alias}`,
      outside: refusal ? `if(${refusal}, toString(throwIf(${refusal}, '${unfit}${index}')), ${alias})` : alias,
    };
  });
  const where = since?.value == null ? '' : ` WHERE ${sinceCondition(since.column, nativeTypes.get(since.column)!)}`;
  return `SELECT ${read.map(column => column.outside).join(', ')}
    FROM (SELECT ${read.map(column => column.inside).join(', ')} FROM ${quoteName(database)}.${quoteName(table)}${where})`;
}

function sinceCondition(name: string, nativeType: string): string {
  const { since } = readableTypeOf(nativeType);
  if (!since) {
    const reason = { zh: '这一类型的列没有先后次序', en: 'the values of a column of this type have no order' };
    throw new WarehouseQueryError(reason, sqlstates.datatypeMismatch, null, undefined);
  }
  const column = quoteName(name);
  const also = [...(since.also ? [since.also(column)] : []), ...(isNullable(nativeType) ? [`isNull(${column})`] : [])];
  return [`${since.left(column)} >= ${since.right}`, ...also].join(' OR ');
}
