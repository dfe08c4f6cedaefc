/** Counts the work of the query that is evaluated now. */
export interface Meter {
  spend(units: number): void;
}

let meter: Meter | null = null;

/**
 * Counts work that takes longer for larger values. A unit is some 20 ns: one item compared, or 32 characters copied. Functions on values
 * have no reference to the running query, so the units go to the meter of the innermost `metered` call. Outside of `metered` the units are
 * not counted.
 * @throws the error that the meter throws at its limit
 */
export function spend(units: number): void {
  meter?.spend(units);
}

/**
 * Minimum length in characters of a text that costs more units to read. V8 may hold a concatenated text as its parts and joins them at the
 * first read, which takes some nanoseconds a character.
 */
export const longText = 1_024;

/** Counts the units for reading a whole text. */
export function spendReading(text: string): void {
  spend(text.length < longText ? text.length >> 4 : text.length >> 2);
}

/** Counts the comparison of two texts as the reading of both, even if the comparison ends at the first character. */
export function spendComparing(a: string, b: string): void {
  spendReading(a);
  spendReading(b);
}

/** Does some synchronous work and counts its units on the meter `on`. */
export function metered<T>(on: Meter, work: () => T): T {
  const outer = meter;
  meter = on;
  try {
    return work();
  } finally {
    meter = outer;
  }
}
