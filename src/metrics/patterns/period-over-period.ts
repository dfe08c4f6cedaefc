import { type Formula } from '../formula/formula-tree.js';
import { type MetricPattern, type Span, type Value } from './metric-pattern.js';

const spans: Record<string, Span['unit']> = { YOY: 'year', QOQ: 'quarter', MOM: 'month', WOW: 'week', DOD: 'day', POP: 'period' };

/** Pattern 8: compares the operand with its value some periods before. The rate is NULL if the earlier value is zero or missing. */
export const periodOverPeriod: MetricPattern<Extract<Formula, { kind: 'period_over_period' }>> = {
  plan({ fn, count, grain, mode }, planner) {
    const before = planner.operand(0, { shift: { count: count ?? 1, unit: grain ?? spans[fn] ?? 'period' } });
    if (mode === 'VALUE') return before;
    const change: Value = { kind: 'binary', op: '-', left: planner.operand(0), right: before };
    if (mode === 'DIFF') return change;
    planner.warnIf({ code: 'NEGATIVE_BASE', value: before, op: '<', than: 0 });
    return { kind: 'binary', op: '/', left: change, right: before };
  },
};
