import { type CypherMap, type CypherValue } from '../cypher-value.js';
import { Decimal } from '../decimal.js';
import { toDuration } from './duration.js';
import { beyondDuration, wrongFields, wrongKind } from './temporal-faults.js';
import { type DurationValue } from './temporal-value.js';

type Part = 'months' | 'days' | 'nanoseconds';

const units: ReadonlyMap<string, readonly [Part, bigint]> = new Map<string, readonly [Part, bigint]>([
  ['years', ['months', 12n]],
  ['quarters', ['months', 3n]],
  ['months', ['months', 1n]],
  ['weeks', ['days', 7n]],
  ['days', ['days', 1n]],
  ['hours', ['nanoseconds', 3_600_000_000_000n]],
  ['minutes', ['nanoseconds', 60_000_000_000n]],
  ['seconds', ['nanoseconds', 1_000_000_000n]],
  ['milliseconds', ['nanoseconds', 1_000_000n]],
  ['microseconds', ['nanoseconds', 1000n]],
  ['nanoseconds', ['nanoseconds', 1n]],
]);

/**
 * Maximum characters of a text that is read as a duration, since matching a long text takes long. A valid duration is shorter: seven
 * amounts, each of two numbers with at most 19 digits.
 */
const longestText = 400;
const amount = (name: string, letter: string) => `(?:(?<${name}>[+-]?\\d{1,19}(?:[.,]\\d{1,19})?)${letter})?`;
const inUnits = new RegExp(
  `^(?<sign>[+-]?)P(?=.)${amount('years', 'Y')}${amount('months', 'M')}${amount('weeks', 'W')}${amount('days', 'D')}` +
    `(?:T(?=.)${amount('hours', 'H')}${amount('minutes', 'M')}${amount('seconds', 'S')})?$`,
);
const time = (colon: string) => `(?:T(?<hours>\\d\\d)${colon}(?<minutes>\\d\\d)(?:${colon}(?<seconds>\\d\\d(?:[.,]\\d{1,9})?))?)?`;
/** Durations written as a date and a time: `P2012-02-02T14:37:21.545`. */
const asDates = [
  new RegExp(`^(?<sign>[+-]?)P(?<years>\\d{4})-(?<months>\\d\\d)-(?<days>\\d\\d)${time(':')}$`),
  new RegExp(`^(?<sign>[+-]?)P(?<years>\\d{4})(?<months>\\d\\d)(?<days>\\d\\d)${time('')}$`),
];

/** Reads `P1Y2M10DT2H30M`, with fractions and signs on any part, and `P2012-02-02T14:37:21.545`. Null for other texts. */
export function readDuration(text: string): DurationValue | null {
  if (text.length > longestText) return null;
  for (const form of [inUnits, ...asDates]) {
    const groups: Record<string, string | undefined> | undefined = form.exec(text)?.groups;
    if (!groups) continue;
    const { sign, ...amounts } = groups;
    const read = Object.entries(amounts).flatMap(([name, digits]): [string, Decimal][] => {
      const decimal = digits === undefined ? null : Decimal.parse(digits.replace(',', '.'));
      return decimal ? [[name, sign === '-' ? decimal.negated() : decimal]] : [];
    });
    return fromAmounts(read);
  }
  return null;
}

/** Adds up the amounts of `{years: 1, days: 1.5}`. */
export function durationFromMap(map: CypherMap): DurationValue {
  const names = [...units.keys()];
  if (map.size === 0)
    throw wrongFields({
      zh: `duration() 需要至少一个字段：${names.join('、')}`,
      en: `duration() expects at least one of the fields ${names.join(', ')}`,
    });
  return fromAmounts([...map].map(([name, value]) => [name, toDecimal(name, value)]));
}

function toDecimal(name: string, value: CypherValue): Decimal {
  if (!units.has(name)) {
    const names = [...units.keys()];
    throw wrongFields({
      zh: `duration() 没有字段 ${name}，可用的是 ${names.join('、')}`,
      en: `duration() has no field ${name}, its fields are ${names.join(', ')}`,
    });
  }
  if (value instanceof Decimal) return value;
  if (typeof value === 'bigint') return Decimal.of(value);
  if (typeof value !== 'number') throw wrongKind(`duration({${name}})`, { zh: '数字', en: 'a number' }, value);
  const decimal = Decimal.parse(String(value));
  if (!decimal) throw beyondDuration();
  return decimal;
}

function fromAmounts(amounts: readonly (readonly [string, Decimal])[]): DurationValue {
  const sums = { months: Decimal.of(0n), days: Decimal.of(0n), nanoseconds: Decimal.of(0n) };
  for (const [name, decimal] of amounts) {
    const [part, size] = units.get(name) ?? ['nanoseconds', 0n];
    sums[part] = sums[part].plus(decimal.times(Decimal.of(size)));
  }
  const scale = Math.max(sums.months.scale, sums.days.scale, sums.nanoseconds.scale);
  const unitsOf = (sum: Decimal) => sum.units * 10n ** BigInt(scale - sum.scale);
  return toDuration(
    { months: unitsOf(sums.months), days: unitsOf(sums.days), nanoseconds: unitsOf(sums.nanoseconds) },
    10n ** BigInt(scale),
  );
}
