import { quoteIdentifier } from '../../sql/quote-identifier.js';
import { parsedValue } from './column-sql.js';
import { type RowsSql } from './source-sql.js';
import { showingCount } from './shown-count.js';
import { type SourceFamily } from './source-type.js';
import { type SqlBuilder } from './sql-builder.js';
import { type SourceShape, type Target, sourceAlias } from './target.js';

/**
 * The innermost SELECT of a staging statement. Only this SELECT reads the source, so only it contains SQL of the mapping's author. It
 * returns every value of a row that the outer layers need, each under its own name.
 */
export class SourceRow {
  private readonly read: string[] = [];
  private readonly refs = new Map<string, string>();
  private readonly element: Target['element'];
  private readonly alias: string;

  constructor(
    private readonly sql: SqlBuilder,
    target: Target,
    private readonly shape: SourceShape,
    private readonly from: RowsSql,
    /** The name under which the statement shows how many rows it has gone through; null to show nothing. */
    private readonly counted: string | null,
  ) {
    this.element = target.element;
    this.alias = sourceAlias(target);
  }

  select(where: string): string {
    return `SELECT "#row" AS row_no${this.read.map(each => `,\n                 ${each}`).join('')}
          FROM ${this.sourceSql()} AS ${quoteIdentifier(this.alias)}${where}`;
  }

  /**
   * SQL for the source's rows with their numbers, counted from 1. Rows are numbered before any filter, so the number is the row's place in
   * the table.
   */
  private sourceSql(): string {
    const row = 'row_number() OVER ()';
    const number = this.counted === null ? row : showingCount(row, this.counted);
    return `(SELECT ${number} AS "#row", t.* FROM ${this.from(this.element.source, this.sql)} AS t)`;
  }

  whereSql(cursorFilter: string | null): string {
    const parts: string[] = [];
    if (this.element.where !== null) parts.push(this.written(this.element.where));
    if (cursorFilter !== null) parts.push(cursorFilter);
    return parts.length === 0 ? '' : `\n          WHERE ${parts.join(' AND ')}`;
  }

  /** SQL that the author of the mapping wrote, in the form in which the guard admitted it. */
  written(text: string): string {
    const guarded = this.shape.sql.get(text);
    if (!guarded) throw new Error('SQL of the mapping was not judged with its source');
    return this.sql.fragment(guarded);
  }

  /** Adds a value to the inner SELECT and returns its column name there. Equal SQL texts share one column. */
  carry(sql: string, prefix: string): string {
    const known = this.refs.get(sql);
    if (known !== undefined) return known;
    const ref = `${prefix}${this.refs.size}`;
    this.refs.set(sql, ref);
    this.read.push(`${sql} AS ${ref}`);
    return ref;
  }

  column(column: string): { sql: string; family: SourceFamily } {
    const family = this.shape.columns.get(column);
    if (family === undefined) throw new Error(`Column ${column} is not in the source`);
    return { sql: `${quoteIdentifier(this.alias)}.${quoteIdentifier(column)}`, family };
  }

  /**
   * Adds a Boolean column that is true for rows to remove from the graph. It is never NULL.
   * @returns the column's name; null if the mapping removes nothing by a column
   */
  carryGone(): string | null {
    const { deletes } = this.element;
    if (deletes.mode !== 'column') return null;
    const { sql, family } = this.column(deletes.column);
    this.read.push(`coalesce(${asText(sql, family)} = ${this.sql.bind(deletes.equals, 'text')}, false) AS gone`);
    return 'gone';
  }

  /**
   * Adds the row's cursor as a column, and returns the condition for rows from the last cursor on, less the lag. Rows without a cursor are
   * always read. Null for a target without a cursor.
   */
  carryCursor(cursorFrom: { value: string; lag: number } | null): { type: string; filter: string | null } | null {
    const { incremental } = this.element;
    if (!incremental) return null;
    const { sql, family } = this.column(incremental.cursor);
    const type = { date: 'date', datetime: 'timestamptz', int: 'bigint', bigint: 'bigint' }[incremental.type];
    // A text that cannot be read as a cursor counts as a missing cursor. Its row is then read by every run, and the rules of its column
    // report the problem.
    const { valid } = parsedValue(sql, { name: incremental.type === 'int' ? 'bigint' : incremental.type });
    const typed = family === 'text' ? `CASE WHEN ${valid} THEN ${sql}::${type} END` : `${sql}::${type}`;
    this.read.push(`${typed} AS cursor_value`);
    if (cursorFrom === null) return { type, filter: null };
    const from = this.sql.bind(cursorFrom.value, `text::${type}`);
    const lag = type === 'bigint' ? this.sql.bind(cursorFrom.lag, 'bigint') : this.sql.bind(`${cursorFrom.lag} ms`, 'interval');
    return { type, filter: `(${typed} >= ${from} - ${lag}) IS NOT FALSE` };
  }
}

export function asText(sql: string, family: SourceFamily): string {
  // A cast to text would append a netmask to an address that PostgreSQL otherwise shows without a mask.
  if (family === 'inet') return `nullif(concat(${sql}), '')`;
  return family === 'text' ? `${sql}::text` : `(${sql})::text`;
}
