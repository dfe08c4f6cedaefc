/**
 * Whether the suite runs in full, in every tier but `npm test`. `npm test` runs only a part of its seeds, rounds or cases. A suite
 * that runs in both has a `*.long-spec.ts` of one line, which imports it.
 */
export const isLong = /\.(long|engine|alone)-spec\.ts$/.test(expect.getState().testPath!);

/** Whether the suite runs in the tier `engines`, whose tests may need other databases. */
export const onEngines = /\.engine-spec\.ts$/.test(expect.getState().testPath!);

/** A test of the tiers `long` and `engines`. `npm test` shows it as skipped. */
export const itLong = isLong ? it : it.skip;

/** The cases that a tier runs: all in the tiers `long` and `engines`, every nth in `npm test`. */
export function everyNth<T extends unknown[] | [unknown]>(cases: readonly T[], nth: number): T[];
export function everyNth<T>(cases: readonly T[], nth: number): T[];
export function everyNth<T>(cases: readonly T[], nth: number): T[] {
  return cases.filter((_, index) => isLong || index % nth === 0);
}
