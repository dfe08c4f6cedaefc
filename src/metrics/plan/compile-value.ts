import { type SqlDialect } from '../../sql/dialects/postgres.js';
import { type Value } from '../patterns/metric-pattern.js';

/**
 * A value as SQL over the aggregated columns. Operands are numeric, so that `7 / 2` is 3.5 and counts cannot overflow. Every
 * divisor is `NULLIF(…, 0)`, so that a zero denominator gives NULL, never an error or Infinity (pattern 5).
 */
export function compileValue(value: Value, dialect: SqlDialect): string {
  return value.kind === 'column' ? dialect.quote(value.name) : decimal(value);

  function decimal(operand: Value): string {
    switch (operand.kind) {
      case 'column':
        return dialect.toDecimal(dialect.quote(operand.name));
      case 'number':
        return dialect.decimal(operand.value);
      case 'negate':
        return `(- ${decimal(operand.operand)})`;
      case 'binary': {
        const [left, right] = [decimal(operand.left), decimal(operand.right)];
        return operand.op === '/' ? `(${left} / NULLIF(${right}, 0))` : `(${left} ${operand.op} ${right})`;
      }
      case 'scalar': {
        const [first = '', ...rest] = operand.operands.map(decimal);
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
}
