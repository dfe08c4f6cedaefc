import { type Formula } from '../formula/formula-tree.js';
import { type MetricPattern } from './metric-pattern.js';

/** Pattern 7: `CUMULATIVE(m)`, `TO_DATE(m, grain)` and `ROLLING(m, n grain)`, the operand over the rows up to a day of each period. */
export const accumulate: MetricPattern<Extract<Formula, { kind: 'accumulate' }>> = {
  notBuilt: ({ fn, at }) => (at === 'AVERAGE' ? `accumulate ${fn} … AVERAGE` : null),
  plan({ fn, count, grain, at }, planner) {
    const day = at === 'FIRST' ? 'FIRST' : 'LAST';
    if (grain === null) return planner.operand(0, { window: { from: 'start', day } });
    return planner.operand(0, { window: { from: fn === 'TO_DATE' ? { startOf: grain } : { count: count ?? 1, unit: grain }, day } });
  },
};
