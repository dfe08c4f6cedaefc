import { type SqlStatement } from '../../sql/sql-parameters.js';
import { selectKeys } from '../plan/compile-proof.js';
import { type BoundJoin, type MetricBinding } from '../plan/metric-binding.js';
import { type TargetDialect } from './target-dialect.js';
import { targetDialects } from './target-dialects.js';

/** The database that holds the rows of a metric, where it is not PostgreSQL. */
export interface Target {
  dialect: TargetDialect;
  /** The columns of a table that the bindings read. */
  columnsOf(schema: string, table: string): readonly { name: string; type: string }[] | undefined;
  /** A SELECT of the keys that a join's table must have once. */
  keysOf(join: BoundJoin): SqlStatement;
}

/** Null for PostgreSQL. @param bindings of one connection */
export function targetOf(bindings: readonly MetricBinding[]): Target | null {
  const [first] = bindings;
  if (!first?.dialect) return null;
  const tables = bindings.flatMap(({ fact, joins }) => [fact, ...joins]);
  return {
    dialect: targetDialects[first.dialect],
    keysOf: selectKeys,
    columnsOf: (schema, table) =>
      tables.find(({ source }) => !('sql' in source) && source.schema === schema && source.table === table)?.columns,
  };
}
