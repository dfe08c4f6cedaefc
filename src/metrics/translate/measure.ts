import { type Typed } from './target-dialect.js';

/**
 * An aggregate of a scan: the columns that another database computes, and `local`, the SQL with which PostgreSQL computes the aggregate
 * from them.
 */
export interface Measure {
  name: string;
  columns: (Typed & { name: string })[];
  local: string;
}
