import { greatestInteger, leastInteger } from './cypher-value.js';
import { Decimal } from './decimal.js';
import { mostDecimals, quotientOf, roundedHalfUp } from './decimal-quotient.js';
import { type CypherNumber, decimalOf, floatOf } from './numbers.js';
import { ValueFault } from './value-fault.js';

interface Operation {
  integers: (a: bigint, b: bigint) => bigint;
  decimals: (a: Decimal, b: Decimal) => Decimal;
  floats: (a: number, b: number) => number;
}

const wholeBound = 10n ** BigInt(mostDecimals);

export const addNumbers = operation({
  integers: (a, b) => a + b,
  decimals: (a, b) => a.plus(b),
  floats: (a, b) => a + b,
});

export const subtractNumbers = operation({
  integers: (a, b) => a - b,
  decimals: (a, b) => a.minus(b),
  floats: (a, b) => a - b,
});

export const multiplyNumbers = operation({
  integers: (a, b) => a * b,
  decimals: (a, b) => a.times(b),
  floats: (a, b) => a * b,
});

/** `/`: integers divide to integers, towards zero. */
export const divideNumbers = operation({
  integers: (a, b) => a / divisor(b),
  decimals: (a, b) => quotientOf(a, nonZero(b)),
  floats: (a, b) => a / b,
});

/** `%`: the remainder has the sign of the dividend. */
export const remainderOfNumbers = operation({
  integers: (a, b) => a % divisor(b),
  decimals: (a, b) => a.remainder(nonZero(b)),
  floats: (a, b) => a % b,
});

export function negateNumber(value: CypherNumber): CypherNumber {
  if (typeof value === 'bigint') return fittingInteger(-value);
  return value instanceof Decimal ? value.negated() : -value;
}

/** Returns the integer if it fits into 64 bits. @throws ValueFault for any other integer */
export function fittingInteger(value: bigint): bigint {
  if (value >= leastInteger && value <= greatestInteger) return value;
  throw new ValueFault('ArithmeticError', 'IntegerOverflow', {
    zh: '计算结果超出 64 位整数的范围',
    en: 'The result is beyond the integers of 64 bits',
  });
}

/**
 * Makes an operation on two numbers. It works on floats if one of them is a float, on integers if both are integers, otherwise on decimals.
 * Decimal results are rounded to 2,000 digits behind the point.
 */
function operation({ integers, decimals, floats }: Operation): (a: CypherNumber, b: CypherNumber) => CypherNumber {
  return (a, b) => {
    if (typeof a === 'bigint' && typeof b === 'bigint') return fittingInteger(integers(a, b));
    if (typeof a === 'number' || typeof b === 'number') return floats(floatOf(a), floatOf(b));
    return fittingDecimal(decimals(decimalOf(a), decimalOf(b)));
  };
}

/** Bounds the digits of a decimal, since a chain of products would otherwise double its digits with each step. */
function fittingDecimal(value: Decimal): Decimal {
  const kept = roundedHalfUp(value, mostDecimals);
  const whole = kept.units / 10n ** BigInt(kept.scale);
  if (whole < wholeBound && whole > -wholeBound) return kept;
  throw new ValueFault('ArithmeticError', 'NumberOutOfRange', {
    zh: `小数的计算结果在小数点前超过 ${mostDecimals} 位`,
    en: `The decimal result has more than ${mostDecimals} digits before its point`,
  });
}

function divisor(value: bigint): bigint {
  if (value === 0n) throw divisionByZero();
  return value;
}

function nonZero(value: Decimal): Decimal {
  if (value.units === 0n) throw divisionByZero();
  return value;
}

function divisionByZero(): ValueFault {
  return new ValueFault('ArithmeticError', 'DivisionByZero', { zh: '除数为零', en: 'Division by zero' });
}
