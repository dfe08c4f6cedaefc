import { type Formula } from '../formula/formula-tree.js';
import { arithmetic } from './arithmetic.js';
import { type MetricPattern, type Value } from './metric-pattern.js';

/** Pattern 5: `RATIO(A, B)` and `PERCENT(A, B)`. `A / B [* 100]` is planned as arithmetic. */
export const ratio: MetricPattern<Extract<Formula, { kind: 'ratio' | 'binary' }>> = {
  plan(node, planner) {
    if (node.kind === 'binary') return arithmetic.plan(node, planner);
    const quotient: Value = { kind: 'binary', op: '/', left: planner.operand(0), right: planner.operand(1) };
    return node.percent ? { kind: 'binary', op: '*', left: { kind: 'number', value: '100' }, right: quotient } : quotient;
  },
};
