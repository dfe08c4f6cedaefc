import { type TableColumn, type TablePlace } from '../warehouse.client.js';
import { type Statement } from './mysql-connection.js';
import { copyNewline, copyNull, copyTab, mysqlTypeOf } from './mysql-types.js';
import { quoteMysqlIdentifier } from './quote-mysql-identifier.js';
import { sinceCondition } from './since-condition.js';

/**
 * Builds the statement that reads rows of a table. The server writes each row as one line in the text format of COPY. A row whose text
 * would be longer than max_allowed_packet comes as NULL.
 */
export function rowsStatement(
  { schema, table }: TablePlace,
  columns: readonly TableColumn[],
  since: { column: TableColumn; value: string } | null,
): Pick<Statement, 'sql' | 'parameters'> {
  const values = columns.map(({ name, nativeType }) => {
    const column = quoteMysqlIdentifier(name);
    // COALESCE is not used here: the escaped form of a text that is too long is NULL too, and must not count as a missing value.
    return `IF(${column} IS NULL, ${copyNull}, ${mysqlTypeOf(nativeType).copy(column)})`;
  });
  const line = [...values.flatMap((value, index) => (index === 0 ? [value] : [copyTab, value])), copyNewline].join(', ');
  const from = `${quoteMysqlIdentifier(schema)}.${quoteMysqlIdentifier(table)}`;
  if (!since) return { sql: `SELECT CONCAT(${line}) FROM ${from}` };
  const { sql, parameter } = sinceCondition(since.column, since.value);
  return { sql: `SELECT CONCAT(${line}) FROM ${from} WHERE ${sql}`, parameters: [parameter] };
}
