import { type Leaf } from '../formula/formula-tree.js';
import { type MetricPattern } from './metric-pattern.js';

/** Pattern 1: `SUM(expr [WHERE p])` and other aggregates, and `LAST(expr [BY key])`, the sum over the rows of the last time of each key. */
export const aggregate: MetricPattern<Extract<Leaf, { pattern: 'aggregate' }>> = {
  plan({ fn, argument, by, where }, planner) {
    const args = argument ? [argument] : [];
    if (fn === 'FIRST' || fn === 'LAST')
      return planner.aggregate({
        name: fn,
        args,
        where,
        pick: { end: fn, by },
        takes: 'numbers',
        adds: true,
        counts: false,
        fillsWithZero: false,
        sql: ([arg = '']) => `SUM(${arg})`,
      });
    if (fn === 'AVG' && planner.isWindowed && args.every(planner.isNumber)) {
      // The mean of a window of days is the sum of the days' sums, divided by the sum of their counts. So AVG is planned as two columns.
      const part = { args, where, takes: 'numbers' as const, adds: true, combine: 'SUM' as const, counts: false, fillsWithZero: false };
      const sum = planner.aggregate({ ...part, name: fn, sql: ([arg = '']) => `SUM(${arg})` });
      const count = planner.aggregate({ ...part, name: 'COUNT OF AVG', sql: ([arg = '']) => `COUNT(${arg})` });
      return { kind: 'binary', op: '/', left: sum, right: count };
    }
    return planner.aggregate({
      name: fn,
      args,
      where,
      takes: fn === 'COUNT' ? 'anything' : fn === 'MIN' || fn === 'MAX' ? 'ordered' : 'numbers',
      keepsType: fn === 'MIN' || fn === 'MAX',
      adds: fn === 'SUM' || fn === 'AVG',
      combine: fn === 'COUNT' ? 'SUM' : fn === 'SUM' || fn === 'MIN' || fn === 'MAX' ? fn : undefined,
      counts: fn === 'COUNT',
      fillsWithZero: fn === 'COUNT' || fn === 'SUM',
      sql: ([arg = '*']) => `${fn}(${arg})`,
    });
  },
};
