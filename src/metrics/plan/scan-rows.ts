import { type GuardedExpression } from '../../sql-guard/guard-expression.js';
import { type Steps } from '../../text/steps.js';
import { compileFilter } from './compile-filters.js';
import { compileRelation, expressionsOf, keptColumn, mayReachHidden, timeColumn } from './compile-relation.js';
import { type ScanContext } from './scan-context.js';
import { type BoundColumn, findKey, namedColumns } from './metric-binding.js';
import { type Column, type Scan } from './plan-metric.js';
import { type NamedSql } from './select-groups.js';
import { mayFail } from './may-fail.js';
import { type SqlAssembly } from './sql-assembly.js';

/** Parts of a SELECT that reads the rows of a binding that meet all filters, and SQL over the columns of these rows. */
export interface ScanRows {
  /** A FROM item with the columns that the scan reads. */
  from(withTime: boolean): string;
  conditions: string[];
  /**
   * Wraps a condition that reads `guarded`, if needed, so that it is evaluated only for rows that the binding's joins and row filter keep.
   * Must be called before `from`.
   */
  kept(condition: string, guarded: GuardedExpression): string;
  /** The quoted columns of the requested dimensions. */
  dimensions: string[];
  measures: NamedSql[];
  /**
   * For each column of FIRST or LAST, SQL of a boolean: whether a row is among the first or last rows of its group. `group` has the
   * expressions that rows are grouped by.
   */
  picks(group: string[]): NamedSql[];
}

/**
 * The slow part of `rowsOf`, in steps: guards the expressions behind the columns of a scan, and checks the filters against the types of
 * the columns.
 */
export function* judgeRows({ binding, events, columns, clause }: Scan, { request, checks, assembly }: ScanContext): Steps<void> {
  const named = namedColumns(binding);
  const names = new Set([...namesIn({ columns, clause }), ...request.filters.map(({ field }) => field)]);
  const exposed = [...[...names].map(name => named.get(name)), ...request.dimensions.map(name => findKey(binding, name))];
  yield* assembly.judgeAll(binding, new Set([...exposed.flatMap(column => column?.expression ?? []), ...expressionsOf(binding)]));
  if (events) yield* assembly.judgeAll(events.binding, new Set(expressionsOf(events.binding)));
  for (const filter of request.filters) {
    const column = named.get(filter.field);
    if (column) yield* checks.ofInSteps(filter, column.type);
  }
}

/** The names of the columns that the aggregates and the filter clause of a scan read. */
function namesIn({ columns, clause }: Pick<Scan, 'columns' | 'clause'>): string[] {
  const guarded = [...columns.values()].flatMap(({ args, where, by }) => [...args, ...where, ...(by ? [by] : [])]).concat(clause ?? []);
  return guarded.flatMap(each => each.columns.map(([, name]) => name));
}

/** @param hidden further columns to read, under names that no user can give */
export function rowsOf(
  { binding, clause, columns }: Pick<Scan, 'binding' | 'clause' | 'columns'>,
  context: ScanContext,
  hidden: readonly BoundColumn[] = [],
): ScanRows {
  const { request, assembly } = context;
  const { quote } = assembly.dialect;
  const named = namedColumns(binding);
  const exposed = new Map<string, BoundColumn>();
  const expose = (name: string, column = named.get(name)): string => {
    if (column) exposed.set(name, { ...column, name });
    return quote(name);
  };
  for (const name of namesIn({ columns, clause })) expose(name);
  const exposeAll = (names: readonly string[]): string[] =>
    names.flatMap(name => {
      const dimension = findKey(binding, name);
      return dimension ? [expose(dimension.name, dimension)] : [];
    });
  const dimensions = exposeAll(request.dimensions);
  const measures = [...columns.values()].map(column => ({ sql: compileColumn(column, assembly), name: column.name }));
  // An error of a condition, such as 1/0, would reveal that a row exists. PostgreSQL evaluates conditions in any order, even before a join,
  // but evaluates a branch of CASE only if its condition holds. So a condition that may fail goes into a CASE. It then uses no index and is
  // evaluated after the joins: 1.1 s instead of 0.7 s over 500,000 rows. Comparisons of plain columns cannot fail and stay outside; one
  // with an index takes 0.06 s.
  let withKept = false;
  const keptIf = (isFailing: boolean, condition: string, read: readonly (BoundColumn | undefined)[]): string => {
    const behind = read.flatMap(column => (column ? [assembly.judge(binding, column.expression)] : []));
    if (!mayReachHidden(binding, behind) || !(isFailing || behind.some(({ tree }) => mayFail(tree)))) return condition;
    withKept = true;
    return `CASE WHEN ${quote(keptColumn)} THEN ${condition} END`;
  };
  const kept = (condition: string, guarded: GuardedExpression): string =>
    keptIf(
      mayFail(guarded.tree),
      condition,
      guarded.columns.map(([, name]) => named.get(name)),
    );
  const conditions = request.filters.flatMap((filter, index) => {
    const column = named.get(filter.field);
    if (!column) return [];
    expose(filter.field);
    const condition = compileFilter(filter, { ...column, name: filter.field }, filter.index ?? index, context);
    return condition === null ? [] : keptIf(false, condition, [column]);
  });
  request.filtersByMetric.forEach(({ by }, index) => {
    const dimension = findKey(binding, by);
    if (!dimension) return;
    conditions.push(
      keptIf(false, `${expose(dimension.name, dimension)} IN (SELECT "key" FROM ${filterPart(index, assembly)})`, [dimension]),
    );
  });
  if (clause) conditions.push(kept(assembly.embed(clause), clause));
  const picks = (keys: string[]): NamedSql[] =>
    [...columns.values()].flatMap(({ name, aggregate: { pick }, where, by, over }) => {
      if (!pick) return [];
      const time = quote(timeColumn);
      const end = assembly.dialect.aggregateWhere(
        `${pick.end === 'LAST' ? 'MAX' : 'MIN'}(${time})`,
        where.map(each => assembly.embed(each)),
      );
      const group = [...keys, ...(by ? [assembly.embed(by)] : over ? exposeAll(over) : dimensions)];
      const partition = group.length > 0 ? `PARTITION BY ${group.join(', ')}` : '';
      return [{ sql: `(${time} = ${end} OVER (${partition}))`, name: pickName(name) }];
    });
  const from = (withTime: boolean): string => compileRelation(binding, [...exposed.values(), ...hidden], { withTime, withKept }, assembly);
  return { from, conditions, kept, dimensions, measures, picks };
}

/** The name of the WITH part that lists the keys that a filter by a metric keeps, in its column `key`. */
export function filterPart(index: number, assembly: SqlAssembly): string {
  return assembly.part(`k${index}`);
}

function pickName(column: string): string {
  return `__pick_${column}`;
}

/** SQL of an aggregate with its conditions: `SUM("amount") FILTER (WHERE …)`. */
function compileColumn({ name, aggregate, args, where }: Column, assembly: SqlAssembly): string {
  const embed = (each: GuardedExpression) => assembly.embed(each);
  const complete = aggregate.completeRowsOnly ? args.map(each => `${embed(each)} IS NOT NULL`) : [];
  const { aggregateWhere, quote, roundedToDecimal } = assembly.dialect;
  const picked = aggregate.pick ? [quote(pickName(name))] : [];
  const value = aggregateWhere(aggregate.sql(args.map(embed), assembly.dialect), [...complete, ...picked, ...where.map(embed)]);
  return aggregate.isFloat ? roundedToDecimal(value) : value;
}
