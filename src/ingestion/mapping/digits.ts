import { trimZerosEnd, trimZerosStart } from '../../text/trim-zeros.js';

/**
 * Which digits of a number are more than a precision allows: those after the point, or those before it. Null if it fits, or if it is
 * no plain decimal number.
 */
export function digitsOver(number: string, { precision, scale }: { precision: number; scale: number }): 'decimals' | 'whole' | null {
  const [, whole, decimals = ''] = /^[+-]?(\d*)(?:\.(\d*))?$/.exec(number.trim()) ?? [];
  if (whole === undefined) return null;
  if (trimZerosEnd(decimals).length > scale) return 'decimals';
  return trimZerosStart(whole).length > precision - scale ? 'whole' : null;
}
