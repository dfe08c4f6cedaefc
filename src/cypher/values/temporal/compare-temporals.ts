import { Temporal } from 'temporal-polyfill';
import { nanosecondOfSecond, temporalText } from './temporal-text.js';
import { type DurationValue, type TemporalValue, type TimeValue } from './temporal-value.js';
import { epochNanosecondsOf } from './zone.js';

/**
 * Compares two temporal values: negative, zero or positive. Null for values of two kinds, and for durations, since a month may be shorter
 * than 30 days. Values with a zone are compared by their moments, then by their offsets from west to east, then by the names of their
 * zones, so only equal values give zero.
 */
export function compareTemporals(left: TemporalValue | DurationValue, right: TemporalValue | DurationValue): number | null {
  switch (left.kind) {
    case 'date':
      return right.kind === 'date' ? Temporal.PlainDate.compare(left.date, right.date) : null;
    case 'localtime':
      return right.kind === 'localtime' ? Temporal.PlainTime.compare(left.time, right.time) : null;
    case 'time':
      return right.kind === 'time' ? order([momentOf(left), left.offsetSeconds], [momentOf(right), right.offsetSeconds]) : null;
    case 'localdatetime':
      return right.kind === 'localdatetime' ? Temporal.PlainDateTime.compare(left.dateTime, right.dateTime) : null;
    case 'datetime': {
      if (right.kind !== 'datetime') return null;
      const measures = [left, right].map(value => [epochNanosecondsOf(value), value.offsetSeconds, value.zone ?? '']);
      return order(measures[0] ?? [], measures[1] ?? []);
    }
    case 'duration':
      return null;
    default:
      return left satisfies never;
  }
}

/** A text that is the same for equal values only, across all kinds. */
export function temporalKey(value: TemporalValue | DurationValue): string {
  return `${value.kind} ${temporalText(value)}`;
}

/** Nanoseconds of a time of day since midnight in UTC. The result may be below zero. */
function momentOf({ time, offsetSeconds }: TimeValue): number {
  return (time.hour * 3600 + time.minute * 60 + time.second - offsetSeconds) * 1_000_000_000 + nanosecondOfSecond(time);
}

function order(left: readonly (bigint | number | string)[], right: readonly (bigint | number | string)[]): number {
  for (const [i, measure] of left.entries()) {
    const other = right[i] ?? '';
    if (measure !== other) return measure < other ? -1 : 1;
  }
  return 0;
}
