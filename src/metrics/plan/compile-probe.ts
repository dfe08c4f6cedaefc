import { quoteIdentifier } from '../../sql/quote-identifier.js';
import { guardExpression } from '../../sql-guard/guard-expression.js';
import { compileRelation, timeColumn } from './compile-relation.js';
import { type BoundJoin, type MetricBinding } from './metric-binding.js';
import { SqlAssembly } from './sql-assembly.js';

/** All columns, then all dimensions, then the time of a binding, so that the database tells their types; the caller adds LIMIT 0. */
export function compileProbe(binding: MetricBinding): { sql: string; parameters: unknown[] } {
  const assembly = new SqlAssembly();
  const exposed = [...binding.columns, ...binding.dimensions].map((column, index) => ({ ...column, name: `c${index}` }));
  const list = exposed.map(column => quoteIdentifier(column.name)).concat(binding.time ? [quoteIdentifier(timeColumn)] : []);
  const relation = compileRelation(binding, exposed, true, assembly);
  return { sql: assembly.finish(`SELECT ${list.join(', ') || '1'}\nFROM ${relation}`), parameters: assembly.parameters };
}

/** How many rows of a joined table have a key, and how many different keys there are: equal when the key is unique. */
export function compileJoinKeyCheck(join: BoundJoin): { sql: string; parameters: unknown[] } {
  const assembly = new SqlAssembly();
  const scope = { columns: new Set(join.columns.map(column => column.name)), alias: join.alias };
  const keys = join.on.map(([, key]) => assembly.embed(guardExpression(key, scope)));
  const source = 'sql' in join.source ? '' : `${quoteIdentifier(join.source.schema)}.${quoteIdentifier(join.source.table)}`;
  const present = keys.map(key => `${key} IS NOT NULL`).join(' AND ');
  const template = `SELECT count(*), count(DISTINCT ${keys.length > 1 ? `(${keys.join(', ')})` : keys[0]})\nFROM ${source} AS ${quoteIdentifier(join.alias)}\nWHERE ${present}`;
  return { sql: assembly.finish(template), parameters: assembly.parameters };
}
