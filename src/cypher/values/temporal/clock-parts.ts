import { type CypherValue } from '../cypher-value.js';
import { isTemporal } from './is-temporal.js';
import { type ClockParts, readClock } from './read-date-time.js';
import { wrongKind, wrongValue } from './temporal-faults.js';
import { type TemporalValue } from './temporal-value.js';
import { atZone, inZone, readZone, zoneOf } from './zone.js';

/** The moment at which a query runs, and the default zone of values. */
export interface Now {
  readonly epochNanoseconds: bigint;
  /** The default zone: an IANA name or an offset. */
  readonly timeZone: string;
}

export type TemporalKind = TemporalValue['kind'];

export const hasDate = (kind: TemporalKind) => kind !== 'localtime' && kind !== 'time';
export const hasTime = (kind: TemporalKind) => kind !== 'date';
export const hasZone = (kind: TemporalKind) => kind === 'time' || kind === 'datetime';

const examples: Readonly<Record<TemporalKind, string>> = {
  date: '2015-07-21',
  localtime: '21:40:32.142',
  time: '21:40:32.142+01:00',
  localdatetime: '2015-07-21T21:40:32.142',
  datetime: '2015-07-21T21:40:32.142+01:00[Europe/Stockholm]',
};

export function partsOf(value: TemporalValue): ClockParts {
  switch (value.kind) {
    case 'date':
      return { date: value.date, time: null, zone: null, offsetSeconds: null };
    case 'localtime':
      return { date: null, time: value.time, zone: null, offsetSeconds: null };
    case 'time':
      return { date: null, time: value.time, zone: value.offsetSeconds, offsetSeconds: value.offsetSeconds };
    case 'localdatetime':
      return { date: value.dateTime.toPlainDate(), time: value.dateTime.toPlainTime(), zone: null, offsetSeconds: null };
    case 'datetime': {
      const { dateTime, offsetSeconds } = value;
      return { date: dateTime.toPlainDate(), time: dateTime.toPlainTime(), zone: zoneOf(value), offsetSeconds };
    }
    default:
      return value satisfies never;
  }
}

export function partsOfNow(now: Now, zone = readZone(now.timeZone)): ClockParts {
  return partsOf(inZone(now.epochNanoseconds, zone));
}

/** Builds a value of a kind from parts. Parts without a zone take the zone of `now`; parts without a time take midnight. */
export function fromParts(kind: TemporalKind, parts: ClockParts, now: Now): TemporalValue {
  const { date, time, offsetSeconds } = parts;
  const zone = parts.zone ?? (hasZone(kind) ? readZone(now.timeZone) : 0);
  if (kind === 'localtime' || kind === 'time') {
    if (time === null) throw new Error('a time has no time');
    if (kind === 'localtime') return { kind, time };
    const there = typeof zone === 'number' ? zone : (offsetSeconds ?? inZone(now.epochNanoseconds, zone).offsetSeconds);
    return { kind, time, offsetSeconds: there };
  }
  if (date === null) throw new Error('a date has no date');
  if (kind === 'date') return { kind, date };
  const dateTime = date.toPlainDateTime(time ?? undefined);
  return kind === 'localdatetime' ? { kind, dateTime } : atZone(dateTime, zone, offsetSeconds);
}

/**
 * The parts of a temporal value from which a value of the given kind is built.
 * @throws ValueFault for a value without the date or time that the kind needs
 */
export function partsFor(kind: TemporalKind, where: string, value: CypherValue): ClockParts {
  if (isTemporal(value) && (hasDate(kind) ? hasDate(value.kind) : hasTime(value.kind))) return partsOf(value);
  throw wrongKind(
    where,
    hasDate(kind) ? { zh: '带日期的时间值', en: 'a value with a date' } : { zh: '带时刻的时间值', en: 'a value with a time' },
    value,
  );
}

export function partsOfText(kind: TemporalKind, text: string): ClockParts {
  const parts = readClock(text, hasDate(kind) ? 'date' : 'time');
  const expected = { zh: `ISO 8601 文本，例如 '${examples[kind]}'`, en: `an ISO 8601 text such as '${examples[kind]}'` };
  if (parts === null || (parts.time !== null && !hasTime(kind)) || (parts.zone !== null && !hasZone(kind)))
    throw wrongValue(`${kind}()`, expected, text);
  if (kind === 'time' && typeof parts.zone === 'string') throw wrongValue('time()', expected, text);
  return parts;
}
