import { type FieldProblem, SchemaError } from '../../common/errors/api-error.js';
import { type Grain } from '../formula/formula-tree.js';
import { MixedConnectionsError } from '../metrics.errors.js';
import { checkAxes, levelsOf } from './check-axes.js';
import { checkNames, checkZeroFill } from './check-request.js';
import { compilePeriods } from './compile-periods.js';
import { compileScan } from './compile-scan.js';
import { spreadTotals, sqlOfColumns } from './compile-columns.js';
import { compileStack } from './compile-stack.js';
import { checkZone, planTime, type TimePlan } from './compile-time.js';
import { compileTest, compileValue } from './compile-value.js';
import { type BoundJoin, findDimension, type MetricBinding, type TableRead } from './metric-binding.js';
import { type MetricRequest } from './metric-request.js';
import { type WarningCode } from '../patterns/metric-pattern.js';
import { type MetricPlan, planMetric, type ScanAxis } from './plan-metric.js';
import { type ResolvedMetric } from './resolve-metric.js';
import { type SqlStatement } from '../../sql/sql-parameters.js';
import { guardSelect } from '../../sql-guard/guard-select.js';
import { SqlAssembly } from './sql-assembly.js';

export interface CompiledColumn {
  name: string;
  role: 'time' | 'dimension' | 'value';
  grain?: Grain;
  timezone?: string;
}

export interface CompiledMetric extends SqlStatement {
  connectionId: number;
  columns: CompiledColumn[];
  /** What the columns after the value say of a row: that a warning holds for it, or that the periods are more than are computed. */
  flags: (WarningCode | 'TOO_MANY_PERIODS')[];
  /** The same metric over the same rows without grouping, if it was asked for. Its value is the only column. */
  totals: SqlStatement | null;
  /** The zone in which the statements are run. */
  timezone: string;
  /** What the statements read. */
  joins: readonly BoundJoin[];
  reads: readonly TableRead[];
  axes: readonly ScanAxis[];
  time: TimePlan;
}

/**
 * Compiles a resolved metric and a request into one statement. Each binding is aggregated in one scan of its own. Scans of
 * different bindings are stacked with UNION ALL and grouped again, because a join on NULL keys would split or drop rows
 * (metrics.md, pattern 5). `having`, order and limit come last. One row more than `limit` is read, to know whether there are more.
 * Totals are recomputed by a statement of their own, before `having`, because distinct counts and ratios do not add up.
 * @throws UnsafeFilterClauseError, PatternNotBuiltError, SchemaError (all names and options that do not fit), MixedConnectionsError
 */
export function compileMetric(metric: ResolvedMetric, request: MetricRequest): CompiledMetric {
  const plan = planMetric(metric, request.filter_clause);
  const bindings = [...new Set(plan.scans.map(scan => scan.binding))];
  const allBindings = metric.bindings;
  const connectionId = bindings[0]?.connection_id ?? 0;
  if (allBindings.some(each => each.connection_id !== connectionId)) throw new MixedConnectionsError();

  const problems: FieldProblem[] = [];
  checkNames(request, bindings, problems);
  const axes = plan.scans.map(scan => scan.axis);
  const time = planTime(request.time, allBindings, problems, axes);
  checkAxes(plan.scans, request, time, problems);
  if (time.fill === 'zero') checkZeroFill(plan.scans, problems);
  if (problems.length > 0) throw new SchemaError(problems);

  const dimensions = request.dimensions.map(name => findDimension(bindings[0]!, name)?.name ?? name);
  const columns: CompiledColumn[] = [
    ...(time.grain === null ? [] : [{ name: 'period', role: 'time' as const, grain: time.grain, timezone: time.timezone }]),
    ...dimensions.map(name => ({ name, role: 'dimension' as const })),
    { name: 'value', role: 'value' },
  ];
  const { statement, joins, reads, flags } = compileStatement(plan, request, time, columns, problems);
  checkZone(request.time, time, allBindings, reads, problems);
  if (problems.length > 0) throw new SchemaError(problems);

  const ungrouped: MetricRequest = { ...request, dimensions: [], having: [], order: [], limit: 1, offset: 0 };
  const ungroupedTime: TimePlan = { ...time, grain: null, fill: time.fill === 'zero' ? 'zero' : 'none' };
  const ungroupedPlan: MetricPlan = { ...plan, scans: plan.scans.map(scan => ({ ...scan, withins: new Set() })), warnings: [] };
  const totals = request.totals ? compileStatement(ungroupedPlan, ungrouped, ungroupedTime, columns.slice(-1), problems).statement() : null;
  return { connectionId, columns, flags, totals, timezone: time.timezone, joins, reads, axes, time, ...statement() };
}

