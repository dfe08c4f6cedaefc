/** All patterns, in the order of the documentation. Patterns 1 to 4 are leaves: they read rows. */
export type Pattern = Leaf['pattern'] | 'ratio' | 'arithmetic' | 'accumulate' | 'period_over_period' | 'share_of_total' | 'conversion';

export type Grain = 'hour' | 'day' | 'week' | 'month' | 'quarter' | 'year';
/** The grains whose periods begin at the start of a local day: all except the hour. */
export type CalendarGrain = Exclude<Grain, 'hour'>;
export type AggregateName = 'SUM' | 'COUNT' | 'AVG' | 'MIN' | 'MAX' | 'STDDEV' | 'VARIANCE' | 'FIRST' | 'LAST';
export type ScalarName = 'ROUND' | 'ABS' | 'COALESCE' | 'NULLIF' | 'GREATEST' | 'LEAST';

/**
 * A piece of SQL inside a leaf, before the SQL guard has judged it. `position` is the place of its start in the formula, in characters
 * from 1.
 */
export interface SqlText {
  text: string;
  position: number;
}

interface LeafParts {
  kind: 'leaf';
  /** The predicates of the leaf, joined by AND. A leaf may have one WHERE inside its parentheses and one after them. */
  where: SqlText[];
  position: number;
}
export type Leaf = LeafParts &
  (
    | { pattern: 'aggregate'; fn: AggregateName; /** null for `COUNT(*)` */ argument: SqlText | null; by: SqlText | null }
    | { pattern: 'count_distinct'; keys: SqlText[] }
    | { pattern: 'quantile'; argument: SqlText; fraction: string; mode: 'CONT' | 'DISC' }
    | { pattern: 'weighted_average'; value: SqlText; weight: SqlText }
  );

export type Formula =
  | Leaf
  /** `value` is exact decimal text; for `5%` it is `0.05`. */
  | { kind: 'number'; value: string; position: number }
  | { kind: 'metric'; name: string; position: number }
  | { kind: 'negate'; operand: Formula; position: number }
  | { kind: 'binary'; op: '+' | '-' | '*' | '/'; left: Formula; right: Formula; position: number }
  | { kind: 'scalar'; fn: ScalarName; operands: Formula[]; position: number }
  | { kind: 'ratio'; percent: boolean; numerator: Formula; denominator: Formula; position: number }
  | {
      kind: 'accumulate';
      fn: 'CUMULATIVE' | 'TO_DATE' | 'ROLLING';
      operand: Formula;
      grain: Grain | null;
      count: number | null;
      /**
       * The day of each period on which the window ends: the last, the first, or (`AVERAGE`) each day in turn, with the mean of the values.
       */
      at: 'LAST' | 'FIRST' | 'AVERAGE';
      position: number;
    }
  | {
      kind: 'period_over_period';
      fn: string;
      operand: Formula;
      grain: Grain | null;
      count: number | null;
      mode: 'RATE' | 'DIFF' | 'VALUE';
      position: number;
    }
  | { kind: 'share'; operand: Formula; within: string[]; position: number }
  | {
      kind: 'conversion';
      base: string;
      converted: string;
      entity: string;
      within: { count: number; grain: Grain } | null;
      mode: 'RATE' | 'COUNT';
      position: number;
    };

export interface ParsedFormula {
  pattern: Pattern;
  root: Formula;
}

/** The operands of a node, in the order in which the formula has them. */
export function operandsOf(node: Formula): Formula[] {
  switch (node.kind) {
    case 'leaf':
    case 'number':
    case 'metric':
      return [];
    case 'conversion':
      return [node.base, node.converted].map(name => ({ kind: 'metric', name, position: node.position }));
    case 'negate':
    case 'accumulate':
    case 'period_over_period':
    case 'share':
      return [node.operand];
    case 'binary':
      return [node.left, node.right];
    case 'ratio':
      return [node.numerator, node.denominator];
    case 'scalar':
      return node.operands;
    default:
      return node satisfies never;
  }
}

/** All pieces of SQL in a formula. */
export function sqlTexts(root: Formula): SqlText[] {
  if (root.kind !== 'leaf') return operandsOf(root).flatMap(sqlTexts);
  return [...argumentsOf(root).filter(text => text !== null), ...root.where];
}

/** The arguments of a leaf. Null for the `*` of a count, and for a `BY` that is left out. */
export function argumentsOf(leaf: Leaf): (SqlText | null)[] {
  switch (leaf.pattern) {
    case 'aggregate':
      return [leaf.argument, leaf.by];
    case 'count_distinct':
      return leaf.keys;
    case 'quantile':
      return [leaf.argument];
    case 'weighted_average':
      return [leaf.value, leaf.weight];
    default:
      return leaf satisfies never;
  }
}

/** The distinct names of the metrics that a formula refers to. */
export function metricNames(root: Formula): string[] {
  return root.kind === 'metric' ? [root.name] : [...new Set(operandsOf(root).flatMap(metricNames))];
}
