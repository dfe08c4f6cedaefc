import { type SqlDialect } from '../../sql/dialects/postgres.js';
import { type Formula, type Grain, type ScalarName, type SqlText } from '../formula/formula-tree.js';

/** A pattern turns a node of a formula into a value over aggregated columns. */
export interface MetricPattern<Node extends Formula = Formula> {
  plan(node: Node, planner: Planner): Value;
}

/** Plans one node of a formula for its pattern. It hides bindings and requests from the pattern. */
export interface Planner {
  /** Whether the node aggregates windows that each end on one day of the period. False for the mean over all days of a period. */
  readonly isWindowed: boolean;
  /** Whether an argument of the node is known to be a number, not a length of time. */
  isNumber(this: void, argument: SqlText): boolean;
  /**
   * Plans an operand by its own pattern. Its axis is the axis of the node, with the given parts replaced. `index` counts from 0 as in
   * `operandsOf`.
   */
  operand(index: number, axis?: Axis): Value;
  /** Adds a column to the scan of the node's rows. Only for leaves, because other nodes have no rows. */
  aggregate(aggregate: Aggregate): Value;
  /** Adds the mean of a value over the days of each period. The operands of the value are planned with this window, day by day. */
  meanOfDays(value: Value, window: Window): Value;
  /** Adds a scan that counts base events and credited events, the two operands of the node. */
  conversion(attribution: Attribution): { base: Value; credited: Value };
  /** Adds a warning to the answer if the test holds for any row. */
  warnIf(test: Test): void;
}

/**
 * The rows that a column aggregates for a period and a tuple of dimensions, if they are not simply the rows of that period and tuple. Each
 * pattern sets one of the fields.
 */
export interface Axis {
  /** Aggregates the rows of a window that ends on a day of the period, instead of the rows of the period. */
  window?: Window;
  /** Aggregates the rows of an earlier period. */
  shift?: Shift;
  /** Aggregates the rows of all tuples that have the same values in these dimensions, instead of the rows of one tuple. */
  within?: readonly string[];
}

export interface Window {
  /**
   * First day of the window: all earlier rows count (`start`), the start of the period of a grain, or a span that ends with the
   * window's last day.
   */
  from: 'start' | { startOf: Grain } | Span;
  /** Last day of the window: the last day of the period, its first day, or (`AVERAGE`) each of its days, with the mean of the values. */
  day: 'LAST' | 'FIRST' | 'AVERAGE';
}

/** A length of time. The unit `period` is the grain of the request. */
export interface Span {
  count: number;
  unit: Grain | 'period';
}

export interface Shift extends Span {
  /** True to count the whole earlier period even if the range cuts the period that is compared with it. */
  whole?: boolean;
}

export type WarningCode = 'NEGATIVE_BASE' | 'RATE_ABOVE_ONE' | 'ROUNDED_QUANTILE' | 'SHARES_DO_NOT_SUM';

/** A comparison of a value with a number. Without a value, the warning holds for every row. */
export type Test = { code: WarningCode } & ({ value: Value; op: '<' | '>'; than: number } | { value?: undefined });

/** How events are credited to base events. */
export interface Attribution {
  /** The name of the entity, in both bindings, that an event shares with its base event. */
  entity: string;
  /** How long after a base event an event can be credited to it. Null for any time after. */
  within: Span | null;
  /** The result for a group without credited events: 0 if true; NULL if false, as for a sum. `fill: zero` makes it 0 in both cases. */
  countsNone: boolean;
}

/** A function that aggregates the rows of one period and one tuple of dimensions. */
export interface Aggregate {
  /** The function with its parameters, as people read it. Aggregates with equal names, arguments and conditions are computed once. */
  name: string;
  args: SqlText[];
  where: SqlText[];
  /** Aggregates only the rows of the earliest or the latest time of each period and key. */
  pick?: Pick;
  /** Leaves out rows with a NULL argument. */
  completeRowsOnly?: boolean;
  /** The kind of arguments that the function accepts. */
  takes: 'numbers' | 'ordered' | 'anything';
  /** True if the result is one of the values of the argument, and so has its type. */
  keepsType?: boolean;
  /** True for functions that add up their argument. For a boolean argument they count its true values. */
  adds?: boolean;
  /** True for functions with a double as their result, which is rounded to 15 digits. */
  isFloat?: boolean;
  /** The function that combines the results for disjoint sets of rows into the result for all. Absent if there is none. */
  combine?: 'SUM' | 'MIN' | 'MAX';
  /** True for counts, which are 0 without rows. False for aggregates that are NULL without rows. */
  counts: boolean;
  /** True if adding zero changes nothing, so that `fill: zero` may put a zero into an empty period. */
  fillsWithZero: boolean;
  /** SQL of the aggregate. @param args each argument as SQL, in parentheses if needed */
  sql(args: string[], dialect: SqlDialect): string;
}

export interface Pick {
  end: 'FIRST' | 'LAST';
  /**
   * The key. The first or last time is chosen separately for each value of the key, whatever the dimensions. Null to choose one time for
   * all rows of a period and a tuple of dimensions.
   */
  by: SqlText | null;
}

/**
 * The value of a metric, as an expression over aggregated columns. Arithmetic is in numeric, and a division by zero is NULL
 * (metrics.md, pattern 5).
 */
export type Value =
  | {
      kind: 'column';
      name: string;
      /** True if the sum of the column's values over disjoint sets of rows is its value over all of these rows. */
      isAdditive: boolean;
      /** The type of the column's values if they are not numbers. Arithmetic on such a column is refused. */
      otherType?: string | undefined;
      /** The dimensions that the rows of a total agree in. Absent for all dimensions of the request. */
      within?: readonly string[] | undefined;
    }
  /** `value` is exact decimal text. */
  | { kind: 'number'; value: string }
  | { kind: 'negate'; operand: Value }
  | { kind: 'binary'; op: '+' | '-' | '*' | '/'; left: Value; right: Value }
  | { kind: 'scalar'; fn: ScalarName; operands: Value[] };
