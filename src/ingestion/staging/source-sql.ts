import { quoteTable } from '../../sql/quote-identifier.js';
import { type ElementSource } from '../mapping/mapping.js';
import { guardedQuery } from './guarded-query.js';

/** SQL for the rows of a target's source, to stand behind FROM. @throws UnsafeFilterClauseError */
export type SourceSql = (source: ElementSource) => string;

/** The tables of a schema of the service's own database, where they are. */
export function sourceInSchema(schema: string): SourceSql {
  return source => (source.kind === 'table' ? quoteTable(schema, source.table) : `(\n${guardedQuery(source, schema).text}\n)`);
}
