import { type FieldProblem } from '../../common/errors/api-error.js';
import { type GuardedExpression } from '../../sql-guard/guard-expression.js';
import { compileFilter } from './compile-filters.js';
import { compileRelation } from './compile-relation.js';
import { periodExpression, rangeConditions, type TimePlan } from './compile-time.js';
import { type BoundColumn, findDimension, namedColumns } from './metric-binding.js';
import { type MetricRequest } from './metric-request.js';
import { type Column, type Scan } from './plan-metric.js';
import { type SqlAssembly } from './sql-assembly.js';

/**
 * One SELECT that aggregates all leaves of a binding in one pass: `period`, `d0…`, `m0…`. Range, filters and clause all apply to
 * the base rows, before any aggregation.
 */
export function compileScan(scan: Scan, request: MetricRequest, plan: TimePlan, assembly: SqlAssembly, problems: FieldProblem[]): string {
  const { binding } = scan;
  const { dialect } = assembly;
  const named = namedColumns(binding);
  const exposed = new Map<string, BoundColumn>();
  const expose = (name: string, column = named.get(name)): string => {
    if (column) exposed.set(name, { ...column, name });
    return dialect.quote(name);
  };
  const columns = [...scan.columns.values()];
  const guarded = columns.flatMap(column => [...column.args, ...column.where]).concat(scan.clause ?? []);
  for (const [, name] of guarded.flatMap(each => each.columns)) expose(name);

  const keys: string[] = [];
  if (plan.grain !== null && binding.time)
    keys.push(`${periodExpression({ ...plan, grain: plan.grain }, binding.time, assembly)} AS "period"`);
  request.dimensions.forEach((name, index) => {
    const dimension = findDimension(binding, name);
    if (dimension) keys.push(`${expose(dimension.name, dimension)} AS "d${index}"`);
  });
  const measures = columns.map(column => `${compileColumn(column, assembly)} AS ${dialect.quote(column.name)}`);

  const conditions = binding.time ? rangeConditions(plan, binding.time, assembly) : [];
  request.filters.forEach((filter, index) => {
    const column = named.get(filter.field);
    if (!column) return;
    expose(filter.field);
    const condition = compileFilter(filter, { ...column, name: filter.field }, index, assembly, problems);
    if (condition !== null) conditions.push(condition);
  });
  if (scan.clause) conditions.push(assembly.embed(scan.clause));

  const withTime = plan.grain !== null || plan.from !== null || plan.to !== null;
  return [
    `SELECT ${[...keys, ...measures].join(', ')}`,
    `FROM ${compileRelation(binding, [...exposed.values()], withTime, assembly)}`,
    ...(conditions.length > 0 ? [`WHERE ${conditions.join(' AND ')}`] : []),
    ...(keys.length > 0 ? [`GROUP BY ${keys.map((_, index) => index + 1).join(', ')}`] : []),
  ].join('\n  ');
}

/** `SUM("amount") FILTER (WHERE …)`. */
function compileColumn({ aggregate, args, where }: Column, assembly: SqlAssembly): string {
  const embed = (each: GuardedExpression) => assembly.embed(each);
  const complete = aggregate.completeRowsOnly ? args.map(each => `${embed(each)} IS NOT NULL`) : [];
  const { aggregateWhere, roundedToDecimal } = assembly.dialect;
  const value = aggregateWhere(aggregate.sql(args.map(embed), assembly.dialect), [...complete, ...where.map(embed)]);
  return aggregate.isFloat ? roundedToDecimal(value) : value;
}
