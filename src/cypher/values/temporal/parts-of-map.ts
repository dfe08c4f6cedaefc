import { type CypherMap, type CypherValue } from '../cypher-value.js';
import { Decimal } from '../decimal.js';
import { fromParts, hasDate, hasTime, hasZone, type Now, partsFor, partsOf, partsOfNow, type TemporalKind } from './clock-parts.js';
import { type ClockParts } from './read-date-time.js';
import { dateFields, timeFields, toPlainDate, toPlainTime } from './temporal-fields.js';
import { wrongFields, wrongKind } from './temporal-faults.js';
import { epochNanosecondsOf, inZone, readZone, type Zone } from './zone.js';

type Numbers = Readonly<Partial<Record<(typeof dateFields)[number] | (typeof timeFields)[number], number>>>;

/** Reads `{year: 1984, month: 10}`, `{date: other, day: 28}`, `{time: other, timezone: '+05:00'}` and `{epochMillis: 0}`. */
export function partsOfMap(kind: TemporalKind, map: CypherMap, now: Now): ClockParts {
  if (kind === 'datetime' && (map.has('epochSeconds') || map.has('epochMillis'))) return partsOfEpoch(map);
  const zone = map.has('timezone') ? zoneField(kind, map) : null;
  if (zone !== null && map.size === 1) return partsOfNow(now, zone);
  refuseOthers(`${kind}()`, map, [...fieldsOf(kind), ...basesOf(kind), ...(hasZone(kind) ? ['timezone'] : [])]);
  if (map.has('datetime') && (map.has('date') || map.has('time')))
    throw wrongFields({ zh: 'datetime 不能与 date 或 time 同时给出', en: 'datetime cannot be given together with date or time' });

  const dateBase = baseOf('date', kind, map);
  const timeBase = baseOf('time', kind, map);
  const numbers = numbersOf(kind, map);
  const needed = hasDate(kind) ? 0 : 1;
  const parts = {
    date: hasDate(kind) ? toPlainDate(dateBase?.date ?? null, numbers) : null,
    time: hasTime(kind) ? toPlainTime(timeBase?.time ?? null, numbers, needed) : null,
    zone: timeBase?.zone ?? null,
    offsetSeconds: timeBase?.offsetSeconds ?? null,
  };
  if (zone === null) return parts;
  return parts.zone === null ? { ...parts, zone } : movedTo(zone, kind, parts, now);
}

/**
 * The parts, with the fields of a map in place of their own fields. A zone in the map replaces the zone of the clock and keeps the local
 * time.
 */
export function overridden(kind: TemporalKind, parts: ClockParts, map: CypherMap): ClockParts {
  refuseOthers(`${kind}.truncate()`, map, [...fieldsOf(kind), ...(hasZone(kind) ? ['timezone'] : [])]);
  const numbers = numbersOf(kind, map);
  return {
    date: hasDate(kind) ? toPlainDate(parts.date, numbers) : null,
    time: hasTime(kind) ? toPlainTime(parts.time, numbers) : null,
    ...(map.has('timezone')
      ? { zone: zoneField(kind, map), offsetSeconds: null }
      : { zone: parts.zone, offsetSeconds: parts.offsetSeconds }),
  };
}

/** The parts of the same moment in another zone. */
function movedTo(zone: Zone, kind: TemporalKind, parts: ClockParts, now: Now): ClockParts {
  if (kind === 'datetime') {
    const here = fromParts('datetime', parts, now);
    return here.kind === 'datetime' ? partsOf(inZone(epochNanosecondsOf(here), zone)) : parts;
  }
  const offsetSeconds = typeof zone === 'number' ? zone : inZone(now.epochNanoseconds, zone).offsetSeconds;
  const time = parts.time?.add({ seconds: offsetSeconds - (parts.offsetSeconds ?? 0) }) ?? null;
  return { ...parts, time, zone: offsetSeconds, offsetSeconds };
}

function partsOfEpoch(map: CypherMap): ClockParts {
  refuseOthers('datetime()', map, ['epochSeconds', 'epochMillis', 'nanosecond', 'timezone']);
  if (map.has('epochSeconds') && map.has('epochMillis'))
    throw wrongFields({ zh: 'epochSeconds 不能与 epochMillis 同时给出', en: 'epochSeconds cannot be given together with epochMillis' });
  const integer = (name: string) => (map.has(name) ? toInteger(`datetime({${name}})`, map.get(name) ?? null) : 0n);
  const nanoseconds = integer('epochSeconds') * 1_000_000_000n + integer('epochMillis') * 1_000_000n + integer('nanosecond');
  return partsOf(inZone(nanoseconds, map.has('timezone') ? zoneField('datetime', map) : 0));
}

/** @throws ValueFault for a value that is not a whole number */
export function toInteger(where: string, value: CypherValue): bigint {
  if (typeof value === 'bigint') return value;
  const decimal = value instanceof Decimal ? value.normalized() : null;
  if (decimal?.scale === 0) return decimal.units;
  throw wrongKind(where, { zh: '整数', en: 'an integer' }, value);
}

function baseOf(name: 'date' | 'time', kind: TemporalKind, map: CypherMap): ClockParts | null {
  const key = map.has('datetime') ? 'datetime' : name;
  if (!map.has(key)) return null;
  return partsFor(key === 'time' ? 'time' : 'date', `${kind}({${key}})`, map.get(key) ?? null);
}

function zoneField(kind: TemporalKind, map: CypherMap): Zone {
  const value = map.get('timezone') ?? null;
  if (typeof value !== 'string') throw wrongKind(`${kind}({timezone})`, { zh: '字符串', en: 'a string' }, value);
  return readZone(value);
}

function fieldsOf(kind: TemporalKind): readonly (keyof Numbers)[] {
  return [...(hasDate(kind) ? dateFields : []), ...(hasTime(kind) ? timeFields : [])];
}

function basesOf(kind: TemporalKind): readonly string[] {
  return kind === 'date' ? ['date'] : hasDate(kind) ? ['date', 'time', 'datetime'] : ['time'];
}

function numbersOf(kind: TemporalKind, map: CypherMap): Numbers {
  const given = fieldsOf(kind).filter(name => map.has(name));
  return Object.fromEntries(given.map(name => [name, Number(toInteger(`${kind}({${name}})`, map.get(name) ?? null))]));
}

function refuseOthers(where: string, map: CypherMap, names: readonly string[]): void {
  const other = [...map.keys()].find(name => !names.includes(name));
  if (other === undefined) return;
  throw wrongFields({
    zh: `${where} 没有字段 ${other}，可用的是 ${names.join('、')}`,
    en: `${where} has no field ${other}, its fields are ${names.join(', ')}`,
  });
}
