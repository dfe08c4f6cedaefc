import { type Formula } from '../formula/formula-tree.js';
import { type MetricPattern, type Value } from './metric-pattern.js';

/**
 * Pattern 9: the operand divided by the same operand over all tuples of dimensions, or over the tuples that agree in the dimensions of
 * WITHIN.
 */
export const shareOfTotal: MetricPattern<Extract<Formula, { kind: 'share' }>> = {
  plan({ within }, planner) {
    const part = planner.operand(0);
    if (!addsUp(part)) planner.warnIf({ code: 'SHARES_DO_NOT_SUM' });
    return { kind: 'binary', op: '/', left: part, right: planner.operand(0, { within }) };
  },
};

/** Whether values over disjoint sets of rows add up to the value over all rows: sums and counts, and sums and multiples of these. */
export function addsUp(value: Value): boolean {
  switch (value.kind) {
    case 'column':
      return value.isAdditive;
    case 'negate':
      return addsUp(value.operand);
    case 'binary':
      if (value.op === '+' || value.op === '-') return addsUp(value.left) && addsUp(value.right);
      if (value.right.kind === 'number') return addsUp(value.left);
      return value.op === '*' && value.left.kind === 'number' && addsUp(value.right);
    case 'number':
    case 'scalar':
      return false;
    default:
      return value satisfies never;
  }
}
