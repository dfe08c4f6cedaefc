import { Temporal } from 'temporal-polyfill';
import { type CypherMap, type CypherValue } from '../cypher-value.js';
import { fromParts, hasDate, hasTime, type Now, partsFor, type TemporalKind } from './clock-parts.js';
import { overridden } from './parts-of-map.js';
import { firstMonday, quarterOf, toPlainDate } from './temporal-fields.js';
import { withinRange, wrongValue } from './temporal-faults.js';
import { type TemporalValue } from './temporal-value.js';

const dateUnits = ['millennium', 'century', 'decade', 'year', 'weekYear', 'quarter', 'month', 'week', 'day'] as const;
const timeUnits = ['hour', 'minute', 'second', 'millisecond', 'microsecond'] as const;
type DateUnit = (typeof dateUnits)[number];
type TimeUnit = (typeof timeUnits)[number];

/** The beginning of the unit in which the value lies, with the fields of the map in place of the value's own fields. */
export function truncateTemporal(kind: TemporalKind, unitName: string, value: CypherValue, map: CypherMap, now: Now): TemporalValue {
  const parts = partsFor(kind, `${kind}.truncate()`, value);
  const { date, time } = parts;
  const unit = findUnit(kind, unitName);
  if (isTimeUnit(unit)) {
    const truncated = { ...parts, time: (time ?? new Temporal.PlainTime()).round({ smallestUnit: unit, roundingMode: 'trunc' }) };
    return fromParts(kind, overridden(kind, truncated, withCoarser(unit, truncated.time, map)), now);
  }
  const truncated = { ...parts, date: date && hasDate(kind) ? beginningOf(unit, date) : date, time: new Temporal.PlainTime() };
  // A day with two midnights begins at the first, so a date-time drops its offset. A `time` keeps its offset.
  return fromParts(kind, overridden(kind, kind === 'datetime' ? { ...truncated, offsetSeconds: null } : truncated, map), now);
}

function beginningOf(unit: DateUnit, date: Temporal.PlainDate): Temporal.PlainDate {
  const yearsOf = (length: number) => toPlainDate(null, { year: Math.floor(date.year / length) * length });
  switch (unit) {
    case 'millennium':
      return yearsOf(1000);
    case 'century':
      return yearsOf(100);
    case 'decade':
      return yearsOf(10);
    case 'year':
      return yearsOf(1);
    case 'weekYear':
      return firstMonday(date.yearOfWeek ?? date.year);
    case 'quarter':
      return toPlainDate(null, { year: date.year, month: quarterOf(date) * 3 - 2 });
    case 'month':
      return toPlainDate(null, { year: date.year, month: date.month });
    case 'week':
      return withinRange(() => date.subtract({ days: date.dayOfWeek - 1 }));
    case 'day':
      return date;
    default:
      return unit satisfies never;
  }
}

/** A smaller part of a second is added to the rest that truncation left: 645 ms and `{nanosecond: 2}` give 645000002 ns. */
function withCoarser(unit: TimeUnit, time: Temporal.PlainTime, map: CypherMap): CypherMap {
  if (unit !== 'millisecond' && unit !== 'microsecond') return map;
  if (map.has('millisecond') || (!map.has('microsecond') && !map.has('nanosecond'))) return map;
  const rest: [string, CypherValue][] = [['millisecond', BigInt(time.millisecond)]];
  if (unit === 'microsecond') rest.push(['microsecond', BigInt(time.microsecond)]);
  return new Map([...rest, ...map]);
}

function isTimeUnit(unit: DateUnit | TimeUnit): unit is TimeUnit {
  return timeUnits.some(name => name === unit);
}

function findUnit(kind: TemporalKind, name: string): DateUnit | TimeUnit {
  const dates: readonly DateUnit[] = hasDate(kind) ? dateUnits : ['day'];
  const units = [...dates, ...(hasTime(kind) ? timeUnits : [])];
  const unit = units.find(known => known.toLowerCase() === name.toLowerCase());
  if (unit !== undefined) return unit;
  throw wrongValue(`${kind}.truncate()`, { zh: `以下单位之一：${units.join('、')}`, en: `one of the units ${units.join(', ')}` }, name);
}
