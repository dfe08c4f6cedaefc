import { quoteTable } from '../../sql/quote-identifier.js';
import { type ElementSource } from '../mapping/mapping.js';
import { guardedQuery } from './guarded-query.js';
import { type SqlBuilder } from './sql-builder.js';

/** Returns the SQL for the rows of a target's source, for use after FROM. @throws UnsafeFilterClauseError */
export type SourceSql = (source: ElementSource) => string;

/** The same for rows that the statement itself may bring along as parameters. */
export type RowsSql = (source: ElementSource, sql: SqlBuilder) => string;

/** The SQL for tables of a schema of the service's own database, which are read without copying them. */
export function sourceInSchema(schema: string): SourceSql {
  return source => (source.kind === 'table' ? quoteTable(schema, source.table) : `(\n${guardedQuery(source, schema).text}\n)`);
}
