import { Temporal } from 'temporal-polyfill';
import { spend } from '../../syntax/effort.js';
import { wrongValue, withinRange } from './temporal-faults.js';
import { type DateTimeValue } from './temporal-value.js';

/** Seconds east of UTC, or the IANA name of a zone. */
export type Zone = number | string;

const second = 1_000_000_000n;
const widestOffset = 18 * 3600;
const offsetForm = /^([+-])(\d\d)(?::?([0-5]\d)(?::?([0-5]\d))?)?$/;
const nameForm = /^[A-Za-z][A-Za-z0-9_+/-]*$/;
const expected = {
  zh: '时区，例如 +08:00、Z 或 Asia/Shanghai',
  en: 'a time zone such as +08:00, Z or Asia/Shanghai',
};

/** Reads `Z`, `+01`, `+0100`, `+01:00`, `+01:00:30` and names. `UTC` is the offset zero. */
export function readZone(text: string): Zone {
  if (text === 'Z' || text === 'UTC') return 0;
  const [, sign, hours, minutes = '0', seconds = '0'] = offsetForm.exec(text) ?? [];
  if (hours !== undefined) {
    const distance = Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds);
    if (distance > widestOffset) throw wrongValue('timezone', { zh: '±18:00 以内的偏移', en: 'an offset within ±18:00' }, text);
    return sign === '-' && distance > 0 ? -distance : distance;
  }
  // openCypher has names with blanks: `America/Los Angeles`.
  const name = text.replaceAll(' ', '_');
  if (!nameForm.test(name)) throw wrongValue('timezone', expected, text);
  try {
    return Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(name).timeZoneId;
  } catch (error) {
    if (error instanceof RangeError) throw wrongValue('timezone', expected, text);
    throw error;
  }
}

export function zoneOf({ zone, offsetSeconds }: DateTimeValue): Zone {
  return zone ?? offsetSeconds;
}

export function epochNanosecondsOf({ dateTime, offsetSeconds }: DateTimeValue): bigint {
  return asUtc(dateTime) - BigInt(offsetSeconds) * second;
}

/** Nanoseconds since 1970 of a local time in UTC. */
export function asUtc(dateTime: Temporal.PlainDateTime): bigint {
  spend(300);
  return withinRange(() => dateTime.toZonedDateTime('UTC').epochNanoseconds);
}

/**
 * The moment when clocks in the zone show the time `dateTime`. If they show it twice, `offsetSeconds` selects one of the two moments; null
 * selects the first. A time that the clocks skip is moved on by the length of the gap.
 */
export function atZone(dateTime: Temporal.PlainDateTime, zone: Zone, offsetSeconds: number | null = null): DateTimeValue {
  if (typeof zone === 'number') {
    asUtc(dateTime);
    return { kind: 'datetime', dateTime, offsetSeconds: zone, zone: null };
  }
  if (offsetSeconds !== null) {
    const meant = inZone(asUtc(dateTime) - BigInt(offsetSeconds) * second, zone);
    if (meant.offsetSeconds === offsetSeconds) return meant;
  }
  return withinRange(() => fromZoned(dateTime.toZonedDateTime(zone)));
}

/** The date-time in the zone at a moment. */
export function inZone(epochNanoseconds: bigint, zone: Zone): DateTimeValue {
  return withinRange(() => {
    if (typeof zone === 'string') return fromZoned(Temporal.Instant.fromEpochNanoseconds(epochNanoseconds).toZonedDateTimeISO(zone));
    const shown = Temporal.Instant.fromEpochNanoseconds(epochNanoseconds + BigInt(zone) * second);
    return { kind: 'datetime', dateTime: shown.toZonedDateTimeISO('UTC').toPlainDateTime(), offsetSeconds: zone, zone: null };
  });
}

function fromZoned(zoned: Temporal.ZonedDateTime): DateTimeValue {
  const offsetSeconds = zoned.offsetNanoseconds / 1_000_000_000;
  return { kind: 'datetime', dateTime: zoned.toPlainDateTime(), offsetSeconds, zone: zoned.timeZoneId };
}
