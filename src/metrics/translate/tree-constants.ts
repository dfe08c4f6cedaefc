import { castName, type Node } from './constant-sql.js';

/** The text of a text constant. Null for any other node. */
export function textConstant(node: unknown): string | null {
  const { A_Const } = node as Node;
  return A_Const?.sval === undefined ? null : ((A_Const.sval as { sval?: string }).sval ?? '');
}

/** The digits of a number constant. Null for any other node. */
export function numberConstant(node: unknown): string | null {
  const { A_Const } = node as Node;
  if (A_Const?.ival !== undefined) return String((A_Const.ival as { ival?: number }).ival ?? 0);
  return A_Const?.fval === undefined ? null : (A_Const.fval as { fval: string }).fval;
}

/** A decimal text without an exponent: `1.5e3` becomes `1500`. */
export function plainDecimal(written: string): string {
  const match = /^(-?)(\d+)(?:\.(\d+))?[eE]([-+]?\d{1,3})$/.exec(written);
  if (!match) return written;
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = match;
  const digits = whole + fraction;
  const point = whole.length + Number(exponent);
  if (point <= 0) return `${sign}0.${'0'.repeat(-point)}${digits}`;
  const padded = digits.padEnd(point, '0');
  return `${sign}${padded.slice(0, point)}${point < padded.length ? `.${padded.slice(point)}` : ''}`;
}

const spans: Readonly<Record<string, { unit: 'day' | 'month'; size: number }>> = {
  day: { unit: 'day', size: 1 },
  week: { unit: 'day', size: 7 },
  month: { unit: 'month', size: 1 },
  year: { unit: 'month', size: 12 },
};

/**
 * Maximum spans, in days and in months, each some 1,000 years. MySQL's times begin with the year 1000, so a present time minus the maximum
 * span exists there too.
 */
export const longest = { day: 365_000, month: 12_000 };

/** The span of an interval constant in days or months: `interval '3 week'` is 21 days. Null for any other node. */
export function spanOf(node: unknown): { count: number; unit: 'day' | 'month' } | null {
  const { TypeCast } = node as Node;
  if (!TypeCast || castName(TypeCast.typeName) !== 'interval') return null;
  const [, count, name = ''] = /^(\d{1,6}) (day|week|month|year)s?$/.exec(textConstant(TypeCast.arg) ?? '') ?? [];
  const span = spans[name];
  if (!span || Number(count) * span.size > longest[span.unit]) return null;
  return { count: Number(count) * span.size, unit: span.unit };
}

/** The name of a node type in error messages. */
export function constructName(type: string): string {
  const names: Readonly<Record<string, string>> = {
    SQLValueFunction: 'the clock',
    RowExpr: 'a tuple',
    A_ArrayExpr: 'an array',
    A_Indirection: 'an array',
  };
  return names[type] ?? type;
}
