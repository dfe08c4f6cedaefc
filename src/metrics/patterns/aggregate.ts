import { type Leaf } from '../formula/formula-tree.js';
import { type MetricPattern } from './metric-pattern.js';

/** Pattern 1: `SUM(expr [WHERE p])` and the like, and `LAST(expr [BY key])`, the sum over the rows of the last time of each key. */
export const aggregate: MetricPattern<Extract<Leaf, { pattern: 'aggregate' }>> = {
  plan({ fn, argument, by, where }, planner) {
    const args = argument ? [argument] : [];
    if (fn === 'FIRST' || fn === 'LAST')
      return planner.aggregate({
        name: fn,
        args,
        where,
        pick: { end: fn, by },
        adds: true,
        counts: false,
        fillsWithZero: false,
        sql: ([arg = '']) => `SUM(${arg})`,
      });
    return planner.aggregate({
      name: fn,
      args,
      where,
      adds: fn === 'SUM' || fn === 'AVG',
      combine: fn === 'COUNT' ? 'SUM' : fn === 'SUM' || fn === 'MIN' || fn === 'MAX' ? fn : undefined,
      counts: fn === 'COUNT',
      fillsWithZero: fn === 'COUNT' || fn === 'SUM',
      sql: ([arg = '*']) => `${fn}(${arg})`,
    });
  },
};
