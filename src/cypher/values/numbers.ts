import { type CypherValue } from './cypher-value.js';
import { Decimal } from './decimal.js';

export type CypherNumber = bigint | number | Decimal;

export function isNumber(value: CypherValue): value is CypherNumber {
  return typeof value === 'bigint' || typeof value === 'number' || value instanceof Decimal;
}

/** Compares two numbers by their exact values: negative, zero or positive, and NaN if one of the two is NaN. */
export function compareNumbers(a: CypherNumber, b: CypherNumber): number {
  if (a instanceof Decimal || b instanceof Decimal) return compareDecimals(a, b);
  // JavaScript compares a bigint with a number by their mathematical values.
  if (a < b) return -1;
  if (a > b) return 1;
  return Number.isNaN(a) || Number.isNaN(b) ? NaN : 0;
}

/** A text that is the same for two numbers exactly when they are equal. NaN counts as equal to NaN here. */
export function numberKey(value: CypherNumber): string {
  if (typeof value === 'bigint') return value.toString();
  if (value instanceof Decimal) return value.normalized().toString();
  return Number.isFinite(value) ? decimalOfFloat(value).toString() : String(value);
}

/** The float that is nearest to the number. */
export function floatOf(value: CypherNumber): number {
  return value instanceof Decimal ? value.toNumber() : Number(value);
}

export function decimalOf(value: bigint | Decimal): Decimal {
  return value instanceof Decimal ? value : Decimal.of(value);
}

/**
 * The decimal for a float. A whole float is taken exactly. Any other float is taken as its shortest text, so that 0.1 equals the decimal
 * 0.1. The order of floats is kept: a float with a fraction is below 2^53, where the shortest text is nearer to this float than to any
 * other.
 * @param value finite
 */
export function decimalOfFloat(value: number): Decimal {
  const decimal = Number.isInteger(value) ? Decimal.of(BigInt(value)) : Decimal.parse(String(value));
  if (decimal === null) throw new Error(`${value} is not finite`);
  return decimal;
}

function compareDecimals(a: CypherNumber, b: CypherNumber): number {
  if (typeof a === 'number' && !Number.isFinite(a)) return a;
  if (typeof b === 'number' && !Number.isFinite(b)) return -b;
  return exactly(a).compare(exactly(b));
}

function exactly(value: CypherNumber): Decimal {
  return typeof value === 'number' ? decimalOfFloat(value) : decimalOf(value);
}
