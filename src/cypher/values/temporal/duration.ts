import { spend } from '../../syntax/effort.js';
import { greatestInteger, leastInteger } from '../cypher-value.js';
import { Decimal } from '../decimal.js';
import { ValueFault } from '../value-fault.js';
import { beyondDuration } from './temporal-faults.js';
import { type DurationValue, nanosecondsOf } from './temporal-value.js';

const second = 1_000_000_000n;
const day = 86_400n * second;
/** Nanoseconds of a mean month: a twelfth of 365.2425 days, the mean year of the Gregorian calendar. */
const month = 2_629_746n * second;

/** Amounts of the three parts of a duration. `toDuration` divides all of them by one divisor. */
export interface DurationParts {
  readonly months: bigint;
  readonly days: bigint;
  readonly nanoseconds: bigint;
}

/**
 * The duration of `parts / divisor`. A fraction of a month flows into the days, a fraction of a day into the seconds, and a fraction
 * of a nanosecond is cut off.
 */
export function toDuration(parts: DurationParts, divisor = 1n): DurationValue {
  spend(100);
  const days = parts.days * day + (parts.months % divisor) * month;
  const nanoseconds = (parts.nanoseconds + (days % (day * divisor))) / divisor;
  const nanosecond = ((nanoseconds % second) + second) % second;
  const duration = {
    kind: 'duration',
    months: parts.months / divisor,
    days: days / (day * divisor),
    seconds: (nanoseconds - nanosecond) / second,
    nanoseconds: Number(nanosecond),
  } as const;
  for (const amount of [duration.months, duration.days, duration.seconds])
    if (amount < leastInteger || amount > greatestInteger) throw beyondDuration();
  return duration;
}

export function plusDurations(left: DurationValue, right: DurationValue): DurationValue {
  return toDuration({
    months: left.months + right.months,
    days: left.days + right.days,
    nanoseconds: nanosecondsOf(left) + nanosecondsOf(right),
  });
}

export function minusDurations(left: DurationValue, right: DurationValue): DurationValue {
  return plusDurations(left, negatedDuration(right));
}

export function negatedDuration(duration: DurationValue): DurationValue {
  return scaleDuration(duration, -1n);
}

export function scaleDuration(duration: DurationValue, factor: number | bigint | Decimal): DurationValue {
  const { numerator, denominator } = toFraction(factor);
  return times(duration, numerator, denominator);
}

export function divideDuration(duration: DurationValue, divisor: number | bigint | Decimal): DurationValue {
  const { numerator, denominator } = toFraction(divisor);
  if (numerator === 0n)
    throw new ValueFault('ArithmeticError', 'DivisionByZero', { zh: '时长不能除以零', en: 'A duration cannot be divided by zero' });
  return numerator < 0n ? times(duration, -denominator, -numerator) : times(duration, denominator, numerator);
}

/** Compares durations in a total order: by mean length, then by months, days and seconds. Zero for equal durations only. */
export function compareDurationsForOrder(left: DurationValue, right: DurationValue): number {
  const measures = (duration: DurationValue) => [lengthOf(duration), duration.months, duration.days];
  const others = measures(right);
  for (const [i, measure] of measures(left).entries()) {
    const other = others[i] ?? 0n;
    if (measure !== other) return measure < other ? -1 : 1;
  }
  return 0;
}

function lengthOf(duration: DurationValue): bigint {
  return duration.months * month + duration.days * day + nanosecondsOf(duration);
}

function times(duration: DurationValue, factor: bigint, divisor: bigint): DurationValue {
  const { months, days } = duration;
  return toDuration({ months: months * factor, days: days * factor, nanoseconds: nanosecondsOf(duration) * factor }, divisor);
}

/** The number as a fraction, which is the exact value of the number's shortest text: 0.1 is a tenth. */
function toFraction(number: number | bigint | Decimal): { numerator: bigint; denominator: bigint } {
  const decimal = typeof number === 'bigint' ? Decimal.of(number) : typeof number === 'number' ? Decimal.parse(String(number)) : number;
  if (!decimal) throw beyondDuration();
  decimal.spendOnDigits();
  return { numerator: decimal.units, denominator: 10n ** BigInt(decimal.scale) };
}
