import { type CypherValue, isMap } from '../cypher-value.js';
import { spend } from '../../syntax/effort.js';
import { fromParts, type Now, partsFor, partsOfNow, partsOfText, type TemporalKind } from './clock-parts.js';
import { durationBetween, durationInDays, durationInMonths, durationInSeconds } from './duration-between.js';
import { isDuration, isTemporal } from './is-temporal.js';
import { partsOfMap, toInteger } from './parts-of-map.js';
import { durationFromMap, readDuration } from './read-duration.js';
import { wrongKind, wrongValue } from './temporal-faults.js';
import { type DurationValue, type TemporalValue } from './temporal-value.js';
import { truncateTemporal } from './truncate-temporal.js';
import { inZone, readZone } from './zone.js';

export interface TemporalFunction {
  /** Name as documents write it: `duration.inMonths`. */
  readonly name: string;
  /** Minimum and maximum number of arguments. */
  readonly least: number;
  readonly most: number;
  call(args: readonly CypherValue[], now: Now): CypherValue;
}

type Call = (args: readonly CypherValue[], now: Now) => CypherValue;

/** Work units to compute a temporal value by the calendar; `unitsOfZone` for a value with a zone. */
const unitsOfCalendar = 500;
const unitsOfZone = 2_500;

const kinds: readonly TemporalKind[] = ['date', 'localtime', 'time', 'localdatetime', 'datetime'];

/** Temporal functions by name in lower case. */
export const temporalFunctions: Readonly<Record<string, TemporalFunction>> = Object.fromEntries(
  [
    ...kinds.flatMap(kind => [
      define(kind, 0, 1, ([value], now) => construct(kind, value, now)),
      define(`${kind}.truncate`, 1, 3, (args, now) => truncate(kind, args, now)),
      // A query runs at one moment, so these three clocks are the same.
      ...['transaction', 'statement', 'realtime'].map(clock =>
        define(`${kind}.${clock}`, 0, 1, ([zone], now) => nowIn(kind, `${kind}.${clock}()`, zone, now)),
      ),
    ]),
    define('datetime.fromEpoch', 2, 2, ([seconds, nanoseconds]) =>
      fromEpoch('datetime.fromEpoch()', [
        [seconds, 1_000_000_000n],
        [nanoseconds, 1n],
      ]),
    ),
    define('datetime.fromEpochMillis', 1, 1, ([milliseconds]) => fromEpoch('datetime.fromEpochMillis()', [[milliseconds, 1_000_000n]])),
    define('duration', 1, 1, ([value = null]) => constructDuration(value)),
    between('duration.between', durationBetween),
    between('duration.inMonths', durationInMonths),
    between('duration.inDays', durationInDays),
    between('duration.inSeconds', durationInSeconds),
  ].map(described => [described.name.toLowerCase(), described]),
);

/** Defines a function that gives null if an argument, or a value in a map argument, is null. */
function define(name: string, least: number, most: number, call: Call): TemporalFunction {
  const isUnknown = (value: CypherValue) => value === null || (isMap(value) && [...value.values()].includes(null));
  const units = /^(datetime|time)|\./.test(name) ? unitsOfZone : unitsOfCalendar;
  return {
    name,
    least,
    most,
    call: (args, now) => {
      spend(args.length === 0 ? unitsOfZone : units);
      return args.some(isUnknown) ? null : call(args, now);
    },
  };
}

function construct(kind: TemporalKind, value: CypherValue | undefined, now: Now): TemporalValue {
  if (value === undefined) return fromParts(kind, partsOfNow(now), now);
  if (typeof value === 'string') return fromParts(kind, partsOfText(kind, value), now);
  if (isTemporal(value)) return value.kind === kind ? value : fromParts(kind, partsFor(kind, `${kind}()`, value), now);
  if (isMap(value)) return fromParts(kind, partsOfMap(kind, value, now), now);
  throw wrongKind(`${kind}()`, { zh: '字符串、映射或时间值', en: 'a string, a map or another time' }, value);
}

function truncate(kind: TemporalKind, [unit = null, value, map = new Map()]: readonly CypherValue[], now: Now): TemporalValue {
  const where = `${kind}.truncate()`;
  if (typeof unit !== 'string') throw wrongKind(where, { zh: '字符串形式的单位', en: 'a unit as a string' }, unit);
  if (!isMap(map)) throw wrongKind(where, { zh: '字段的映射', en: 'a map of fields' }, map);
  return truncateTemporal(kind, unit, value ?? inZone(now.epochNanoseconds, readZone(now.timeZone)), map, now);
}

function nowIn(kind: TemporalKind, where: string, zone: CypherValue | undefined, now: Now): TemporalValue {
  if (zone === undefined) return fromParts(kind, partsOfNow(now), now);
  if (typeof zone !== 'string') throw wrongKind(where, { zh: '字符串形式的时区', en: 'a time zone as a string' }, zone);
  return fromParts(kind, partsOfNow(now, readZone(zone)), now);
}

function fromEpoch(where: string, amounts: readonly [CypherValue | undefined, bigint][]): TemporalValue {
  const nanoseconds = amounts.map(([amount = null, size]) => toInteger(where, amount) * size);
  return inZone(
    nanoseconds.reduce((sum, part) => sum + part, 0n),
    0,
  );
}

function constructDuration(value: CypherValue): DurationValue {
  if (isDuration(value)) return value;
  if (isMap(value)) return durationFromMap(value);
  if (typeof value !== 'string') throw wrongKind('duration()', { zh: '字符串、映射或时长', en: 'a string, a map or a duration' }, value);
  const duration = readDuration(value);
  if (duration) return duration;
  throw wrongValue(
    'duration()',
    { zh: "ISO 8601 时长，例如 'P1Y2M10DT2H30M'", en: "an ISO 8601 duration such as 'P1Y2M10DT2H30M'" },
    value,
  );
}

function between(name: string, compute: (from: TemporalValue, to: TemporalValue) => DurationValue): TemporalFunction {
  return define(name, 2, 2, args => {
    const [from, to] = args.map(value => {
      if (isTemporal(value)) return value;
      throw wrongKind(`${name}()`, { zh: '两个时间值', en: 'two dates or times' }, value);
    });
    if (!from || !to) throw new Error(`${name} has two arguments`);
    return compute(from, to);
  });
}
