import { type GuardedExpression } from '../../sql-guard/guard-expression.js';
import { atOnce, type Steps } from '../../text/steps.js';
import { patternOf } from '../formula/classify-formula.js';
import { FormulaParseError } from '../formula/formula.errors.js';
import { argumentsOf, metricNames, operandsOf, type SqlText } from '../formula/formula-tree.js';
import { type Aggregate, type Attribution, type Axis, type Shift, type Test, type Value } from '../patterns/metric-pattern.js';
import { registry } from '../patterns/registry.js';
import { checkAdditivity, checkArgument, otherType } from './check-arguments.js';
import { checkSides } from './check-sides.js';
import { columnsOf as columnsIn } from './compile-value.js';
import { asNumber, guardClause, guardLeaves } from './guard-formula.js';
import { isNumber } from './exact-arithmetic.js';
import { bindingKey, type BoundJoin, type MetricBinding, namedColumns } from './metric-binding.js';
import { checkStatementLength } from './statement-length.js';
import { leavesOf, type ResolvedFormula, type ResolvedLeaf, type ResolvedMetric } from './resolve-metric.js';

/**
 * The plan of a request. Each binding is scanned once per axis (window and shift), and each scan aggregates the columns of all metrics. The
 * scans are stacked with UNION ALL, and the values are computed from columns of the stack.
 */
export interface MetricPlan {
  scans: Scan[];
  /** The values of the metrics, one for each metric, in the order of the metrics. */
  values: PlannedValue[];
  warnings: PlannedTest[];
  /** One-to-one joins with their sides exchanged: the keys of their first tables must be unique as well, see `checkSides`. */
  oneToOne: BoundJoin[];
}

export interface PlannedValue {
  value: Value;
  /** The metric's value in an earlier period, or null if the request does not compare periods. */
  before: Value | null;
}

/** A test whose warning names a metric: `metric` is the index of the metric in the request. */
export type PlannedTest = Test & { metric: number };

/** The rows of one binding on one axis, with the aggregates over them. Each column has conditions of its own. */
export interface Scan {
  binding: MetricBinding;
  axis: ScanAxis;
  /** The columns, by a key that describes what each computes. Columns that compute the same thing have the same key. */
  columns: Map<string, Column>;
  clause: GuardedExpression | null;
  /** For each kind of total that the scan also computes: the dimensions that the total keeps. */
  withins: Set<readonly string[]>;
  /** The credited events, if this is the scan of a conversion. The rows of the scan are then its base events, and the scan counts both. */
  events?: Events;
  /**
   * In the scan of a mean: a value over columns of other scans, computed for each day. The only column of this scan is the mean of the
   * value over the days.
   */
  mean?: { value: Value; name: string };
}

export interface Events extends Attribution {
  binding: MetricBinding;
  /** Arguments and conditions of the event's COUNT: an event counts if no argument is NULL and all conditions hold. */
  args: GuardedExpression[];
  where: GuardedExpression[];
}

export type ScanAxis = Pick<Axis, 'window' | 'shift'>;

export interface Column {
  /** Name of the column, unique in the plan: `m0`, `m1` and so on. */
  name: string;
  aggregate: Aggregate;
  args: GuardedExpression[];
  where: GuardedExpression[];
  /** The key of FIRST or LAST: `BY key`. Null without a key. */
  by: GuardedExpression | null;
  /**
   * For a FIRST or LAST without a key: the dimensions within which the first or last rows are chosen. Absent for all dimensions of the
   * request.
   */
  over?: readonly string[] | undefined;
}

/** Runs {@link planInSteps} at once. */
export function planMetrics(...asked: Parameters<typeof planInSteps>): MetricPlan {
  return atOnce(planInSteps(...asked));
}

/**
 * Plans metrics, each node of a formula by its pattern. All SQL of the formulas and the clause is guarded first.
 * @param shift how far back the compared period lies; null without a comparison
 * @param seesBindings whether errors may list the columns of bindings
 * @throws FormulaParseError (a column that a binding lacks), UnsafeFilterClauseError, FanOutMeasureError
 */
