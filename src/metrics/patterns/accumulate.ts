import { type Formula } from '../formula/formula-tree.js';
import { type MetricPattern, type Window } from './metric-pattern.js';

/**
 * Pattern 7: `CUMULATIVE(m)`, `TO_DATE(m, grain)` and `ROLLING(m, n grain)`. The operand is computed over the rows of a window that
 * ends on a day of each period.
 */
export const accumulate: MetricPattern<Extract<Formula, { kind: 'accumulate' }>> = {
  plan({ fn, count, grain, at }, planner) {
    const from = grain === null ? 'start' : fn === 'TO_DATE' ? { startOf: grain } : { count: count ?? 1, unit: grain };
    const window: Window = { from, day: at };
    const value = planner.operand(0, { window });
    // A scan takes the mean of each column separately. The mean of ratios is not the ratio of means, so arithmetic gets a mean of its own.
    return at === 'AVERAGE' && value.kind !== 'column' ? planner.meanOfDays(value, window) : value;
  },
};
