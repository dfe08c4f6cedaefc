/** All patterns, in the order of the documentation. Patterns 1 to 4 are leaves: they read rows. */
export type Pattern = Leaf['pattern'] | 'ratio' | 'arithmetic' | 'accumulate' | 'period_over_period' | 'share_of_total' | 'conversion';

export type Grain = 'hour' | 'day' | 'week' | 'month' | 'quarter' | 'year';
/** The grains whose periods begin with a day. */
export type CalendarGrain = Exclude<Grain, 'hour'>;
export type AggregateName = 'SUM' | 'COUNT' | 'AVG' | 'MIN' | 'MAX' | 'STDDEV' | 'VARIANCE' | 'FIRST' | 'LAST';
export type ScalarName = 'ROUND' | 'ABS' | 'COALESCE' | 'NULLIF' | 'GREATEST' | 'LEAST';

/** A piece of SQL inside a leaf, not yet judged by the SQL guard, and its start in the formula (1-based characters). */
export interface SqlText {
  text: string;
  position: number;
}

interface LeafParts {
  kind: 'leaf';
  /** Joined by AND. A leaf takes one WHERE inside its parentheses and one behind them. */
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
  /** Exact decimal text; `5%` is already `0.05`. */
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
      /** The days of a period whose value it has: its last one, its first one, or the mean of all. */
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

/** The operands of a node, in the order they are written. */
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

/** Every piece of SQL in a formula. */
export function sqlTexts(root: Formula): SqlText[] {
  if (root.kind !== 'leaf') return operandsOf(root).flatMap(sqlTexts);
  return [...argumentsOf(root).filter(text => text !== null), ...root.where];
}

/** The expressions of a leaf, null for the `*` of a count. */
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

/** The metrics that a formula names, each once. */
export function metricNames(root: Formula): string[] {
  return root.kind === 'metric' ? [root.name] : [...new Set(operandsOf(root).flatMap(metricNames))];
}
