import { significantDigits } from '../../text/trim-zeros.js';
import { type TargetDialect, type Typed } from './target-dialect.js';
import { type TargetParameters } from './target-parameters.js';

/** By the values themselves: what is computed of a decimal is another value, and has no double here. */
const doubles = new WeakMap<Typed, string>();
const constants = new WeakMap<Typed, string>();

/** Notes the double that a decimal was. */
export function decimalOf(double: string, decimal: Typed): Typed {
  doubles.set(decimal, double);
  return decimal;
}

export function doubleOf(decimal: Typed): string | undefined {
  return doubles.get(decimal);
}

/** Notes the digits of a constant. */
export function constantOfDigits(written: string, constant: Typed): Typed {
  constants.set(constant, written);
  return constant;
}

/**
 * A decimal that was a double and a constant, both as doubles, where these compare as the decimals do. Decimals keep the order of their
 * nearest doubles, and one of at most 15 digits is the shortest text of its own, so that they are equal if the doubles are.
 * @returns null for all other values
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
