import { type Temporal } from 'temporal-polyfill';

export interface DateValue {
  readonly kind: 'date';
  readonly date: Temporal.PlainDate;
}

export interface LocalTimeValue {
  readonly kind: 'localtime';
  readonly time: Temporal.PlainTime;
}

/** A time of day with its distance from UTC. */
export interface TimeValue {
  readonly kind: 'time';
  readonly time: Temporal.PlainTime;
  readonly offsetSeconds: number;
}

export interface LocalDateTimeValue {
  readonly kind: 'localdatetime';
  readonly dateTime: Temporal.PlainDateTime;
}

/** A moment in a named zone or at an offset. The value has separate parts because Temporal.ZonedDateTime lacks offsets with seconds. */
export interface DateTimeValue {
  readonly kind: 'datetime';
  /** Local date and time in the zone. */
  readonly dateTime: Temporal.PlainDateTime;
  readonly offsetSeconds: number;
  /** The IANA name of the zone. Null for a value that has an offset only. */
  readonly zone: string | null;
}

export type TemporalValue = DateValue | LocalTimeValue | TimeValue | LocalDateTimeValue | DateTimeValue;

/**
 * A duration. Months, days and seconds are separate, as in openCypher: a day may have 23 hours. `nanoseconds` is from 0 to 999,999,999.
 */
export interface DurationValue {
  readonly kind: 'duration';
  readonly months: bigint;
  readonly days: bigint;
  readonly seconds: bigint;
  readonly nanoseconds: number;
}

/** The seconds of a duration with their fraction. */
export function nanosecondsOf({ seconds, nanoseconds }: DurationValue): bigint {
  return seconds * 1_000_000_000n + BigInt(nanoseconds);
}
