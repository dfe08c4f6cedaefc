import { type SqlStatement } from '../../sql/sql-parameters.js';
import { type Steps } from '../../text/steps.js';
import { compileRelation, expressionsOf, timeColumn } from './compile-relation.js';
import { type MetricBinding } from './metric-binding.js';
import { SqlAssembly } from './sql-assembly.js';

/** Maximum characters of the probe. A binding of 1,600 columns has each expression twice in it, as a column and as a dimension. */
const mostCharacters = 400_000;

/**
 * A statement that selects all columns of a binding, then all dimensions, all entities and the time, so that the database returns their
 * types. The caller adds LIMIT 0.
 */
export function* compileProbe(binding: MetricBinding): Steps<SqlStatement> {
  const assembly = new SqlAssembly(null, mostCharacters);
  const { quote } = assembly.dialect;
  const exposed = [...binding.columns, ...binding.dimensions, ...(binding.entities ?? [])].map((column, index) => ({
    ...column,
    name: `c${index}`,
  }));
  yield* assembly.judgeAll(binding, new Set([...exposed.map(({ expression }) => expression), ...expressionsOf(binding)]));
  const list = exposed.map(column => quote(column.name)).concat(binding.time ? [quote(timeColumn)] : []);
  const relation = compileRelation(binding, exposed, { withTime: true }, assembly);
  return yield* assembly.finish(`SELECT ${list.join(', ') || '1'}\nFROM ${relation}`);
}
