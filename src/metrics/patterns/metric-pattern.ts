import { type SqlDialect } from '../../sql/dialects/postgres.js';
import { type Formula, type ScalarName, type SqlText } from '../formula/formula-tree.js';

/** One of the ten patterns. It turns a node of a formula into a value over aggregated columns. */
export interface MetricPattern<Node extends Formula = Formula> {
  /** The part of the pattern that this node needs and that is not built, such as `aggregate LAST`. Null when all of it is built. */
  notBuilt?(node: Node): string | null;
  plan(node: Node, planner: Planner): Value;
}

/** The planner of a pattern's node. It knows neither bindings nor requests. */
export interface Planner {
  /** Plans an operand by its own pattern. Operands count from 0 as in `operandsOf`. */
  operand(index: number): Value;
  /** Adds a column to the scan of the node's own rows. Only leaves have rows. */
  aggregate(aggregate: Aggregate): Value;
}

/** A function over the rows of one period and one tuple of dimensions. */
export interface Aggregate {
  /** Identifies the function, with its parameters. The same name over equal arguments and conditions is computed once. */
  name: string;
  args: SqlText[];
  where: SqlText[];
  /** Leaves out rows with a NULL argument. */
  completeRowsOnly?: boolean;
  /** True for functions that add their argument up. Of true and false they count the true ones. */
  adds?: boolean;
  /** True for functions whose result is a double. It is rounded to 15 digits. */
  isFloat?: boolean;
  /** True for counts, which are 0 without rows. All other aggregates are NULL then. */
  counts: boolean;
  /** True when adding zero changes nothing, so that `fill: zero` may put it into an empty period. */
  fillsWithZero: boolean;
  /** @param args each argument as SQL, in parentheses if needed */
  sql(args: string[], dialect: SqlDialect): string;
}

/** The value of a metric. All of it is numeric, and a division by zero is NULL (metrics.md, pattern 5). */
export type Value =
  | { kind: 'column'; name: string }
  /** Exact decimal text. */
  | { kind: 'number'; value: string }
  | { kind: 'negate'; operand: Value }
  | { kind: 'binary'; op: '+' | '-' | '*' | '/'; left: Value; right: Value }
  | { kind: 'scalar'; fn: ScalarName; operands: Value[] };
