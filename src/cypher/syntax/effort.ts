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
