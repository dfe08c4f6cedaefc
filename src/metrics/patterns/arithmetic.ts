import { type Formula } from '../formula/formula-tree.js';
import { type MetricPattern } from './metric-pattern.js';

/** Pattern 6: `+ - * /`, a sign, numbers and scalar functions over metrics and leaves. */
export const arithmetic: MetricPattern<Extract<Formula, { kind: 'number' | 'negate' | 'binary' | 'scalar' }>> = {
  plan(node, planner) {
    switch (node.kind) {
      case 'number':
        return { kind: 'number', value: node.value };
      case 'negate':
        return { kind: 'negate', operand: planner.operand(0) };
      case 'binary':
        return { kind: 'binary', op: node.op, left: planner.operand(0), right: planner.operand(1) };
      case 'scalar':
        return { kind: 'scalar', fn: node.fn, operands: node.operands.map((_, index) => planner.operand(index)) };
      default:
        return node satisfies never;
    }
  },
};
