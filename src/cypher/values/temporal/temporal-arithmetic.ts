import { type Temporal } from 'temporal-polyfill';
import { spend } from '../../syntax/effort.js';
import { negatedDuration } from './duration.js';
import { beyondTime, withinRange } from './temporal-faults.js';
import { type DurationValue, nanosecondsOf, type TemporalValue } from './temporal-value.js';
import { atZone, epochNanosecondsOf, inZone, zoneOf } from './zone.js';

const [unitsOfDays, unitsInZone] = [600, 2_500];
const day = 86_400_000_000_000n;
/**
 * Maximum months, and maximum days, that are added to a value. The whole range of Temporal has about as many days, so more would leave it.
 */
const mostDays = 200_000_000n;

/**
 * Adds the months, then the days, then the seconds. A time of day wraps around midnight. A date adds only the whole days in the seconds.
 */
export function addDuration<T extends TemporalValue>(temporal: T, duration: DurationValue): T;
export function addDuration(temporal: TemporalValue, duration: DurationValue): TemporalValue {
  spend(temporal.kind === 'datetime' ? unitsInZone : unitsOfDays);
  const rest = nanosecondsOf(duration);
  switch (temporal.kind) {
    case 'date':
      return { kind: 'date', date: addDays(addDates(temporal.date, duration), rest / day) };
    case 'localtime':
    case 'time':
      return { ...temporal, time: temporal.time.add({ nanoseconds: Number(rest % day) }) };
    case 'localdatetime':
      return { kind: 'localdatetime', dateTime: addRest(addDates(temporal.dateTime, duration), rest) };
    case 'datetime': {
      const { months, days } = duration;
      const moved =
        months === 0n && days === 0n ? temporal : atZone(addDates(temporal.dateTime, duration), zoneOf(temporal), temporal.offsetSeconds);
      return rest === 0n ? moved : inZone(epochNanosecondsOf(moved) + rest, zoneOf(temporal));
    }
    default:
      return temporal satisfies never;
  }
}

export function subtractDuration<T extends TemporalValue>(temporal: T, duration: DurationValue): T {
  return addDuration(temporal, negatedDuration(duration));
}

/** Adds months and days to a date. If the month that is reached lacks the day, its last day is taken. */
function addDates<T extends Temporal.PlainDate | Temporal.PlainDateTime>(date: T, { months, days }: DurationValue): T {
  if (months > mostDays || months < -mostDays) throw beyondTime();
  return addDays(
    withinRange(() => date.add({ months: Number(months) }) as T),
    days,
  );
}

function addDays<T extends Temporal.PlainDate | Temporal.PlainDateTime>(date: T, days: bigint): T {
  if (days > mostDays || days < -mostDays) throw beyondTime();
  return withinRange(() => date.add({ days: Number(days) }) as T);
}

function addRest(dateTime: Temporal.PlainDateTime, nanoseconds: bigint): Temporal.PlainDateTime {
  const time = Number(nanoseconds % day);
  return withinRange(() => addDays(dateTime, nanoseconds / day).add({ nanoseconds: time }));
}
