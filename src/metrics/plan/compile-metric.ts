import { type FieldProblem, SchemaError } from '../../common/errors/api-error.js';
import { type Grain } from '../formula/formula-tree.js';
import { MixedConnectionsError } from '../metrics.errors.js';
import { checkNames, checkZeroFill } from './check-request.js';
import { compileScan } from './compile-scan.js';
import { compileStack } from './compile-stack.js';
import { planTime } from './compile-time.js';
import { compileValue } from './compile-value.js';
import { type BoundJoin, findDimension, type MetricBinding, type TableRead } from './metric-binding.js';
import { type MetricRequest } from './metric-request.js';
import { planMetric } from './plan-metric.js';
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
  /** The zone in which the statement is run. */
  timezone: string;
  joins: readonly BoundJoin[];
  reads: readonly TableRead[];
}

/**
 * Compiles a resolved metric and a request into one statement. Each binding is aggregated in one scan of its own. Scans of
 * different bindings are stacked with UNION ALL and grouped again, because a join on NULL keys would split or drop rows
 * (metrics.md, pattern 5). `having`, order and limit come last. One row more than `limit` is read, to know whether there are more.
 * @throws UnsafeFilterClauseError, PatternNotBuiltError, SchemaError (all names and options that do not fit), MixedConnectionsError
 */
export function compileMetric(metric: ResolvedMetric, request: MetricRequest): CompiledMetric {
  const { scans, value } = planMetric(metric, request.filter_clause);
  const bindings = scans.map(scan => scan.binding);
  const connectionId = bindings[0]?.connection_id ?? 0;
  if (bindings.some(each => each.connection_id !== connectionId)) throw new MixedConnectionsError();

  const problems: FieldProblem[] = [];
  checkNames(request, bindings, problems);
  const plan = planTime(request.time, bindings, problems);
  if (plan.fill === 'zero') checkZeroFill(scans, problems);
  if (problems.length > 0) throw new SchemaError(problems);

  const assembly = new SqlAssembly();
  const { dialect } = assembly;
  const dimensions = request.dimensions.map(name => findDimension(bindings[0]!, name)?.name ?? name);
  const keys = [...(plan.grain === null ? [] : ['"period"']), ...dimensions.map((_, index) => `"d${index}"`)];
  assembly.reserve(bindings.flatMap(queriedTables));
  const parts = scans.map(
    (scan, index) => `${assembly.part(`f${index}`)} AS (\n  ${compileScan(scan, request, plan, assembly, problems)}\n)`,
  );
  const source = compileStack(scans, plan, keys, assembly, parts);
  const result = assembly.part('r');
  parts.push(`${result} AS (\n  SELECT ${[...keys, `${compileValue(value, dialect)} AS "value"`].join(', ')}\n  FROM ${source}\n)`);

  const columns: CompiledColumn[] = [
    ...(plan.grain === null ? [] : [{ name: 'period', role: 'time' as const, grain: plan.grain, timezone: plan.timezone }]),
    ...dimensions.map(name => ({ name, role: 'dimension' as const })),
    { name: 'value', role: 'value' },
  ];
  const template = [
    `WITH ${parts.join(',\n')}`,
    `SELECT ${[...keys.map((key, index) => `${key} AS ${dialect.quote(columns[index]?.name ?? '')}`), '"value"'].join(', ')}`,
    `FROM ${result}`,
    ...having(request, assembly),
    `ORDER BY ${orderBy(request, dimensions, keys, result, problems)}`,
    `LIMIT ${assembly.bind(request.limit + 1, 'bigint')} OFFSET ${assembly.bind(request.offset, 'bigint')}`,
  ].join('\n');
  if (problems.length > 0) throw new SchemaError(problems);
  const { joins, reads } = assembly;
  return { connectionId, columns, timezone: plan.timezone, joins, reads, ...assembly.finish(template) };
}

/** The tables that a query of the binding names. A part of the statement with such a name would be read in their place. */
function queriedTables({ fact: { source } }: MetricBinding): string[] {
  return 'sql' in source ? guardSelect(source.sql, source).tables : [];
}

/**
 * Compiles the same metric over the same rows without grouping. Totals are recomputed, because distinct counts and ratios do not
 * add up.
 */
export function compileTotals(metric: ResolvedMetric, request: MetricRequest): CompiledMetric {
  const { from, to, timezone } = request.time ?? {};
  const ranged = from !== undefined || to !== undefined;
  const time = ranged
    ? { ...(from !== undefined && { from }), ...(to !== undefined && { to }), ...(timezone !== undefined && { timezone }) }
    : null;
  return compileMetric(metric, { ...request, dimensions: [], time, having: [], order: [], limit: 1, offset: 0 });
}

const havingOperators = { '=': '=', '!=': '<>', '<': '<', '<=': '<=', '>': '>', '>=': '>=' } as const;

function having(request: MetricRequest, assembly: SqlAssembly): string[] {
  const conditions = request.having.map(({ op, value }) => `"value" ${havingOperators[op]} ${assembly.bind(value, 'numeric')}`);
  return conditions.length === 0 ? [] : [`WHERE ${conditions.join(' AND ')}`];
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
