import { type SqlDialect } from '../../sql/dialects/postgres.js';
import { type Formula, type ScalarName, type SqlText } from '../formula/formula-tree.js';

/** One of the ten patterns: how a node of a formula becomes a value over aggregated columns. */
export interface MetricPattern<Node extends Formula = Formula> {
  /** The part of the pattern that this node is and that cannot be run, as `aggregate LAST`; null when all of it can. */
  notBuilt?(node: Node): string | null;
  plan(node: Node, planner: Planner): Value;
}

/** What a pattern plans with. It knows neither bindings nor requests. */
export interface Planner {
  /** An operand, counted from 0 as in `operandsOf`, planned by its own pattern. */
  operand(index: number): Value;
  /** A column of the scan of the node's own rows. Only leaves have rows. */
  aggregate(aggregate: Aggregate): Value;
}

/** What is computed of the rows of one period and one tuple of dimensions. */
export interface Aggregate {
  /** What it computes of its arguments, parameters included: one name over equal arguments and conditions is computed once. */
  name: string;
  args: SqlText[];
  where: SqlText[];
  /** Leaves out the rows of which an argument is NULL. */
  completeRowsOnly?: boolean;
  /** Counts are 0 where there are no rows, everything else is NULL. */
  counts: boolean;
  /** True when zero adds nothing to it, so that `fill: zero` may put it into an empty period. */
  fillsWithZero: boolean;
  /** @param args each argument as SQL, in parentheses where it needs them */
  sql(args: string[], dialect: SqlDialect): string;
}

/** What a metric comes to. All of it is numeric, and a division by zero is NULL (metrics.md, pattern 5). */
export type Value =
  | { kind: 'column'; name: string }
  /** Exact decimal text. */
  | { kind: 'number'; value: string }
  | { kind: 'negate'; operand: Value }
  | { kind: 'binary'; op: '+' | '-' | '*' | '/'; left: Value; right: Value }
  | { kind: 'scalar'; fn: ScalarName; operands: Value[] };
