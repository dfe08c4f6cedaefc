import { Decimal } from './decimal.js';

const leastDecimals = 20;

/** Maximum digits behind the point of a result. */
export const mostDecimals = 2000;

/** The quotient with 20 decimals, or with 20 significant digits if it is below 1, rounded half up. `divisor` must not be zero. */
export function quotientOf(dividend: Decimal, divisor: Decimal): Decimal {
  dividend.spendOnDigits();
  divisor.spendOnDigits();
  const order = magnitude(dividend) - magnitude(divisor);
  const decimals = Math.min(leastDecimals - Math.min(order, 0), mostDecimals);
  const shift = decimals - dividend.scale + divisor.scale;
  const above = dividend.units * 10n ** BigInt(Math.max(shift, 0));
  const below = divisor.units * 10n ** BigInt(Math.max(-shift, 0));
  return new Decimal(dividedHalfUp(above, below), decimals, true).normalized();
}

/**
 * The decimal with at most `decimals` digits behind the point, rounded half up. A negative `decimals` rounds to tens, hundreds and so on.
 */
export function roundedHalfUp(value: Decimal, decimals: number): Decimal {
  if (value.scale <= decimals) return value;
  value.spendOnDigits();
  const units = dividedHalfUp(value.units, 10n ** BigInt(value.scale - decimals));
  return decimals >= 0 ? new Decimal(units, decimals) : new Decimal(units * 10n ** BigInt(-decimals), 0);
}

/** The quotient of two integers, rounded to the nearest integer. Halves go away from zero. */
function dividedHalfUp(dividend: bigint, divisor: bigint): bigint {
  const doubled = (sizeOf(dividend) * 2n) / sizeOf(divisor);
  const size = (doubled + 1n) / 2n;
  return dividend < 0n === divisor < 0n ? size : -size;
}

function sizeOf(integer: bigint): bigint {
  return integer < 0n ? -integer : integer;
}

/** The number of digits before the decimal point. For a decimal below 0.1 it is negative: minus the number of zeros behind the point. */
function magnitude({ units, scale }: Decimal): number {
  return sizeOf(units).toString().length - scale;
}
