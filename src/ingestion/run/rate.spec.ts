import { Rate } from './rate.js';

function rateOf(samples: [atMs: number, value: number][], askedAtMs = samples.at(-1)![0]): number | null {
  let now = 0;
  const rate = new Rate(() => now);
  for (const [at, value] of samples) {
    now = at;
    rate.add(value);
  }
  now = askedAtMs;
  return rate.perSecond;
}

describe('a rate', () => {
  it('is that of the last ten seconds', () => {
    expect(
      rateOf([
        [0, 0],
        [1_000, 500],
        [2_000, 1_000],
      ]),
    ).toBe(500);
    const slowed = Array.from({ length: 30 }, (_, second): [number, number] => [
      second * 1_000,
      second < 10 ? second * 1_000 : 10_000 + second,
    ]);
    expect(rateOf(slowed)).toBe(1);
  });

  it('is unknown at first, also while the number stands', () => {
    expect(rateOf([[0, 0]])).toBeNull();
    expect(
      rateOf([
        [0, 0],
        [100, 9_000],
      ]),
    ).toBeNull();
    expect(
      rateOf([
        [0, 0],
        [1_000, 0],
        [9_000, 0],
      ]),
    ).toBeNull();
  });

  it('falls to 0 when nothing is added any more', () => {
    const steps: [number, number][] = [[0, 0], [1_000, 1_000], [2_000, 2_000]]; // prettier-ignore
    const still = Array.from({ length: 20 }, (_, second): [number, number] => [3_000 + second * 1_000, 2_000]);
    expect(rateOf([...steps, ...still.slice(0, 2)])).toBe(500);
    expect(rateOf([...steps, ...still])).toBe(0);
  });
});
