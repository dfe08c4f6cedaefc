import { type SqlDialect } from '../../sql/dialects/postgres.js';
import { type Test, type Value } from '../patterns/metric-pattern.js';

export type ValueColumn = Extract<Value, { kind: 'column' }>;
/** Returns the SQL of an aggregated column that a value names. */
export type ColumnSql = (column: ValueColumn) => string;

/**
 * SQL of a value over the aggregated columns. Operands are numeric, so that `7 / 2` is 3.5 and counts cannot overflow. Every divisor is
 * `NULLIF(…, 0)`, so that a zero denominator gives NULL, never an error or Infinity (pattern 5).
 */
export function compileValue(value: Value, columnSql: ColumnSql, dialect: SqlDialect): string {
  return value.kind === 'column' ? columnSql(value) : decimal(value);

  function decimal(operand: Value): string {
    switch (operand.kind) {
      case 'column':
        return dialect.toDecimal(columnSql(operand));
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

/** The aggregated columns that a value combines. */
export function columnsOf(value: Value): ValueColumn[] {
  switch (value.kind) {
    case 'column':
      return [value];
    case 'number':
      return [];
    case 'negate':
      return columnsOf(value.operand);
    case 'binary':
      return [...columnsOf(value.left), ...columnsOf(value.right)];
    case 'scalar':
      return value.operands.flatMap(columnsOf);
    default:
      return value satisfies never;
  }
}

/** The test of a warning, as a condition on a row of the result. */
export function compileTest(test: Test, columnSql: ColumnSql, dialect: SqlDialect): string {
  if (!test.value) return 'TRUE';
  return `COALESCE(${compileValue(test.value, columnSql, dialect)} ${test.op} ${test.than}, FALSE)`;
}
