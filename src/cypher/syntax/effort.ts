/** Counts the work of the query that is evaluated now. */
export interface Meter {
  spend(units: number): void;
}

let meter: Meter | null = null;

/**
 * Counts work that is the longer the larger its values are. A unit is some 20 ns: one item compared, or 32 characters copied. Values
 * know no query, so the units go to the meter of whoever evaluates now. Outside of `metered` nobody counts them.
 * @throws what the meter throws at its bound
 */
export function spend(units: number): void {
  meter?.spend(units);
}

/** From so many characters on, V8 keeps a joined text as its parts until it is read, and takes some nanoseconds a character to write it. */
export const longText = 1_024;

/** Counts the reading of a whole text. */
export function spendReading(text: string): void {
  spend(text.length < longText ? text.length >> 4 : text.length >> 2);
}

/** Counts the comparison of two texts, which reads both, however soon it ends. */
export function spendComparing(a: string, b: string): void {
  spendReading(a);
  spendReading(b);
}

/** Does work, which must not wait for anything, and counts it on a meter. */
export function metered<T>(on: Meter, work: () => T): T {
  const outer = meter;
  meter = on;
  try {
    return work();
  } finally {
    meter = outer;
  }
}
