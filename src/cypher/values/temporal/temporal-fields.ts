import { Temporal } from 'temporal-polyfill';
import { beyondTime, withinRange, wrongFields, wrongNumber } from './temporal-faults.js';

export const dateFields = ['year', 'month', 'day', 'week', 'dayOfWeek', 'quarter', 'dayOfQuarter', 'ordinalDay'] as const;
export const timeFields = ['hour', 'minute', 'second', 'millisecond', 'microsecond', 'nanosecond'] as const;

export type DateFields = { readonly [name in (typeof dateFields)[number]]?: number };
export type TimeFields = { readonly [name in (typeof timeFields)[number]]?: number };

/** Groups of fields: each group denotes the day of the year in another way. */
const ways = [['month', 'day'], ['week', 'dayOfWeek'], ['quarter', 'dayOfQuarter'], ['ordinalDay']] as const;

/** The date `base` with some fields replaced. Without a base the year is required, and each missing field is 1. */
export function toPlainDate(base: Temporal.PlainDate | null, fields: DateFields): Temporal.PlainDate {
  const [way = ways[0], other] = ways.filter(names => names.some(name => fields[name] !== undefined));
  if (other !== undefined) refuseTogether(way.filter(name => fields[name] !== undefined)[0] ?? way[0], other);
  if (base === null) refuseGaps(['year', ...way], 1, fields);
  const year = fields.year ?? base?.year ?? 1;
  if (Math.abs(year) > 275_760) throw beyondTime();
  switch (way[0]) {
    case 'week':
      return fromWeek(fields.year ?? base?.yearOfWeek ?? 1, fields.week ?? base?.weekOfYear ?? 1, fields.dayOfWeek ?? base?.dayOfWeek ?? 1);
    case 'quarter':
      return fromQuarter(year, fields.quarter ?? (base ? quarterOf(base) : 1), fields.dayOfQuarter ?? (base ? dayOfQuarter(base) : 1));
    case 'ordinalDay': {
      const first = fromCalendar(year, 1, 1);
      return nthDay(first, 'ordinalDay', fields.ordinalDay ?? 1, first.daysInYear);
    }
    case 'month':
      return fromCalendar(year, fields.month ?? base?.month ?? 1, fields.day ?? base?.day ?? 1);
    default:
      return way satisfies never;
  }
}

/**
 * The time `base` with some fields replaced. Without a base each missing field is 0.
 * @param needed number of leading fields that are required
 */
export function toPlainTime(base: Temporal.PlainTime | null, fields: TimeFields, needed = 0): Temporal.PlainTime {
  const fraction = timeFields.slice(3).find(name => fields[name] !== undefined);
  if (base === null) refuseGaps(['hour', 'minute', 'second', fraction ?? 'nanosecond'], needed, fields);
  const { hour = base?.hour ?? 0, minute = base?.minute ?? 0, second = base?.second ?? 0 } = fields;
  requireBetween('hour', hour, 0, 23);
  requireBetween('minute', minute, 0, 59);
  requireBetween('second', second, 0, 59);
  return Temporal.PlainTime.from({ hour, minute, second, ...fractionOf(fields, base) });
}

export function quarterOf({ month }: Temporal.PlainDate | Temporal.PlainDateTime): number {
  return Math.ceil(month / 3);
}

export function dayOfQuarter(date: Temporal.PlainDate): number {
  return date.dayOfYear - date.with({ month: quarterOf(date) * 3 - 2, day: 1 }).dayOfYear + 1;
}

/** The Monday of the first week of the year, which is the week of January 4. */
export function firstMonday(year: number): Temporal.PlainDate {
  const date = fromCalendar(year, 1, 4);
  return withinRange(() => date.subtract({ days: date.dayOfWeek - 1 }));
}

function fromCalendar(year: number, month: number, day: number): Temporal.PlainDate {
  requireBetween('month', month, 1, 12);
  const first = withinRange(() => Temporal.PlainDate.from({ year, month, day: 1 }, { overflow: 'reject' }));
  return nthDay(first, 'day', day, first.daysInMonth);
}

function fromWeek(year: number, week: number, dayOfWeek: number): Temporal.PlainDate {
  // December 28 always lies in the last week of its year, so its week is the number of weeks.
  requireBetween('week', week, 1, fromCalendar(year, 12, 28).weekOfYear ?? 53);
  requireBetween('dayOfWeek', dayOfWeek, 1, 7);
  return withinRange(() => firstMonday(year).add({ days: week * 7 - 7 + dayOfWeek - 1 }));
}

function fromQuarter(year: number, quarter: number, day: number): Temporal.PlainDate {
  requireBetween('quarter', quarter, 1, 4);
  const first = fromCalendar(year, quarter * 3 - 2, 1);
  const days = withinRange(() => first.until(first.add({ months: 3 })).days);
  return nthDay(first, 'dayOfQuarter', day, days);
}

function nthDay(first: Temporal.PlainDate, name: string, day: number, most: number): Temporal.PlainDate {
  requireBetween(name, day, 1, most);
  return withinRange(() => first.add({ days: day - 1 }));
}

/**
 * The fraction of a second. The largest given unit may count up to a full second, and each smaller unit up to one of the unit given before
 * it, as in `{millisecond: 1, nanosecond: 999999}`.
 */
function fractionOf(fields: TimeFields, base: Temporal.PlainTime | null) {
  const units = [
    ['millisecond', 1_000_000],
    ['microsecond', 1000],
    ['nanosecond', 1],
  ] as const;
  if (units.every(([name]) => fields[name] === undefined))
    return { millisecond: base?.millisecond ?? 0, microsecond: base?.microsecond ?? 0, nanosecond: base?.nanosecond ?? 0 };
  let nanoseconds = 0;
  let whole = 1_000_000_000;
  for (const [name, size] of units) {
    const amount = fields[name];
    if (amount === undefined) continue;
    requireBetween(name, amount, 0, whole / size - 1);
    nanoseconds += amount * size;
    whole = size;
  }
  return {
    millisecond: Math.floor(nanoseconds / 1_000_000),
    microsecond: Math.floor(nanoseconds / 1000) % 1000,
    nanosecond: nanoseconds % 1000,
  };
}

function requireBetween(name: string, value: number, least: number, most: number): void {
  if (value < least || value > most) throw wrongNumber(name, least, most, value);
}

function refuseTogether(name: string, others: readonly string[]): never {
  throw wrongFields({
    zh: `${name} 不能与 ${others.join('、')} 同时给出：它们以不同方式指定日期`,
    en: `${name} cannot be given together with ${others.join(' or ')}: they say in different ways which day is meant`,
  });
}

/**
 * Refuses a field without the fields before it, as a day without its month.
 * @param needed number of leading fields that are required
 */
function refuseGaps(names: readonly string[], needed: number, fields: Readonly<Record<string, number | undefined>>): void {
  const given = Object.keys(fields).filter(name => fields[name] !== undefined);
  const before = Math.max(needed, ...given.map(name => names.indexOf(name)));
  const missing = names.slice(0, before).find(name => fields[name] === undefined);
  if (missing === undefined) return;
  const found = given.length === 0 ? { zh: '没有字段', en: 'no fields' } : { zh: given.join('、'), en: given.join(', ') };
  throw wrongFields({ zh: `缺少 ${missing}，得到的是 ${found.zh}`, en: `${missing} is missing, found ${found.en}` });
}
