import { type FieldProblem, SchemaError } from '../../common/errors/api-error.js';
import { quoteIdentifier } from '../../sql/quote-identifier.js';
import { type Grain } from '../formula/formula-tree.js';
import { MixedConnectionsError } from '../metrics.errors.js';
import { leafKey } from './compile-leaf.js';
import { bindingKey, checkNames, compileScan, guardClause, planScans, type Scan } from './compile-scan.js';
import { periodSpine, planTime, type TimePlan } from './compile-time.js';
import { compileValue, leavesOf } from './compile-value.js';
import { findDimension, type MetricBinding } from './metric-binding.js';
import { type MetricRequest } from './metric-request.js';
import { type ResolvedFormula, type ResolvedMetric } from './resolve-metric.js';
import { type SqlStatement } from '../../sql/sql-parameters.js';
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
}

type LeafNode = Extract<ResolvedFormula, { kind: 'leaf' }>;

/**
 * Turns a resolved metric and a request into one statement. Each binding is aggregated in one scan of its own; scans of different
 * bindings are stacked with UNION ALL and grouped again, because a join on NULL keys would split or drop rows (metrics.md, pattern 5);
 * `having`, order and limit come last. One row more than `limit` is read, to know whether there are more.
 * @throws UnsafeFilterClauseError, PatternNotBuiltError, SchemaError (names and options that do not fit, all of them), MixedConnectionsError
 */
export function compileMetric(metric: ResolvedMetric, request: MetricRequest): CompiledMetric {
  const scans = planScans(leavesOf(metric.root), request);
  guardClause(metric.bindings, request);
  // What the guard refuses comes before what cannot be run.
  if (metric.notBuilt) throw metric.notBuilt;
  const bindings = scans.map(scan => scan.binding);
  const connectionId = bindings[0]?.connection_id ?? 0;
  if (bindings.some(each => each.connection_id !== connectionId)) throw new MixedConnectionsError();

  const problems: FieldProblem[] = [];
  checkNames(request, bindings, problems);
  const plan = planTime(request.time, bindings, problems);
  checkFill(plan, scans, problems);
  if (problems.length > 0) throw new SchemaError(problems);

  const assembly = new SqlAssembly();
  const dimensions = request.dimensions.map(name => findDimension(bindings[0]!, name)?.name ?? name);
  const keys = [...(plan.grain === null ? [] : ['"period"']), ...dimensions.map((_, index) => `"d${index}"`)];
  // By binding and leaf, and not by both in one text: the key of a binding may be long.
  const measures = new Map<string, Map<string, string>>();
  let count = 0;
  for (const { binding, leaves } of scans) {
    measures.set(bindingKey(binding), new Map([...leaves.keys()].map(key => [key, `"m${count++}"`])));
  }
  const columnOf = ({ binding }: { binding: MetricBinding }, key: string) => measures.get(bindingKey(binding))?.get(key) ?? '';

  const parts = scans.map(
    (scan, index) => `"f${index}" AS (\n  ${compileScan(scan, request, plan, assembly, key => columnOf(scan, key), problems)}\n)`,
  );
  const source = stack(scans, plan, keys, columnOf, assembly, parts);
  const value = compileValue(metric.root, (leaf: LeafNode) => columnOf(leaf, leafKey(leaf)));
  parts.push(`"r" AS (\n  SELECT ${[...keys, `${value} AS "value"`].join(', ')}\n  FROM ${source}\n)`);

  const columns: CompiledColumn[] = [
    ...(plan.grain === null ? [] : [{ name: 'period', role: 'time' as const, grain: plan.grain, timezone: plan.timezone }]),
    ...dimensions.map(name => ({ name, role: 'dimension' as const })),
    { name: 'value', role: 'value' },
  ];
  const template = [
    `WITH ${parts.join(',\n')}`,
    `SELECT ${[...keys.map((key, index) => `${key} AS ${quoteIdentifier(columns[index]?.name ?? '')}`), '"value"'].join(', ')}`,
    'FROM "r"',
    ...having(request, assembly),
    `ORDER BY ${orderBy(request, dimensions, keys, problems)}`,
    `LIMIT ${assembly.bind(request.limit + 1, 'bigint')} OFFSET ${assembly.bind(request.offset, 'bigint')}`,
  ].join('\n');
  if (problems.length > 0) throw new SchemaError(problems);
  return { connectionId, sql: assembly.finish(template), parameters: assembly.parameters, columns };
}

/** The same metric over the same rows without grouping: recomputed, because distinct counts and ratios do not add up. */
export function compileTotals(metric: ResolvedMetric, request: MetricRequest): CompiledMetric {
  const { from, to, timezone } = request.time ?? {};
  const ranged = from !== undefined || to !== undefined;
  const time = ranged
    ? { ...(from !== undefined && { from }), ...(to !== undefined && { to }), ...(timezone !== undefined && { timezone }) }
    : null;
  return compileMetric(metric, { ...request, dimensions: [], time, having: [], order: [], limit: 1, offset: 0 });
}

/**
 * Where the outer SELECT reads from: the one scan, or all of them stacked and grouped, and with `fill` a row for every period and
 * every tuple of dimensions that occurs. Inputs are filled here, before the arithmetic (dbt-labs/metricflow#1098).
 */
