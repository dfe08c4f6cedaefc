import { Temporal } from 'temporal-polyfill';
import { partsOf } from './clock-parts.js';
import { toDuration } from './duration.js';
import { withinRange } from './temporal-faults.js';
import { type DurationValue, type TemporalValue } from './temporal-value.js';
import { asUtc, atZone, epochNanosecondsOf, inZone, type Zone } from './zone.js';

/** If neither value has a date, both are taken to be on this day. */
const anyDate = new Temporal.PlainDate(1970, 1, 1);

interface Span {
  readonly start: Temporal.PlainDateTime;
  readonly end: Temporal.PlainDateTime;
  /** The named zone of the start, where days may have 23 or 25 hours; null without a named zone. */
  readonly zone: string | null;
  /** The start of the span in nanoseconds since 1970. Values without a zone count as UTC. */
  readonly since: bigint;
  readonly nanoseconds: bigint;
  readonly hasDates: boolean;
}

/** The duration between two values as whole months, then whole days, then the rest. */
export function durationBetween(from: TemporalValue, to: TemporalValue): DurationValue {
  const span = spanOf(from, to);
  if (!span.hasDates) return toDuration({ months: 0n, days: 0n, nanoseconds: span.nanoseconds });
  const { months, days, rest } = split(span, 'months');
  return toDuration({ months, days, nanoseconds: rest });
}

/** The whole months between two values. Zero if one of the values has no date. */
export function durationInMonths(from: TemporalValue, to: TemporalValue): DurationValue {
  const span = spanOf(from, to);
  const months = span.hasDates ? split(span, 'months').months : 0n;
  return toDuration({ months, days: 0n, nanoseconds: 0n });
}

/** The whole days between two values. Zero if one of the values has no date. */
export function durationInDays(from: TemporalValue, to: TemporalValue): DurationValue {
  const span = spanOf(from, to);
  const days = span.hasDates ? split(span, 'days').days : 0n;
  return toDuration({ months: 0n, days, nanoseconds: 0n });
}

export function durationInSeconds(from: TemporalValue, to: TemporalValue): DurationValue {
  return toDuration({ months: 0n, days: 0n, nanoseconds: spanOf(from, to).nanoseconds });
}

/**
 * A value without a date or a zone takes the date or zone of the other value. A date means its midnight. The end is converted to the zone
 * of the start.
 */
function spanOf(from: TemporalValue, to: TemporalValue): Span {
  const first = partsOf(from);
  const second = partsOf(to);
  const hasDates = first.date !== null && second.date !== null;
  const start = (first.date ?? second.date ?? anyDate).toPlainDateTime(first.time ?? undefined);
  const end = (second.date ?? first.date ?? anyDate).toPlainDateTime(second.time ?? undefined);
  const zones: [Zone | null, Zone | null] = [first.zone ?? second.zone, second.zone ?? first.zone];
  if (zones[0] === null || zones[1] === null) {
    const since = asUtc(start);
    return { start, end, zone: null, since, nanoseconds: asUtc(end) - since, hasDates };
  }
  const startThere = atZone(start, zones[0], first.offsetSeconds);
  const since = epochNanosecondsOf(startThere);
  const until = epochNanosecondsOf(atZone(end, zones[1], second.offsetSeconds));
  const endThere = inZone(until, zones[0]);
  return { start: startThere.dateTime, end: endThere.dateTime, zone: startThere.zone, since, nanoseconds: until - since, hasDates };
}

function split({ start, end, zone, since, nanoseconds }: Span, largestUnit: 'months' | 'days') {
  return withinRange(() => {
    if (zone === null) {
      const { months, days } = start.until(end, { largestUnit });
      const rest = asUtc(end) - asUtc(start.add({ months }).add({ days }));
      return { months: BigInt(months), days: BigInt(days), rest };
    }
    const first = Temporal.Instant.fromEpochNanoseconds(since).toZonedDateTimeISO(zone);
    const last = Temporal.Instant.fromEpochNanoseconds(since + nanoseconds).toZonedDateTimeISO(zone);
    const { months, days } = first.until(last, { largestUnit });
    const rest = last.epochNanoseconds - first.add({ months }).add({ days }).epochNanoseconds;
    return { months: BigInt(months), days: BigInt(days), rest };
  });
}