function compileStatement(
  { scans, value, warnings }: MetricPlan,
  request: MetricRequest,
  time: TimePlan,
  columns: CompiledColumn[],
  problems: FieldProblem[],
) {
  const assembly = new SqlAssembly();
  const { dialect } = assembly;
  const dimensions = columns.filter(({ role }) => role === 'dimension').map(({ name }) => name);
  const keys = [...(time.grain === null ? [] : ['"period"']), ...dimensions.map((_, index) => `"d${index}"`)];
  assembly.reserve(scans.flatMap(({ binding, events }) => [binding, ...(events ? [events.binding] : [])].flatMap(queriedTables)));
  const levels = scans.map(scan => levelsOf(scan, request));
  const isLevelled = levels.some(each => each.length > 0);
  const context = { request, time, isLevelled, assembly, problems };
  const compiled = scans.map((scan, index) => compileScan(scan, index, levels[index]!, context));
  const parts = compiled.flatMap(each => each.reading);
  const periods = compilePeriods(compiled, time, assembly, parts);
  if (periods) parts.push(...compiled.flatMap(each => each.joining?.(periods) ?? []));

  let source = compileStack(scans, time, keys, isLevelled, assembly, parts);
  if (isLevelled) source = spreadTotals(value, scans, keys, request, source, assembly, parts);
  const columnSql = sqlOfColumns(scans, request, time, isLevelled, assembly);
  const flagged = [
    ...warnings.map(test => ({ code: test.code, sql: compileTest(test, columnSql, dialect) })),
    ...(periods?.tooMany === undefined ? [] : [{ code: 'TOO_MANY_PERIODS' as const, sql: periods.tooMany }]),
  ];
  const flags = flagged.map(({ sql }, index) => ({ sql, name: `"w${index}"` }));
  const result = assembly.part('r');
  const list = [...keys, `${compileValue(value, columnSql, dialect)} AS "value"`, ...flags.map(({ sql, name }) => `${sql} AS ${name}`)];
  parts.push(`${result} AS (\n  SELECT ${list.join(', ')}\n  FROM ${source}${isLevelled ? '\n  WHERE "level" = 0' : ''}\n)`);
  const template = [
    `WITH ${parts.join(',\n')}`,
    `SELECT ${[...keys.map((key, index) => `${key} AS ${dialect.quote(columns[index]?.name ?? '')}`), '"value"', ...flags.map(each => each.name)].join(', ')}`,
    `FROM ${result}`,
    ...having(request, assembly, periods?.tooMany),
    `ORDER BY ${orderBy(request, dimensions, keys, result, problems)}`,
    `LIMIT ${assembly.bind(request.limit + 1, 'bigint')} OFFSET ${assembly.bind(request.offset, 'bigint')}`,
  ].join('\n');
  return {
    statement: () => assembly.finish(template),
    joins: assembly.joins,
    reads: assembly.reads,
    flags: flagged.map(({ code }) => code),
  };
}

/** The tables that a query of the binding names. A part of the statement with such a name would be read in their place. */
function queriedTables({ fact: { source } }: MetricBinding): string[] {
  return 'sql' in source ? guardSelect(source.sql, source).tables : [];
}

const havingOperators = { '=': '=', '!=': '<>', '<': '<', '<=': '<=', '>': '>', '>=': '>=' } as const;

/** @param always a condition whose rows are always wanted */
function having(request: MetricRequest, assembly: SqlAssembly, always?: string): string[] {
  const conditions = request.having.map(({ op, value }) => `"value" ${havingOperators[op]} ${assembly.bind(value, 'numeric')}`);
  if (conditions.length === 0) return [];
  return [`WHERE ${always === undefined ? '' : `${always} OR `}${conditions.join(' AND ')}`];
}

/** The requested order, then every key, so that ties always come in the same order and pages do not overlap. */
function orderBy(request: MetricRequest, dimensions: string[], keys: string[], result: string, problems: FieldProblem[]): string {
  const known = new Map<string, string>([['value', '"value"']]);
  const offset = keys.length - dimensions.length;
  if (offset === 1) known.set('period', `${result}."period"`);
  dimensions.forEach((name, index) => known.set(name, `${result}."d${index}"`));
  request.dimensions.forEach((name, index) => known.set(name, `${result}."d${index}"`));

  const terms: string[] = [];
  const used = new Set<string>();
  request.order.forEach(({ by, dir, nulls }, index) => {
    const column = known.get(by);
    if (!column) {
      const list = [...known.keys()].join(', ');
      problems.push({
        loc: ['body', 'order', index, 'by'],
        text: { zh: `不能按“${by}”排序，可用：${list}`, en: `cannot order by '${by}'; known: ${list}` },
        type: 'unknown_order',
        known: [...known.keys()],
      });
    } else if (used.has(column)) {
      problems.push({
        loc: ['body', 'order', index, 'by'],
        text: { zh: '重复的排序没有作用', en: 'ordering by it twice has no effect' },
        type: 'no_effect',
      });
    } else {
      terms.push(`${column} ${dir.toUpperCase()} NULLS ${nulls.toUpperCase()}`);
      used.add(column);
    }
  });
  const rest = keys.map(key => `${result}.${key}`).filter(key => !used.has(key));
  terms.push(...rest.map(key => `${key} ASC NULLS LAST`));
  return terms.length > 0 ? terms.join(', ') : '"value"';
}
