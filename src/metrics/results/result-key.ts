import { createHash } from 'node:crypto';
import { type UsableConnection } from '../../warehouse/warehouse.service.js';
import { type CheckedStatement } from '../checked-reads.js';
import { type CompiledStatement } from '../plan/sql-assembly.js';
import { type MetricBinding } from '../plan/metric-binding.js';

/** Part of every key. Raise it when a release keeps other rows for the same statements. */
const formatVersion = 2;

/** A hash of everything that the rows of a metric depend on, except the data. */
export function resultKey(
  connection: Pick<UsableConnection, 'id' | 'version'>,
  bindings: readonly MetricBinding[],
  timezone: string,
  statements: readonly (CheckedStatement & CompiledStatement)[],
): Buffer {
  const parts = [
    formatVersion,
    connection.id,
    connection.version,
    // A binding that is saved again gets a new key, because its tables may have changed before it was checked again.
    bindings.map(({ verified_at }) => verified_at).sort(),
    timezone,
    statements.map(({ sql, parameters, maxRows, elsewhere }) => [
      sql,
      parameters,
      maxRows,
      elsewhere.map(scan => [scan.sql, scan.parameters, scan.constants]),
    ]),
  ];
  return createHash('sha256').update(JSON.stringify(parts)).digest();
}
