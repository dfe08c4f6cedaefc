import { significantDigits } from '../../text/trim-zeros.js';
import { type TargetDialect, type Typed } from './target-dialect.js';
import { type TargetParameters } from './target-parameters.js';

/**
 * The SQL of the double from which a decimal was converted, by the object of the decimal. A value computed from the decimal is another
 * object, and has no entry.
 */
const doubles = new WeakMap<Typed, string>();
const constants = new WeakMap<Typed, string>();

/** Records the double from which a decimal was converted. */
export function decimalOf(double: string, decimal: Typed): Typed {
  doubles.set(decimal, double);
  return decimal;
}

export function doubleOf(decimal: Typed): string | undefined {
  return doubles.get(decimal);
}

/** Records the digits of a constant number. */
export function constantOfDigits(written: string, constant: Typed): Typed {
  constants.set(constant, written);
  return constant;
}

/**
 * Replaces the comparison of a decimal and a constant by a comparison of doubles with the same result. The decimal must have been converted
 * from a double, and the constant may have at most 15 significant digits. Decimals have the order of their nearest doubles. A decimal of at
 * most 15 digits is the shortest text of its nearest double, so the decimals are equal if the doubles are.
 * @returns both as doubles; null for all other values
 */
export function asDoubles(a: Typed, b: Typed, dialect: TargetDialect, parameters: TargetParameters): [Typed, Typed] | null {
  if (doubles.has(b) && !doubles.has(a)) {
    const swapped = asDoubles(b, a, dialect, parameters);
    return swapped && [swapped[1], swapped[0]];
  }
  const [double, written] = [doubles.get(a), constants.get(b)];
  if (double === undefined || written === undefined) return null;
  if (significantDigits(written).length > 15 || written.length > 100) return null;
  return [
    { ...a, sql: dialect.comparedFloat(double) },
    { ...b, sql: dialect.floatFromText(parameters.value(written)) },
  ];
}
