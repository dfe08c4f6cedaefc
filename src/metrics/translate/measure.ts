import { type Typed } from './target-dialect.js';

/** The columns that another database gives for an aggregate, and what PostgreSQL makes of them. */
export interface Measure {
  name: string;
  columns: (Typed & { name: string })[];
  local: string;
}
