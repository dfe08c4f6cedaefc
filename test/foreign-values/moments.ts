import { type Dice } from '../support/dice.js';

/** A moment as date and time of the calendar. Years BC are negative, and there is no year 0. */
export interface Civil {
  year: number;
  month: number;
  day: number;
  hour: number;
  minute: number;
  second: number;
  micros: number;
}

const pad = (value: number, length = 2): string => String(value).padStart(length, '0');
const isLeap = (year: number): boolean => (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;

export function daysOf(year: number, month: number): number {
  // Year -1 stands for 1 BC, which is a leap year like year 0 in the formula.
  if (month === 2) return isLeap(year < 0 ? year + 1 : year) ? 29 : 28;
  return [4, 6, 9, 11].includes(month) ? 30 : 31;
}

/** Graphs reject later dates. */
const lastYear = 269_999;

/** Returns a random moment in these years, often at the start or end of a day, a month or the range. */
export function anyMoment(dice: Dice, [least, most]: [least: number, most: number], { maxMicros = 999_999 } = {}): Civil {
  const years: [number, number] = [least, Math.min(most, lastYear)];
  let year = dice.chance(0.3) ? dice.of([...years, 1, 1970, 2000, 9999, 10_000, 1582]) : dice.between(...years);
  if (year < years[0] || year > years[1] || year === 0) year = 2024;
  const month = dice.chance(0.3) ? dice.of([1, 2, 12]) : dice.between(1, 12);
  const last = daysOf(year, month);
  const day = dice.chance(0.3) ? dice.of([1, last]) : dice.between(1, last);
  const [hour, minute, second] = dice.chance(0.3) ? dice.of([[0, 0, 0], [23, 59, 59]] as const) : [dice.below(24), dice.below(60), dice.below(60)]; // prettier-ignore
  const step = 1_000_000 - maxMicros;
  const micros = dice.chance(0.3) ? dice.of([0, maxMicros]) : dice.below(1_000_000 / step) * step;
  return { year, month, day, hour, minute, second, micros };
}

export function fraction(micros: number): string {
  return micros === 0 ? '' : `.${pad(micros, 6).replace(/0+$/, '')}`;
}

export const dayText = ({ year, month, day }: Civil): string => `${pad(Math.abs(year), 4)}-${pad(month)}-${pad(day)}`;
export const timeText = ({ hour, minute, second, micros }: Civil): string =>
  `${pad(hour)}:${pad(minute)}:${pad(second)}${fraction(micros)}`;
export const eraText = ({ year }: Civil): string => (year < 0 ? ' BC' : '');
/** A day of ISO 8601, as a graph stores it: 44 BC is the year -0043, and years beyond 9999 have a sign. */
export const jsonDay = (at: Civil): string => {
  const year = at.year < 0 ? at.year + 1 : at.year;
  const sign = year < 0 ? '-' : year > 9999 ? '+' : '';
  return `${sign}${pad(Math.abs(year), 4)}-${pad(at.month)}-${pad(at.day)}`;
};
export const jsonMoment = (at: Civil): string => `${jsonDay(at)}T${timeText(at)}+00:00`;

export interface Span {
  months: number;
  days: number;
  micros: bigint;
}

export function anySpan(dice: Dice): Span {
  return {
    months: dice.of([0, 0, 1, 11, 12, 13, -1, dice.between(-300, 300)]),
    days: dice.of([0, 1, -1, dice.between(-1000, 1000)]),
    micros: dice.of([0n, 1n, -1n, 86_400_000_000n, BigInt(dice.between(-4_000_000_000, 4_000_000_000)) * 1000n + BigInt(dice.below(1000))]),
  };
}

/** A duration as ISO 8601 writes it, with a sign for each part. */
export function spanText({ months, days, micros }: Span): string {
  const part = (count: bigint | number, unit: string): string => (Number(count) === 0 ? '' : `${count}${unit}`);
  const dates = part(Math.trunc(months / 12), 'Y') + part(months % 12, 'M') + part(days, 'D');
  const seconds = micros / 1_000_000n;
  const inMinute = micros % 60_000_000n;
  const distance = inMinute < 0n ? -inMinute : inMinute;
  const last = inMinute === 0n ? '' : `${inMinute < 0n ? '-' : ''}${distance / 1_000_000n}${fraction(Number(distance % 1_000_000n))}S`;
  const times = part(seconds / 3600n, 'H') + part((seconds / 60n) % 60n, 'M') + last;
  return dates + times === '' ? 'PT0S' : `P${dates}${times === '' ? '' : `T${times}`}`;
}

/** Writes a time as hours, minutes and seconds. There may be more than 24 hours. */
export function clockText(micros: bigint): string {
  const seconds = Number(micros / 1_000_000n);
  return `${pad(Math.trunc(seconds / 3600))}:${pad(Math.trunc(seconds / 60) % 60)}:${pad(seconds % 60)}${fraction(Number(micros % 1_000_000n))}`;
}
