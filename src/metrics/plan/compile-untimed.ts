import { type SqlStatement } from '../../sql/sql-parameters.js';
import { type Steps } from '../../text/steps.js';
import { compileRelation, expressionsOf, timeColumn } from './compile-relation.js';
import { type MetricBinding } from './metric-binding.js';
import { SqlAssembly } from './sql-assembly.js';

/**
 * A statement that counts the rows without a time, as one row of one bigint: no range and no window contains them. The filters of a
 * request are left out, so that the count holds for all requests of the bindings. Null if the count depends on the current time.
 * @param bindings bindings with a time, at least one
 */
export function* compileUntimed(bindings: readonly MetricBinding[]): Steps<SqlStatement | null> {
  const distinct = new Map(
    bindings.map(binding => {
      const { fact, joins, time, row_filter: filter } = binding;
      return [JSON.stringify([fact, joins, time?.expression, filter]), binding];
    }),
  );
  const assembly = new SqlAssembly();
  const counts: string[] = [];
  for (const binding of distinct.values()) {
    yield* assembly.judgeAll(binding, new Set(expressionsOf(binding)));
    const relation = compileRelation(binding, [], { withTime: true }, assembly);
    counts.push(`(SELECT count(*) FROM ${relation} WHERE ${assembly.dialect.quote(timeColumn)} IS NULL)`);
  }
  const { tellsTime, ...statement } = yield* assembly.finishAll(`SELECT ${counts.join(' + ')} AS "untimed"`);
  return tellsTime ? null : statement;
}
