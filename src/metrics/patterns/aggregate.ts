import { type Leaf } from '../formula/formula-tree.js';
import { type MetricPattern } from './metric-pattern.js';

/** Pattern 1: `SUM(expr [WHERE p])` and the like. FIRST and LAST, and BY, need rows of their own and are not built. */
export const aggregate: MetricPattern<Extract<Leaf, { pattern: 'aggregate' }>> = {
  notBuilt({ fn, by }) {
    if (by) return `aggregate with BY (${fn} … BY)`;
    return fn === 'FIRST' || fn === 'LAST' ? `aggregate ${fn}` : null;
  },
  plan: ({ fn, argument, where }, planner) =>
    planner.aggregate({
      name: fn,
      args: argument ? [argument] : [],
      where,
      adds: fn === 'SUM' || fn === 'AVG',
      combine: fn === 'COUNT' ? 'SUM' : fn === 'SUM' || fn === 'MIN' || fn === 'MAX' ? fn : undefined,
      counts: fn === 'COUNT',
      fillsWithZero: fn === 'COUNT' || fn === 'SUM',
      sql: ([arg = '*']) => `${fn}(${arg})`,
    }),
};
