import { type ValueType } from './target-dialect.js';

/** The least digits of a quotient of PostgreSQL's, and how many it counts with as one: select_div_scale in numeric.c. */
const [leastDigits, digitsOfOne] = [16, 4];
const mostDecimals = 12;

/**
 * The decimal by which a product is the quotient by a number, to the last digit that PostgreSQL gives: `0.01` for 100.
 * @param written a number as SQL has it
 * @param dividend its most digits decide how many PostgreSQL gives
 * @returns null if there is none: for 3, and where PostgreSQL would round
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
