import pg from 'pg';
import { quoteIdentifier } from '../../sql/quote-identifier.js';
import { joined } from '../../text/bilingual.js';
import { cut } from '../../text/cut.js';
import { withKnownType } from '../clients/known-type.js';
import { type TableColumn, type TableDescription, type WarehouseDialect } from '../clients/warehouse.client.js';
import { nameProblem } from '../files/csv-header.js';
import { type TableReport } from './copy-report.js';

/**
 * The most left-out columns that a report names; further ones are only counted. Reports of up to 50 tables are written every second, so
 * they must be short.
 */
const mostNamed = 50;
const longestShown = 100;

const noRight = { zh: '连接的用户没有读取该列的权限', en: "the connection's user may not read it" };
const noType = { zh: '其类型没有对应的 PostgreSQL 类型', en: 'its type has no counterpart in PostgreSQL' };

/**
 * Divides the columns of a source table: those that a mirror table can have, and those that it cannot. The first of the latter are listed,
 * each with the reason.
 */
export function copiedColumns({ columns }: TableDescription): {
  kept: TableColumn[];
  leftOut: TableReport['left_out'];
  leftOutCount: number;
} {
  const kept: TableColumn[] = [];
  const leftOut: TableReport['left_out'] = [];
  for (const column of columns.map(withKnownType)) {
    const reason = column.denied ? noRight : column.type === 'other' ? noType : nameProblem(column.name);
    if (!reason) kept.push(column);
    else if (leftOut.length < mostNamed) {
      const [name, type] = [cut(column.name, longestShown), cut(column.nativeType, longestShown)];
      leftOut.push({ column: name, native_type: type, reason: joined(reason) });
    }
  }
  return { kept, leftOut, leftOutCount: columns.length - kept.length };
}

/** The list of columns in a CREATE TABLE statement. */
export function columnList(columns: readonly TableColumn[], dialect: WarehouseDialect): string {
  return columns
    .map(column => `${quoteIdentifier(column.name)} ${column.type}${isNeverNull(column, dialect) ? ' NOT NULL' : ''}`)
    .join(', ');
}

/** The most characters that are kept of a comment. The limits on copied bytes do not count comments. */
const mostOfComment = 1_000;

/** SQL statements that set the comments of a table and its columns; '' for none. `table` is quoted. */
export function commentStatements(table: string, comment: string | null, columns: readonly TableColumn[]): string {
  const on = (what: string, text: string): string =>
    `COMMENT ON ${what} IS ${pg.escapeLiteral(cut(text.replaceAll('\0', ''), mostOfComment))}`;
  return [
    ...(comment === null ? [] : [on(`TABLE ${table}`, comment)]),
    ...columns.flatMap(({ name, comment: said }) => (said === null ? [] : [on(`COLUMN ${table}.${quoteIdentifier(name)}`, said)])),
  ].join('; ');
}

/** Whether a column never has NULL. A NOT NULL date of MySQL may be 0000-00-00, which is read as NULL. */
function isNeverNull({ nullable, type }: TableColumn, dialect: WarehouseDialect): boolean {
  return !nullable && !(dialect === 'mysql' && /^(date|timestamp)/.test(type));
}
