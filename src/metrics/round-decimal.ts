/** Matches the format of a metric's values: the digits after the point, and `%` if the value is a share of 1. Examples: `0.00`, `0.0%`. */
export const decimalFormat = /^0(\.0{1,15})?%?$/;

/**
 * Rounds decimal text to the digits of a format, halves away from zero. A value that is not decimal text stays as it is.
 * @param format null to keep all digits. With `%` two more digits are kept, because the value is the share itself, not a hundred times
 * the share
 */
export function roundTo(value: unknown, format: string | null): unknown {
  if (format === null || typeof value !== 'string') return value;
  const [, sign = '', whole = '', fraction = ''] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(value) ?? [];
  if (whole === '') return value;
  const digits = (/0\.(0+)/.exec(format)?.[1]?.length ?? 0) + (format.endsWith('%') ? 2 : 0);
  const kept = whole + fraction.slice(0, digits).padEnd(digits, '0');
  const rounded = (/[5-9]/.test(fraction[digits] ?? '') ? oneMore(kept) : kept).replace(/^0+(?=\d)/, '').padStart(digits + 1, '0');
  const text = digits === 0 ? rounded : `${rounded.slice(0, -digits)}.${rounded.slice(-digits)}`;
  return /[1-9]/.test(text) ? `${sign}${text}` : text;
}

/** The digits of an integer plus one. A value may have 100,000 digits, and converting it to a bigint and back would take seconds. */
function oneMore(digits: string): string {
  let end = digits.length;
  while (digits[end - 1] === '9') end--;
  const nines = '0'.repeat(digits.length - end);
  return end === 0 ? `1${nines}` : `${digits.slice(0, end - 1)}${Number(digits[end - 1]) + 1}${nines}`;
}
