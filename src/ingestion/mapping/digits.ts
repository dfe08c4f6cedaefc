/**
 * Which digits of a number are more than a precision allows: those after the point, or those before it. Null if it fits, or if it is
 * no plain decimal number.
 */
export function digitsOver(number: string, { precision, scale }: { precision: number; scale: number }): 'decimals' | 'whole' | null {
  const [, whole, decimals] = /^\s*[+-]?0*(\d*)\.?(\d*?)0*\s*$/.exec(number) ?? [];
  if (whole === undefined || decimals === undefined) return null;
  if (decimals.length > scale) return 'decimals';
  return whole.length > precision - scale ? 'whole' : null;
}