function stack(
  scans: Scan[],
  plan: TimePlan,
  keys: string[],
  columnOf: (scan: Scan, key: string) => string,
  assembly: SqlAssembly,
  parts: string[],
): string {
  const spine = plan.fill !== 'none' && plan.grain !== null && plan.from !== null && plan.to !== null;
  if (scans.length === 1 && !spine) return '"f0"';
  const all = scans.flatMap(scan => [...scan.leaves].map(([key, leaf]) => ({ scan, column: columnOf(scan, key), leaf: leaf.node.leaf })));
  // With two branches a bare NULL takes the type of the other; with three it would become text in the first step.
  const absent = scans.length > 2 ? 'NULL::numeric' : 'NULL';
  const branches = scans.map((scan, index) => {
    const measures = all.map(each => (each.scan === scan ? each.column : `${absent} AS ${each.column}`));
    return `SELECT ${[...keys, '1 AS "present"', ...measures].join(', ')} FROM "f${index}"`;
  });
  if (spine && plan.grain !== null && plan.from !== null && plan.to !== null) {
    const { from, period } = periodSpine({ ...plan, grain: plan.grain, from: plan.from, to: plan.to }, assembly);
    const tuple = keys.slice(1);
    const tuples = scans.map((_, index) => `SELECT DISTINCT ${tuple.join(', ')} FROM "f${index}"`).join(' UNION ');
    const cross = tuple.length === 0 ? '' : ` CROSS JOIN (${tuples}) AS k`;
    branches.push(`SELECT ${[period, ...tuple, 'NULL', ...all.map(() => absent)].join(', ')} FROM ${from}${cross}`);
  }
  parts.push(`"u" AS (\n  ${branches.join('\n  UNION ALL\n  ')}\n)`);
  const grouped = all.map(({ column, leaf }) => {
    const isCount = leaf.pattern === 'count_distinct' || leaf.fn === 'COUNT';
    if (plan.fill === 'zero') return `COALESCE(MAX(${column}), 0) AS ${column}`;
    // A count of nothing is 0 where another binding has rows, and unknown where nobody has.
    return isCount ? `CASE WHEN MAX("present") = 1 THEN COALESCE(MAX(${column}), 0) END AS ${column}` : `MAX(${column}) AS ${column}`;
  });
  const group = keys.length > 0 ? ` GROUP BY ${keys.join(', ')}` : '';
  parts.push(`"g" AS (\n  SELECT ${[...keys, ...grouped].join(', ')} FROM "u"${group}\n)`);
  return '"g"';
}

/** Zero is the neutral element of sums and counts only. */
function checkFill(plan: TimePlan, scans: Scan[], problems: FieldProblem[]): void {
  if (plan.fill !== 'zero') return;
  const leaves = scans.flatMap(scan => [...scan.leaves.values()].map(each => each.node.leaf));
  const other = leaves.find(leaf => leaf.pattern === 'aggregate' && leaf.fn !== 'SUM' && leaf.fn !== 'COUNT');
  if (other?.pattern !== 'aggregate') return;
  const msg = `${other.fn} 没有零值，请用 fill: null / ${other.fn} of nothing is not zero: use fill: null`;
  problems.push({ loc: ['body', 'time', 'fill'], msg, type: 'fill_not_additive' });
}

const havingOperators = { '=': '=', '!=': '<>', '<': '<', '<=': '<=', '>': '>', '>=': '>=' } as const;

function having(request: MetricRequest, assembly: SqlAssembly): string[] {
  const conditions = request.having.map(({ op, value }) => `"value" ${havingOperators[op]} ${assembly.bind(value, 'numeric')}`);
  return conditions.length === 0 ? [] : [`WHERE ${conditions.join(' AND ')}`];
}

/** The order asked for, then every key, so that ties come out the same each time and pages do not overlap. */
function orderBy(request: MetricRequest, dimensions: string[], keys: string[], problems: FieldProblem[]): string {
  const known = new Map<string, string>([['value', '"value"']]);
  const offset = keys.length - dimensions.length;
  if (offset === 1) known.set('period', '"r"."period"');
  dimensions.forEach((name, index) => known.set(name, `"r"."d${index}"`));
  request.dimensions.forEach((name, index) => known.set(name, `"r"."d${index}"`));

  const terms: string[] = [];
  const used = new Set<string>();
  request.order.forEach(({ by, dir, nulls }, index) => {
    const column = known.get(by);
    if (!column) {
      const list = [...known.keys()].join(', ');
      problems.push({
        loc: ['body', 'order', index, 'by'],
        msg: `不能按“${by}”排序，可用：${list} / cannot order by '${by}'; known: ${list}`,
        type: 'unknown_order',
        known: [...known.keys()],
      });
    } else if (used.has(column)) {
      problems.push({
        loc: ['body', 'order', index, 'by'],
        msg: '重复的排序没有作用 / ordering by it twice has no effect',
        type: 'no_effect',
      });
    } else {
      terms.push(`${column} ${dir.toUpperCase()} NULLS ${nulls.toUpperCase()}`);
      used.add(column);
    }
  });
  const rest = keys.map(key => `"r".${key}`).filter(key => !used.has(key));
  terms.push(...rest.map(key => `${key} ASC NULLS LAST`));
  return terms.length > 0 ? terms.join(', ') : '"value"';
}
