import { type Leaf } from '../formula/formula-tree.js';
import { type MetricPattern } from './metric-pattern.js';

/**
 * Pattern 4: `WAVG(value, weight)`. A row without the value or the weight counts neither for the sum of products nor for the sum of
 * weights.
 */
export const weightedAverage: MetricPattern<Extract<Leaf, { pattern: 'weighted_average' }>> = {
  plan({ value, weight, where }, planner) {
    const complete = {
      where,
      takes: 'numbers' as const,
      completeRowsOnly: true,
      combine: 'SUM' as const,
      counts: false,
      fillsWithZero: false,
    };
    const args = [value, weight];
    const weighted = planner.aggregate({
      ...complete,
      name: 'WAVG',
      args,
      sql: (sides, { toDecimal }) => `SUM(${sides.map(toDecimal).join(' * ')})`,
    });
    const weights = planner.aggregate({ ...complete, name: 'WAVG weights', args, sql: ([, side = '']) => `SUM(${side})` });
    return { kind: 'binary', op: '/', left: weighted, right: weights };
  },
};
