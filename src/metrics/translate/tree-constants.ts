import { castName, type Node } from './constant-sql.js';

/** The text of a constant, or null for anything else. */
export function textConstant(node: unknown): string | null {
  const { A_Const } = node as Node;
  return A_Const?.sval === undefined ? null : ((A_Const.sval as { sval?: string }).sval ?? '');
}

/** The digits of a number, or null for anything else. */
export function numberConstant(node: unknown): string | null {
  const { A_Const } = node as Node;
  if (A_Const?.ival !== undefined) return String((A_Const.ival as { ival?: number }).ival ?? 0);
  return A_Const?.fval === undefined ? null : (A_Const.fval as { fval: string }).fval;
}

/** `1.5e3` as `1500`. */
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

/** The days of `interval '3 day'`. */
export function wholeDays(node: unknown): number | null {
  const { TypeCast } = node as Node;
  if (!TypeCast || castName(TypeCast.typeName) !== 'interval') return null;
  const { A_Const } = TypeCast.arg as Node;
  const [, days] = /^(\d{1,6}) days?$/.exec((A_Const?.sval as { sval?: string } | undefined)?.sval ?? '') ?? [];
  return days === undefined ? null : Number(days);
}

/** What a node of the tree is called in an error. */
export function constructName(type: string): string {
  const names: Readonly<Record<string, string>> = {
    SubLink: 'a filter by a metric',
    MinMaxExpr: 'GREATEST and LEAST',
    SQLValueFunction: 'the clock',
    RowExpr: 'a tuple',
    A_ArrayExpr: 'an array',
    A_Indirection: 'an array',
  };
  return names[type] ?? type;
}
