import { quoteTable } from '../../sql/quote-identifier.js';
import { type SqlStatement } from '../../sql/sql-parameters.js';
import { guardExpression } from '../../sql-guard/guard-expression.js';
import { compileRelation, timeColumn } from './compile-relation.js';
import { type BoundJoin, type MetricBinding } from './metric-binding.js';
import { SqlAssembly } from './sql-assembly.js';

/**
 * Selects all columns, then all dimensions, then the time of a binding, so that the database tells their types. The caller adds
 * LIMIT 0.
 */
export function compileProbe(binding: MetricBinding): SqlStatement {
  const assembly = new SqlAssembly();
  const { quote } = assembly.dialect;
  const exposed = [...binding.columns, ...binding.dimensions].map((column, index) => ({ ...column, name: `c${index}` }));
  const list = exposed.map(column => quote(column.name)).concat(binding.time ? [quote(timeColumn)] : []);
  const relation = compileRelation(binding, exposed, true, assembly);
  return assembly.finish(`SELECT ${list.join(', ') || '1'}\nFROM ${relation}`);
}

/** Counts the rows of a joined table with a key, and its different keys. The numbers are equal when the key is unique. */
export function compileJoinKeyCheck(join: BoundJoin): SqlStatement {
  const assembly = new SqlAssembly();
  const { quote, tuple } = assembly.dialect;
  const scope = { columns: new Set(join.columns.map(column => column.name)), alias: join.alias };
  const keys = join.on.map(([, key]) => assembly.embed(guardExpression(key, scope)));
  const source = 'sql' in join.source ? '' : quoteTable(join.source.schema, join.source.table);
  const present = keys.map(key => `${key} IS NOT NULL`).join(' AND ');
  const template = `SELECT count(*), count(DISTINCT ${tuple(keys)})\nFROM ${source} AS ${quote(join.alias)}\nWHERE ${present}`;
  return assembly.finish(template);
}
