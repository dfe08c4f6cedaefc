import { type Leaf } from '../formula/formula-tree.js';
import { type MetricPattern } from './metric-pattern.js';

/** Pattern 2: `COUNT(DISTINCT k1[, k2])`. A row of which one key is NULL is not a distinct pair, as a single NULL key is not counted. */
export const countDistinct: MetricPattern<Extract<Leaf, { pattern: 'count_distinct' }>> = {
  plan: ({ keys, where }, planner) =>
    planner.aggregate({
      name: 'COUNT DISTINCT',
      args: keys,
      where,
      completeRowsOnly: keys.length > 1,
      counts: true,
      fillsWithZero: true,
      sql: (args, dialect) => `COUNT(DISTINCT ${dialect.tuple(args)})`,
    }),
};
