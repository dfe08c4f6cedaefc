import { sortInSteps } from './sort-in-steps.js';

function sorted<T>(items: T[], compare: (a: T, b: T) => number): { items: T[]; pauses: number } {
  let compared = 0;
  const counting = (a: T, b: T) => ++compared && compare(a, b);
  const isDue = () => compared > 1_000 && (compared = 0) === 0;
  const steps = sortInSteps(items, counting, isDue);
  for (let pauses = 0; ; pauses++) {
    const step = steps.next();
    if (step.done) return { items: step.value, pauses };
  }
}

describe('sortInSteps', () => {
  it.each([0, 1, 31, 32, 33, 9_000, 30_001])('sorts %d items as Array.sort does, and pauses', count => {
    const items = Array.from({ length: count }, (_, i) => ({ key: (i * 7_919) % 101, i }));
    const compare = (a: { key: number }, b: { key: number }) => a.key - b.key;
    const { items: found, pauses } = sorted(items, compare);
    expect(found).toEqual([...items].sort(compare));
    expect(pauses).toBeGreaterThanOrEqual(Math.floor(count / 2_000));
  });
});
