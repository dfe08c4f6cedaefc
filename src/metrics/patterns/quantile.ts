import { type Leaf } from '../formula/formula-tree.js';
import { type MetricPattern } from './metric-pattern.js';

/** Pattern 3: `MEDIAN(x)` and `PERCENTILE(x, p[, CONT | DISC])`. CONT lies between two values, to 15 digits, DISC is one of them. */
export const quantile: MetricPattern<Extract<Leaf, { pattern: 'quantile' }>> = {
  plan: ({ argument, fraction, mode, where }, planner) =>
    planner.aggregate({
      name: `PERCENTILE ${fraction} ${mode}`,
      args: [argument],
      where,
      takes: mode === 'CONT' ? 'numbers' : 'ordered',
      keepsType: mode === 'DISC',
      isFloat: mode === 'CONT',
      counts: false,
      fillsWithZero: false,
      sql: ([value = ''], dialect) => dialect.quantile(value, fraction, mode),
    }),
};
