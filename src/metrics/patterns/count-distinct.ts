import { type Leaf } from '../formula/formula-tree.js';
import { type MetricPattern } from './metric-pattern.js';

/** Pattern 2: `COUNT(DISTINCT k1[, k2])`. A row with a NULL key is not counted, also if only one of two keys is NULL. */
export const countDistinct: MetricPattern<Extract<Leaf, { pattern: 'count_distinct' }>> = {
  plan: ({ keys, where }, planner) =>
    planner.aggregate({
      name: 'COUNT DISTINCT',
      args: keys,
      where,
      takes: 'anything',
      completeRowsOnly: keys.length > 1,
      counts: true,
      fillsWithZero: true,
      sql: (args, dialect) => `COUNT(DISTINCT ${dialect.tuple(args)})`,
    }),
};