export function* planInSteps(
  metrics: readonly ResolvedMetric[],
  clause: string | null,
  shift: Shift | null = null,
  seesBindings = false,
): Steps<MetricPlan> {
  const roots = metrics.map(({ root }) => root);
  const leaves = roots.flatMap(leavesOf);
  const texts = yield* guardLeaves(leaves, seesBindings);
  const oneToOne = yield* checkSides(leaves, texts);
  const events = new Set(roots.flatMap(eventLeavesOf));
  /**
   * For each binding, by its key: its number and the guarded filter clause. Computed once for each binding, because there may be
   * hundreds of leaves.
   */
  const sources = new Map<string, { place: number; clause: GuardedExpression | null }>();
  // The statement holds the clause once for each binding.
  if (clause !== null) checkStatementLength([...new Set(leaves.map(leaf => bindingKey(leaf.owner.binding)))].map(() => clause));
  for (const leaf of leaves) {
    const { binding } = leaf.owner;
    yield;
    if (events.has(leaf) || sources.has(bindingKey(binding))) continue;
    const guarded = clause === null ? null : guardClause(clause, leaf.owner, seesBindings);
    sources.set(bindingKey(binding), { place: sources.size, clause: guarded });
  }
  const scans = new Map<string, Scan>();
  const warnings = new Map<string, PlannedTest>();
  let columns = 0;
  let metric = 0;
  const values: PlannedValue[] = [];
  for (const root of roots) {
    yield;
    metric = values.length;
    const value = plan(root, {});
    const before = shift && plan(root, { shift });
    if (before) warn({ code: 'NEGATIVE_BASE', value: before, op: '<', than: 0 });
    values.push({ value, before });
  }
  return { scans: [...scans.values()], values, warnings: [...warnings.values()], oneToOne };

  function warn(test: Test): void {
    warnings.set(JSON.stringify([metric, test]), { ...test, metric });
  }

  function plan(formula: ResolvedFormula, axis: Axis): Value {
    const { node, operands } = formula;
    const value = registry[patternOf(node)].plan(node, {
      isWindowed: axis.window !== undefined && axis.window.day !== 'AVERAGE',
      isNumber: argument => isNumberIn((formula as ResolvedLeaf).owner.binding, argument),
      operand: (index, inner) => plan(operands[index]!, { ...axis, ...inner }),
      aggregate: aggregate => addColumn(formula as ResolvedLeaf, aggregate, axis),
      conversion: attribution => addConversion(formula, attribution),
      meanOfDays: (of, window) => addMean(of, { ...axis, window }),
      warnIf: warn,
    });
    const other = value.kind === 'column' ? undefined : columnsIn(value).find(column => column.otherType !== undefined);
    if (other) throw notComputable(formula, other.otherType!);
    return value;
  }

  /**
   * Whether an argument is known to be a number and not an interval. Always true on databases other than PostgreSQL, because they cannot
   * compute with intervals.
   */
  function isNumberIn(binding: MetricBinding, argument: SqlText): boolean {
    const typeOf = (name: string) => namedColumns(binding).get(name)?.type;
    return binding.dialect !== undefined || isNumber(texts.get(binding)!.get(argument)!, typeOf);
  }

  /**
   * Adds a column to the scan of its binding and axis. Bindings with equal keys share a scan, and equal columns of one scan become one
   * column.
   */
  function addColumn(leaf: ResolvedLeaf, aggregate: Aggregate, { window, shift, within }: Axis): Value {
    const { binding } = leaf.owner;
    const { place, clause } = sources.get(bindingKey(binding))!;
    const key = JSON.stringify([place, window, shift]);
    const scan: Scan = scans.get(key) ?? { binding, axis: { window, shift }, columns: new Map(), clause, withins: new Set() };
    scans.set(key, scan);
    if (within) scan.withins.add(within);
    const { args, where, pick } = aggregate;
    // Without a key, FIRST and LAST choose one time among all rows with equal values of the dimensions in `within`.
    const over = pick && !pick.by ? within : undefined;
    const computed = JSON.stringify([aggregate.name, args.map(each => each.text), pick?.by?.text, over, where.map(each => each.text)]);
    const guarded = (each: SqlText) => texts.get(binding)!.get(each)!;
    const types = args.map(each => otherType(guarded(each), name => namedColumns(binding).get(name)?.type));
    checkAdditivity(leaf);
    args.forEach((each, index) => checkArgument(aggregate, each, types[index], leaf));
    const column = scan.columns.get(computed) ?? {
      name: `m${columns++}`,
      aggregate,
      args: args.map(each => (aggregate.adds ? asNumber(guarded(each), binding) : guarded(each))),
      where: where.map(guarded),
      by: pick?.by ? guarded(pick.by) : null,
      over,
    };
    scan.columns.set(computed, column);
    const isAdditive = aggregate.combine === 'SUM' || pick?.by != null;
    return { kind: 'column', name: column.name, isAdditive, within, otherType: aggregate.keepsType ? types[0] : undefined };
  }

  function addMean(value: Value, { window, shift, within }: Axis): Value {
    const [first] = columnsIn(value);
    // A value without columns is a constant, and the mean of a constant is the constant.
    if (!first) return value;
    const { binding } = [...scans.values()].find(scan => [...scan.columns.values()].some(({ name }) => name === first.name))!;
    const key = JSON.stringify(['mean', value]);
    const name = scans.get(key)?.mean?.name ?? `m${columns++}`;
    const withins = new Set(within ? [within] : []);
    const axis = { window, shift };
    scans.set(key, { binding, axis, columns: new Map([[name, meanColumn(name)]]), clause: null, withins, mean: { value, name } });
    return { kind: 'column', name, isAdditive: false, within };
  }

  function addConversion(formula: ResolvedFormula, attribution: Attribution): { base: Value; credited: Value } {
    const [base, event] = formula.operands.map((_, index) => asCount(formula, index)) as [ResolvedLeaf, ResolvedLeaf];
    const { binding } = base.owner;
    const guarded = (leaf: ResolvedLeaf, text: SqlText) => texts.get(leaf.owner.binding)!.get(text)!;
    const partsOf = (leaf: ResolvedLeaf) => ({
      args: argumentsOf(leaf.node).flatMap(text => (text ? [guarded(leaf, text)] : [])),
      where: leaf.node.where.map(text => guarded(leaf, text)),
    });
    const column = (name: string, counts: boolean, parts: Pick<Column, 'args' | 'where'>): Column => ({
      name: `m${columns++}`,
      aggregate: { name, args: [], where: [], takes: 'anything', counts, fillsWithZero: true, sql: () => 'COUNT(*)' },
      ...parts,
      by: null,
    });
    const none = { args: [], where: [] };
    const [bases, credited] = [column('BASE EVENTS', true, partsOf(base)), column('CREDITED EVENTS', attribution.countsNone, none)];
    scans.set(`conversion ${columns}`, {
      binding,
      axis: {},
      columns: new Map([bases, credited].map(each => [each.name, each])),
      clause: sources.get(bindingKey(binding))!.clause,
      withins: new Set(),
      events: { ...attribution, binding: event.owner.binding, ...partsOf(event) },
    });
    const value = ({ name }: Column): Value => ({ kind: 'column', name, isAdditive: true });
    return { base: value(bases), credited: value(credited) };
  }
}

