import { type Temporal } from 'temporal-polyfill';
import { spend } from '../../syntax/effort.js';
import { type DurationValue, nanosecondsOf, type TemporalValue } from './temporal-value.js';
import { trimZerosEnd } from '../../../text/trim-zeros.js';

const unitsOfText = 100;

/** The ISO 8601 text of a value, as `toString()` gives it. The temporal function of the value's kind reads the text back. */
export function temporalText(value: TemporalValue | DurationValue): string {
  spend(unitsOfText);
  switch (value.kind) {
    case 'date':
      return dateText(value.date);
    case 'localtime':
      return timeText(value.time);
    case 'time':
      return timeText(value.time) + offsetText(value.offsetSeconds);
    case 'localdatetime':
      return dateTimeText(value.dateTime);
    case 'datetime':
      return dateTimeText(value.dateTime) + offsetText(value.offsetSeconds) + (value.zone === null ? '' : `[${value.zone}]`);
    case 'duration':
      return durationText(value);
    default:
      return value satisfies never;
  }
}

/** The text of an offset from UTC: `Z`, `+01:00` or `+00:53:28`. */
export function offsetText(seconds: number): string {
  if (seconds === 0) return 'Z';
  const distance = Math.abs(seconds);
  const parts = [Math.floor(distance / 3600), Math.floor(distance / 60) % 60, distance % 60];
  if (parts[2] === 0) parts.pop();
  return (seconds < 0 ? '-' : '+') + parts.map(twoDigits).join(':');
}

/**
 * The ISO text of a date. Temporal would write a year outside 0 to 9999 with six digits. openCypher writes only the digits of the year, at
 * least four.
 */
function dateText({ year, month, day }: Temporal.PlainDate | Temporal.PlainDateTime): string {
  const sign = year < 0 ? '-' : year > 9999 ? '+' : '';
  return `${sign}${String(Math.abs(year)).padStart(4, '0')}-${twoDigits(month)}-${twoDigits(day)}`;
}

function timeText(time: Temporal.PlainTime | Temporal.PlainDateTime): string {
  const minutes = `${twoDigits(time.hour)}:${twoDigits(time.minute)}`;
  const fraction = fractionText(nanosecondOfSecond(time));
  return time.second === 0 && fraction === '' ? minutes : `${minutes}:${twoDigits(time.second)}${fraction}`;
}

function dateTimeText(dateTime: Temporal.PlainDateTime): string {
  return `${dateText(dateTime)}T${timeText(dateTime)}`;
}

export function nanosecondOfSecond(time: Temporal.PlainTime | Temporal.PlainDateTime): number {
  return time.millisecond * 1_000_000 + time.microsecond * 1000 + time.nanosecond;
}

/** Every part has its own sign: `P12Y5M-14DT16H`. Parts that are zero are left out. */
function durationText(duration: DurationValue): string {
  const part = (amount: bigint, unit: string) => (amount === 0n ? '' : `${amount}${unit}`);
  const { months, days } = duration;
  const nanoseconds = nanosecondsOf(duration);
  const seconds = nanoseconds / 1_000_000_000n;
  const dates = part(months / 12n, 'Y') + part(months % 12n, 'M') + part(days, 'D');
  const times = part(seconds / 3600n, 'H') + part((seconds / 60n) % 60n, 'M') + secondsText(nanoseconds % 60_000_000_000n);
  if (dates + times === '') return 'PT0S';
  return `P${dates}${times === '' ? '' : `T${times}`}`;
}

function secondsText(nanoseconds: bigint): string {
  if (nanoseconds === 0n) return '';
  const distance = nanoseconds < 0n ? -nanoseconds : nanoseconds;
  return `${nanoseconds < 0n ? '-' : ''}${distance / 1_000_000_000n}${fractionText(Number(distance % 1_000_000_000n))}S`;
}

function fractionText(nanoseconds: number): string {
  return nanoseconds === 0 ? '' : `.${trimZerosEnd(String(nanoseconds).padStart(9, '0'))}`;
}

function twoDigits(number: number): string {
  return String(number).padStart(2, '0');
}
