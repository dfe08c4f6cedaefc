import { trimZerosEnd, trimZerosStart } from '../../text/trim-zeros.js';

/**
 * Finds on which side of the decimal point a number has too many digits: `decimals` (more than `scale`) or `whole` (more than
 * `precision - scale`). Null if the number fits, or if the text is not a plain decimal number.
 */
export function digitsOver(number: string, { precision, scale }: { precision: number; scale: number }): 'decimals' | 'whole' | null {
  const [, whole, decimals = ''] = /^[+-]?(\d*)(?:\.(\d*))?$/.exec(number.trim()) ?? [];
  if (whole === undefined) return null;
  if (trimZerosEnd(decimals).length > scale) return 'decimals';
  return trimZerosStart(whole).length > precision - scale ? 'whole' : null;
}
