import { type ResolvedFormula } from './resolve-metric.js';

/**
 * The formula over the aggregated columns. Operands are numeric, so that `7 / 2` is 3.5 and counts cannot overflow; every divisor
 * is `NULLIF(…, 0)`: a zero denominator gives NULL, never an error, never Infinity (pattern 5).
 * @param columnOf the aggregated column of a leaf
 */
export function compileValue(node: ResolvedFormula, columnOf: (leaf: Extract<ResolvedFormula, { kind: 'leaf' }>) => string): string {
  return node.kind === 'leaf' ? columnOf(node) : numeric(node);

  function numeric(operand: ResolvedFormula): string {
    switch (operand.kind) {
      case 'leaf':
        return `${columnOf(operand)}::numeric`;
      case 'number':
        return `${operand.value}::numeric`;
      case 'negate':
        return `(- ${numeric(operand.operand)})`;
      case 'binary':
        return operand.op === '/'
          ? divide(operand.left, operand.right)
          : `(${numeric(operand.left)} ${operand.op} ${numeric(operand.right)})`;
      case 'ratio':
        return operand.percent
          ? `(100 * ${divide(operand.numerator, operand.denominator)})`
          : divide(operand.numerator, operand.denominator);
      case 'scalar': {
        const [first = '', ...rest] = operand.operands.map(numeric);
        if (operand.fn === 'ROUND') {
          const digits = operand.operands[1];
          return `ROUND(${first}, ${digits?.kind === 'number' ? digits.value : '0'})`;
        }
        return `${operand.fn}(${[first, ...rest].join(', ')})`;
      }
      default:
        return operand satisfies never;
    }
  }

  function divide(numerator: ResolvedFormula, denominator: ResolvedFormula): string {
    return `(${numeric(numerator)} / NULLIF(${numeric(denominator)}, 0))`;
  }
}

/** The leaves of a formula, left to right. */
export function leavesOf(node: ResolvedFormula): Extract<ResolvedFormula, { kind: 'leaf' }>[] {
  switch (node.kind) {
    case 'leaf':
      return [node];
    case 'number':
      return [];
    case 'negate':
      return leavesOf(node.operand);
    case 'binary':
      return [...leavesOf(node.left), ...leavesOf(node.right)];
    case 'ratio':
      return [...leavesOf(node.numerator), ...leavesOf(node.denominator)];
    case 'scalar':
      return node.operands.flatMap(leavesOf);
    default:
      return node satisfies never;
  }
}
