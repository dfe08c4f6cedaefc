import { Day, Dec, isNumber, NaiveError, type Value } from './naive-values.js';

/* Functions as openCypher specifies them, written as simply as possible, for arguments of the right type. Null gives null. */

export const characters = (text: string): string[] => [...text];

/** The part of a list from index `from` to before `to`. Negative indexes count from the end. */
export function sliced(list: Value[], from: bigint | undefined, to: bigint | undefined): Value[] {
  const place = (bound: bigint | undefined, otherwise: number): number => {
    if (bound === undefined) return otherwise;
    return bound < 0n ? Math.max(0, list.length + Number(bound)) : Math.min(list.length, Number(bound));
  };
  const found: Value[] = [];
  for (let i = place(from, 0); i < place(to, list.length); i++) found.push(list[i]!);
  return found;
}

export function itemOf(list: Value[], index: bigint): Value {
  const at = index < 0n ? list.length + Number(index) : Number(index);
  return list[at] ?? null;
}

export function rangeOf(first: bigint, last: bigint, step: bigint): bigint[] {
  const found: bigint[] = [];
  for (let item = first; step > 0n ? item <= last : item >= last; item += step) found.push(item);
  return found;
}

export function signOf(value: bigint | number | Dec): bigint {
  if (value instanceof Dec) return value.units > 0n ? 1n : value.units < 0n ? -1n : 0n;
  return value > 0 ? 1n : value < 0 ? -1n : 0n;
}

/** The absolute value of a decimal, a float, or the integer 0, which is the sum of an empty set of decimals. */
export function absolute(value: bigint | number | Dec): bigint | number | Dec {
  if (typeof value === 'bigint') return value < 0n ? -value : value;
  if (value instanceof Dec) return new Dec(value.units < 0n ? -value.units : value.units, value.scale);
  return Math.abs(value);
}

/** Rounds to an integer. Halves are rounded up, towards positive infinity. */
export function roundedFloat(value: number): number {
  if (!Number.isFinite(value)) return value;
  const below = Math.floor(value);
  return (value - below >= 0.5 ? below + 1 : below) + 0;
}

/** The whole part of a number; null for a text that is not a whole or decimal number. */
export function integerOfText(text: string): bigint | null {
  const match = /^([+-]?\d+)(\.\d+)?$/.exec(text.trim());
  return match ? BigInt(match[1]!) : null;
}

export function floatOfText(text: string): number | null {
  return /^[+-]?\d+(\.\d+)?$/.test(text.trim()) ? Number(text) : null;
}

export function integerOfFloat(value: number): bigint | null {
  if (Number.isNaN(value)) return null;
  if (Math.abs(value) >= 2 ** 63) throw new NaiveError('ArithmeticError');
  return BigInt(Math.trunc(value));
}

/** Returns one of the values: the first in order such that at least the given share of all values is not greater. */
export function percentileDisc(values: Value[], share: number, compare: (a: Value, b: Value) => number): Value {
  const sorted = values.filter(isNumber).sort(compare);
  if (sorted.length === 0) return null;
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)]!;
}

/** Year, month and day in the Gregorian calendar. */
const partsOf = ({ text }: Day): [number, number, number] => text.split('-').map(Number) as [number, number, number];
const lengths = (year: number): number[] => {
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  return [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
};
const dayOf = (year: number, month: number, day: number): Day =>
  new Day([String(year).padStart(4, '0'), ...[month, day].map(part => String(part).padStart(2, '0'))].join('-'));

export function numberOfDay(day: Day): number {
  const [year, month, date] = partsOf(day);
  const before = year - 1;
  const leapDays = Math.floor(before / 4) - Math.floor(before / 100) + Math.floor(before / 400);
  return 365 * before + leapDays + ordinalOf(year, month, date);
}

function ordinalOf(year: number, month: number, date: number): number {
  return lengths(year).slice(0, month - 1).reduce((sum, days) => sum + days, date); // prettier-ignore
}

export function componentOf(day: Day, name: string): bigint {
  const [year, month, date] = partsOf(day);
  const components: Record<string, number> = {
    year,
    month,
    day: date,
    quarter: Math.ceil(month / 3),
    ordinalDay: ordinalOf(year, month, date),
    // 1 January of year 1 was a Monday, if the calendar is extended backwards.
    dayOfWeek: ((numberOfDay(day) - 1) % 7) + 1,
  };
  return BigInt(components[name]!);
}

/** Adds months. A day that the resulting month does not have becomes its last day. */
export function addMonths(day: Day, months: number): Day {
  const [year, month, date] = partsOf(day);
  const all = year * 12 + month - 1 + months;
  const [toYear, toMonth] = [Math.floor(all / 12), (all % 12) + 1];
  return dayOf(toYear, toMonth, Math.min(date, lengths(toYear)[toMonth - 1]!));
}

/** Adds days in the simplest way, one after the other. */
export function addDays(day: Day, days: number): Day {
  let [year, month, date] = partsOf(day);
  for (let left = Math.abs(days); left > 0; left--) {
    date += Math.sign(days);
    if (date === 0) {
      month -= 1;
      if (month === 0) [year, month] = [year - 1, 12];
      date = lengths(year)[month - 1]!;
    } else if (date > lengths(year)[month - 1]!) {
      [month, date] = [month + 1, 1];
      if (month === 13) [year, month] = [year + 1, 1];
    }
  }
  return dayOf(year, month, date);
}

export function truncatedDay(day: Day, unit: string): Day {
  const [year, month] = partsOf(day);
  if (unit === 'year') return dayOf(year, 1, 1);
  if (unit === 'month') return dayOf(year, month, 1);
  if (unit === 'quarter') return dayOf(year, 3 * Math.ceil(month / 3) - 2, 1);
  return addDays(day, 1 - Number(componentOf(day, 'dayOfWeek')));
}
