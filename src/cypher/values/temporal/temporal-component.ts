import { type CypherValue } from '../cypher-value.js';
import { partsOf } from './clock-parts.js';
import { dayOfQuarter, quarterOf } from './temporal-fields.js';
import { nanosecondOfSecond, offsetText } from './temporal-text.js';
import { type DurationValue, nanosecondsOf, type TemporalValue } from './temporal-value.js';
import { epochNanosecondsOf } from './zone.js';
import { type Temporal } from 'temporal-polyfill';

type Reader<T> = (value: T) => bigint | string;

const ofDates: Readonly<Record<string, Reader<Temporal.PlainDate>>> = {
  year: date => BigInt(date.year),
  quarter: date => BigInt(quarterOf(date)),
  month: date => BigInt(date.month),
  week: date => BigInt(date.weekOfYear ?? 0),
  weekYear: date => BigInt(date.yearOfWeek ?? date.year),
  day: date => BigInt(date.day),
  ordinalDay: date => BigInt(date.dayOfYear),
  weekDay: date => BigInt(date.dayOfWeek),
  dayOfWeek: date => BigInt(date.dayOfWeek),
  dayOfQuarter: date => BigInt(dayOfQuarter(date)),
};

/**
 * Components of a time of day, by name. `millisecond`, `microsecond` and `nanosecond` all count from the beginning of the second: 645,
 * 645876 and 645876123.
 */
const ofTimes: Readonly<Record<string, Reader<Temporal.PlainTime>>> = {
  hour: time => BigInt(time.hour),
  minute: time => BigInt(time.minute),
  second: time => BigInt(time.second),
  millisecond: time => BigInt(time.millisecond),
  microsecond: time => BigInt(time.millisecond * 1000 + time.microsecond),
  nanosecond: time => BigInt(nanosecondOfSecond(time)),
};

const ofOffsets: Readonly<Record<string, Reader<number>>> = {
  timezone: offsetText,
  offset: offsetText,
  offsetMinutes: seconds => BigInt(Math.trunc(seconds / 60)),
  offsetSeconds: seconds => BigInt(seconds),
};

const ofEpochs: Readonly<Record<string, Reader<bigint>>> = {
  epochSeconds: nanoseconds => floorDivided(nanoseconds, 1_000_000_000n),
  epochMillis: nanoseconds => floorDivided(nanoseconds, 1_000_000n),
};

/**
 * Components of a duration, by name. Each counts the whole units of one part of the duration. The parts `months` and `days` are not
 * seconds, so `hours` leaves them out.
 */
const ofDurations: Readonly<Record<string, Reader<DurationValue>>> = {
  years: ({ months }) => months / 12n,
  quarters: ({ months }) => months / 3n,
  months: ({ months }) => months,
  weeks: ({ days }) => days / 7n,
  days: ({ days }) => days,
  hours: ({ seconds }) => seconds / 3600n,
  minutes: ({ seconds }) => seconds / 60n,
  seconds: ({ seconds }) => seconds,
  milliseconds: duration => floorDivided(nanosecondsOf(duration), 1_000_000n),
  microseconds: duration => floorDivided(nanosecondsOf(duration), 1000n),
  nanoseconds: nanosecondsOf,
  quartersOfYear: ({ months }) => (months / 3n) % 4n,
  monthsOfQuarter: ({ months }) => months % 3n,
  monthsOfYear: ({ months }) => months % 12n,
  daysOfWeek: ({ days }) => days % 7n,
  minutesOfHour: ({ seconds }) => (seconds / 60n) % 60n,
  secondsOfMinute: ({ seconds }) => seconds % 60n,
  millisecondsOfSecond: ({ nanoseconds }) => BigInt(Math.floor(nanoseconds / 1_000_000)),
  microsecondsOfSecond: ({ nanoseconds }) => BigInt(Math.floor(nanoseconds / 1000)),
  nanosecondsOfSecond: ({ nanoseconds }) => BigInt(nanoseconds),
};

/** `value.name`. Undefined if values of this kind have no such component. */
export function temporalComponent(value: TemporalValue | DurationValue, name: string): CypherValue | undefined {
  if (value.kind === 'duration') return read(ofDurations, name, value);
  if (value.kind === 'datetime') {
    if (name === 'timezone' && value.zone !== null) return value.zone;
    if (Object.hasOwn(ofEpochs, name)) return read(ofEpochs, name, epochNanosecondsOf(value));
  }
  const { date, time, offsetSeconds } = partsOf(value);
  return read(ofDates, name, date) ?? read(ofTimes, name, time) ?? read(ofOffsets, name, offsetSeconds);
}

function read<T>(readers: Readonly<Record<string, Reader<T>>>, name: string, value: T | null): bigint | string | undefined {
  return value !== null && Object.hasOwn(readers, name) ? readers[name]?.(value) : undefined;
}

function floorDivided(dividend: bigint, divisor: bigint): bigint {
  const quotient = dividend / divisor;
  return dividend % divisor < 0n ? quotient - 1n : quotient;
}
