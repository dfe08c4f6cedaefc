import { type Leaf } from '../formula/formula-tree.js';
import { type MetricPattern } from './metric-pattern.js';

/** Pattern 2: `COUNT(DISTINCT k1[, k2])`. A row with a NULL in any of its keys is not counted. */
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
