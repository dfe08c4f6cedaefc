import { type Formula } from '../formula/formula-tree.js';
import { type MetricPattern, type NotBuilt } from './metric-pattern.js';

/** Pattern 7: `CUMULATIVE(m)`, `TO_DATE(m, grain)` and `ROLLING(m, n grain)`, the operand over the rows up to a day of each period. */
export const accumulate: MetricPattern<Extract<Formula, { kind: 'accumulate' }>> = {
  notBuilt: ({ fn, at, operand }) =>
    at === 'AVERAGE' && operand.kind !== 'leaf' && operand.kind !== 'metric' ? meanOfArithmetic(fn) : null,
  plan({ fn, count, grain, at }, planner) {
    const from = grain === null ? 'start' : fn === 'TO_DATE' ? { startOf: grain } : { count: count ?? 1, unit: grain };
    const value = planner.operand(0, { window: { from, day: at } });
    // The mean of ratios is not the ratio of means.
    if (at === 'AVERAGE' && value.kind !== 'column') planner.refuse(meanOfArithmetic(fn));
    return value;
  },
};

export function meanOfArithmetic(fn: string): NotBuilt {
  return {
    what: `accumulate ${fn} … AVERAGE of arithmetic`,
    instead: {
      zh: '请改用 LAST 或 FIRST，或对其中每个聚合取 AVERAGE 再运算',
      en: 'use LAST or FIRST, or compute with the AVERAGE of each aggregate in it',
    },
  };
}
