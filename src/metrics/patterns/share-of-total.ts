import { type Formula } from '../formula/formula-tree.js';
import { type MetricPattern, type Value } from './metric-pattern.js';

/** Pattern 9: the operand against itself over all tuples of dimensions, or over those that agree in the dimensions of WITHIN. */
export const shareOfTotal: MetricPattern<Extract<Formula, { kind: 'share' }>> = {
  plan({ within }, planner) {
    const part = planner.operand(0);
    if (!isAdditive(part)) planner.warnIf({ code: 'SHARES_DO_NOT_SUM' });
    return { kind: 'binary', op: '/', left: part, right: planner.operand(0, { within }) };
  },
};

/** True for sums and counts, their sums and their multiples. */
function isAdditive(value: Value): boolean {
  switch (value.kind) {
    case 'column':
      return value.isAdditive;
    case 'negate':
      return isAdditive(value.operand);
    case 'binary':
      if (value.op === '+' || value.op === '-') return isAdditive(value.left) && isAdditive(value.right);
      if (value.right.kind === 'number') return isAdditive(value.left);
      return value.op === '*' && value.left.kind === 'number' && isAdditive(value.right);
    case 'number':
    case 'scalar':
      return false;
    default:
      return value satisfies never;
  }
}
