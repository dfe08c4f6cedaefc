import { type SqlDialect } from '../../sql/dialects/postgres.js';
import { type Formula, type Grain, type ScalarName, type SqlText } from '../formula/formula-tree.js';

/** A pattern turns a node of a formula into a value over aggregated columns. */
export interface MetricPattern<Node extends Formula = Formula> {
  plan(node: Node, planner: Planner): Value;
}

/** The planner of a pattern's node. It knows neither bindings nor requests. */
export interface Planner {
  /** Whether the node's rows are those of windows up to one day. */
  readonly isWindowed: boolean;
  /** Whether an argument of the node is known to be a number, instead of a length of time. */
  isNumber(this: void, argument: SqlText): boolean;
  /** Plans an operand by its own pattern, on that axis within the node's own. Operands count from 0 as in `operandsOf`. */
  operand(index: number, axis?: Axis): Value;
  /** Adds a column to the scan of the node's own rows. Only leaves have rows. */
  aggregate(aggregate: Aggregate): Value;
  /** The mean of arithmetic over the days of each period. Its operands are planned on that window, day by day. */
  meanOfDays(value: Value, window: Window): Value;
  /** Adds a scan of the events that the node's two operands count. */
  conversion(attribution: Attribution): { base: Value; credited: Value };
  /** Has the answer warn when the test holds for a row. */
  warnIf(test: Test): void;
}

/** The rows that a column counts for a period, where they are not simply its own. Each pattern sets one of the parts. */
export interface Axis {
  /** The rows up to a day of the period, instead of those in it. */
  window?: Window;
  /** The rows of a period before it. */
  shift?: Shift;
  /** The rows of all tuples that agree in these dimensions, instead of those of one tuple. */
  within?: readonly string[];
}

export interface Window {
  /** Start of the rows: none (`start`), the start of the period of that grain, or so long before the day. */
  from: 'start' | { startOf: Grain } | Span;
  /** The day of a period up to which rows count: its last one, its first one, or each of them, for the mean of their values. */
  day: 'LAST' | 'FIRST' | 'AVERAGE';
}

/** A length of time. `period` is the grain of the request. */
export interface Span {
  count: number;
  unit: Grain | 'period';
}

export interface Shift extends Span {
  /** True to take all of the earlier period also where the range cuts the later one. */
  whole?: boolean;
}

export type WarningCode = 'NEGATIVE_BASE' | 'RATE_ABOVE_ONE' | 'ROUNDED_QUANTILE' | 'SHARES_DO_NOT_SUM';

/** A comparison of a value with a number, or what holds for every row. */
export type Test = { code: WarningCode } & ({ value: Value; op: '<' | '>'; than: number } | { value?: undefined });

/** How events are credited to base events. */
export interface Attribution {
  /** The entity that an event shares with its base event, by its name in both bindings. */
  entity: string;
  /** How long a base event counts. Null for ever. */
  within: Span | null;
  /** True if the count without a credited event is 0, false if it is NULL, as for a sum. `fill: zero` makes it 0 either way. */
  countsNone: boolean;
}

/** A function over the rows of one period and one tuple of dimensions. */
export interface Aggregate {
  /** The function, with its parameters, as people read it. The same name over equal arguments and conditions is computed once. */
  name: string;
  args: SqlText[];
  where: SqlText[];
  /** Takes only the rows of the latest or the earliest time of each period and key. */
  pick?: Pick;
  /** Leaves out rows with a NULL argument. */
  completeRowsOnly?: boolean;
  /** The kind of arguments that the function takes. */
  takes: 'numbers' | 'ordered' | 'anything';
  /** True where a value is one of its argument's, and of its type. */
  keepsType?: boolean;
  /** True for functions that add their argument up. They count the true values of a boolean argument. */
  adds?: boolean;
  /** True for functions whose result is a double. It is rounded to 15 digits. */
  isFloat?: boolean;
  /** The function that makes one result of the results for disjoint rows, if there is one. */
  combine?: 'SUM' | 'MIN' | 'MAX';
  /** True for counts, which are 0 without rows. All other aggregates are NULL then. */
  counts: boolean;
  /** True when adding zero changes nothing, so that `fill: zero` may put it into an empty period. */
  fillsWithZero: boolean;
  /** @param args each argument as SQL, in parentheses if needed */
  sql(args: string[], dialect: SqlDialect): string;
}

export interface Pick {
  end: 'FIRST' | 'LAST';
  /** Null for one time for all rows of a period and a tuple of dimensions. With a key, dimensions do not matter. */
  by: SqlText | null;
}

/** The value of a metric. All of it is numeric, and a division by zero is NULL (metrics.md, pattern 5). */
export type Value =
  | {
      kind: 'column';
      name: string;
      /** True if the sum over disjoint rows is that of all rows. */
      isAdditive: boolean;
      /** The type of its values, if they are not numbers. Arithmetic on them is refused. */
      otherType?: string | undefined;
      /** The dimensions in which its rows agree. All that are asked for if left out. */
      within?: readonly string[] | undefined;
    }
  /** Exact decimal text. */
  | { kind: 'number'; value: string }
  | { kind: 'negate'; operand: Value }
  | { kind: 'binary'; op: '+' | '-' | '*' | '/'; left: Value; right: Value }
  | { kind: 'scalar'; fn: ScalarName; operands: Value[] };