/**
 * The column of a mean. `fill: zero` leaves its empty periods NULL, because the averaged value may be NULL where there are no rows: a
 * quotient is.
 */
function meanColumn(name: string): Column {
  const aggregate: Aggregate = {
    name: 'AVERAGE of arithmetic',
    args: [],
    where: [],
    takes: 'anything',
    counts: false,
    fillsWithZero: false,
    sql: () => 'AVG',
  };
  return { name, aggregate, args: [], where: [], by: null };
}

function notComputable({ node, owner }: ResolvedFormula, type: string): FormulaParseError {
  const sentence = {
    zh: `指标“${owner.name}”的公式在此处用 ${type} 计算，而它不是数字`,
    en: `the formula of metric '${owner.name}' computes here with a ${type}, which is not a number`,
  };
  return new FormulaParseError(owner.formula, node.position, { nearest: patternOf(node), sentence });
}

function asCount({ node, owner, operands }: ResolvedFormula, index: number): ResolvedLeaf {
  const operand = operands[index]!;
  const { node: counted } = operand;
  if (counted.kind === 'leaf' && counted.pattern === 'aggregate' && counted.fn === 'COUNT') return operand as ResolvedLeaf;
  const [name] = metricNames(operandsOf(node)[index]!);
  const sentence = {
    zh: `转化的两个指标须为 COUNT(…)，而指标“${owner.name}”的公式中的 [${name}] 不是`,
    en: `both metrics of a conversion must be COUNT(…), and [${name}] in the formula of metric '${owner.name}' is not`,
  };
  throw new FormulaParseError(owner.formula, node.position, { nearest: 'conversion', found: `[${name}]`, sentence });
}

/** The leaves of a formula that count credited events. The filters of a request do not apply to these leaves. */
function eventLeavesOf({ node, operands }: ResolvedFormula): ResolvedLeaf[] {
  if (node.kind === 'conversion') return operands.slice(1).flatMap(leavesOf);
  return operands.flatMap(eventLeavesOf);
}
