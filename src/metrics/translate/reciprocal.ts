import { type ValueType } from './target-dialect.js';

/**
 * The minimum digits of a quotient on PostgreSQL, and the number of decimal digits in one digit of its type numeric. Source:
 * select_div_scale in numeric.c.
 */
const [leastDigits, digitsOfOne] = [16, 4];
const mostDecimals = 12;

/**
 * The decimal to multiply by instead of dividing by a number: `0.01` for 100. The product equals the quotient to the last digit that
 * PostgreSQL computes.
 * @param written the number as SQL writes it
 * @param dividend the type of the dividend, whose maximum digits decide how many digits PostgreSQL computes
 * @returns null if there is no such decimal: for 3, and where PostgreSQL would round the quotient
 */
export function reciprocalOf(written: string, dividend: ValueType): string | null {
  const [, whole = '', fraction = ''] = /^(\d{1,9})(?:\.(\d{1,9}))?$/.exec(written) ?? [];
  if (whole === '' || BigInt(whole) === 0n) return null;
  const divisor = BigInt(whole + fraction);
  for (let decimals = 0; decimals <= mostDecimals; decimals++) {
    const power = 10n ** BigInt(fraction.length + decimals);
    if (power % divisor !== 0n) continue;
    const places = (digits: number): number => Math.ceil(digits / digitsOfOne) - 1;
    const given = leastDigits - digitsOfOne * (places(dividend.whole) - places(String(BigInt(whole)).length));
    if (dividend.scale + decimals > Math.max(given, dividend.scale)) return null;
    const digits = (power / divisor).toString().padStart(decimals + 1, '0');
    return decimals === 0 ? digits : `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
  }
  return null;
}
