import { type Target } from '../translate/target-dialect.js';
import { targetDialects } from '../translate/target-dialects.js';
import { MixedConnectionsError } from '../metrics.errors.js';
import { type MetricBinding } from './metric-binding.js';

/** The id of the connection of all bindings; 0 without bindings. @throws MixedConnectionsError */
export function connectionOf([first, ...others]: readonly MetricBinding[]): number {
  const id = first?.connection_id ?? 0;
  if (others.some(each => each.connection_id !== id)) throw new MixedConnectionsError();
  return id;
}

/** The database that holds the rows of bindings of one connection. Null for PostgreSQL. */
export function targetOf(bindings: readonly MetricBinding[]): Target | null {
  const [first] = bindings;
  if (!first?.dialect) return null;
  const tables = bindings.flatMap(({ fact, joins }) => [fact, ...joins]);
  return {
    dialect: targetDialects[first.dialect],
    columnsOf: (schema, table) =>
      tables.find(({ source }) => !('sql' in source) && source.schema === schema && source.table === table)?.columns,
  };
}
