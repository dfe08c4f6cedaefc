import { type Leaf } from '../formula/formula-tree.js';
import { type MetricPattern } from './metric-pattern.js';

/** The largest integer of 15 digits. A quantile is rounded to 15 digits, so a larger quantile loses its last digits before the point. */
const mostExact = 999_999_999_999_999;

/**
 * Pattern 3: `MEDIAN(x)` and `PERCENTILE(x, p[, CONT | DISC])`. CONT interpolates between two values, to 15 digits. DISC is one of the
 * values.
 */
export const quantile: MetricPattern<Extract<Leaf, { pattern: 'quantile' }>> = {
  plan({ argument, fraction, mode, where }, planner) {
    const value = planner.aggregate({
      name: `PERCENTILE ${fraction} ${mode}`,
      args: [argument],
      where,
      takes: mode === 'CONT' ? 'numbers' : 'ordered',
      keepsType: mode === 'DISC',
      isFloat: mode === 'CONT',
      counts: false,
      fillsWithZero: false,
      sql: ([sql = ''], dialect) => dialect.quantile(sql, fraction, mode),
    });
    if (mode === 'CONT')
      planner.warnIf({ code: 'ROUNDED_QUANTILE', value: { kind: 'scalar', fn: 'ABS', operands: [value] }, op: '>', than: mostExact });
    return value;
  },
};
