import { type CypherValue } from '../values/cypher-value.js';
import { Decimal } from '../values/decimal.js';
import { roundedHalfUp } from '../values/decimal-quotient.js';
import { fittingInteger } from '../values/number-arithmetic.js';
import { compareNumbers, type CypherNumber, decimalOfFloat, floatOf, isNumber } from '../values/numbers.js';
import { type CypherFunction, ofOne, strict, tableOf, takes, wrongArgument } from './cypher-function.js';

const mostDigits = 100n;

export const mathFunctions = tableOf(
  ofNumber('abs', absolute),
  ofNumber('ceil', value => rounded(value, Math.ceil, 1n)),
  ofNumber('floor', value => rounded(value, Math.floor, -1n)),
  { name: 'round', least: 1, most: 2, call: round },
  ofNumber('sign', signOf),
  ofNumber('isNaN', value => Number.isNaN(value)),
  ofFloat('sqrt', Math.sqrt),
  ofFloat('exp', Math.exp),
  ofFloat('log', Math.log),
  ofFloat('log10', Math.log10),
  ofFloat('sin', Math.sin),
  ofFloat('cos', Math.cos),
  ofFloat('tan', Math.tan),
  ofFloat('cot', x => 1 / Math.tan(x)),
  ofFloat('asin', Math.asin),
  ofFloat('acos', Math.acos),
  ofFloat('atan', Math.atan),
  strict('atan2', 2, 2, (y, x) => Math.atan2(floatOf(numberArgument('atan2', y)), floatOf(numberArgument('atan2', x)))),
  ofFloat('degrees', x => (x * 180) / Math.PI),
  ofFloat('radians', x => (x * Math.PI) / 180),
  ofFloat('haversin', x => (1 - Math.cos(x)) / 2),
  constant('e', () => Math.E),
  constant('pi', () => Math.PI),
  constant('rand', Math.random),
);

function ofNumber(name: string, body: (value: CypherNumber) => CypherValue): CypherFunction {
  return ofOne(name, value => body(numberArgument(name, value)));
}

function ofFloat(name: string, body: (x: number) => number): CypherFunction {
  return ofNumber(name, value => body(floatOf(value)));
}

function constant(name: string, body: () => number): CypherFunction {
  return { name, least: 0, most: 0, call: body };
}

function numberArgument(name: string, value: CypherValue): CypherNumber {
  if (!isNumber(value)) throw wrongArgument(name, takes.number, value);
  return value;
}

function absolute(value: CypherNumber): CypherNumber {
  if (typeof value === 'bigint') return value < 0n ? fittingInteger(-value) : value;
  if (value instanceof Decimal) return value.units < 0n ? value.negated() : value;
  return Math.abs(value);
}

function signOf(value: CypherNumber): bigint {
  return BigInt(Math.sign(compareNumbers(value, 0n)) || 0);
}

/** Rounds to a whole number: a decimal for a decimal, else a float. `direction` is 1 upwards and -1 downwards. */
function rounded(value: CypherNumber, ofNumber: (x: number) => number, direction: bigint): CypherNumber {
  if (!(value instanceof Decimal)) return ofNumber(floatOf(value)) + 0;
  value.spendOnDigits();
  const one = 10n ** BigInt(value.scale);
  const [whole, rest] = [value.units / one, value.units % one];
  return Decimal.of(rest * direction > 0n ? whole + direction : whole);
}

/**
 * `round()`. Without digits, halves go up towards positive infinity, as in openCypher. With digits, halves go away from zero, and a float
 * is rounded by its text: 2.675 to two digits is 2.68.
 */
function round([value = null, digits]: readonly CypherValue[]): CypherValue {
  if (value === null || digits === null) return null;
  const number = numberArgument('round', value);
  if (digits !== undefined && typeof digits !== 'bigint') throw wrongArgument('round', takes.integer, digits);
  if (digits === undefined || digits === 0n) return toNearest(number);
  if (typeof number === 'number' && !Number.isFinite(number)) return number;
  const exact = number instanceof Decimal ? number : decimalOfFloat(floatOf(number));
  const result = roundedHalfUp(exact, Number(digits > mostDigits ? mostDigits : digits < -mostDigits ? -mostDigits : digits));
  return number instanceof Decimal ? result : result.toNumber();
}

function toNearest(value: CypherNumber): CypherNumber {
  return value instanceof Decimal ? rounded(value.plus(new Decimal(5n, 1)), Math.floor, -1n) : Math.round(floatOf(value)) + 0;
}
