import fc from 'fast-check';
import { editDistance } from './edit-distance.js';

describe('editDistance', () => {
  it.each([
    ['chang', 'chang', 0],
    ['chang', 'chnag', 1],
    ['chang', 'change', 1],
    ['chang', 'cang', 1],
    ['seasonning', 'seasoning', 1],
    ['receive', 'recieve', 1],
    ['kitten', 'sitting', 3],
  ])('puts %s and %s %i apart', (a, b, distance) => {
    expect(editDistance(a, b, 3)).toBe(distance);
    expect(editDistance(b, a, 3)).toBe(distance);
  });

  it('stops above its limit', () => {
    expect(editDistance('kitten', 'sitting', 2)).toBe(3);
    expect(editDistance('a', 'abcdefgh', 2)).toBe(3);
  });

  it('counts characters when it gets lists of them', () => {
    expect(editDistance([...'𠮷a'], [...'𠮸a'], 3)).toBe(1);
    expect(editDistance([...'𠮷🐉'], [...'a'], 3)).toBe(2);
  });
});

it('equals the distance by a naive recursion, for random words', () => {
  const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 9 });
  fc.assert(
    fc.property(word, word, fc.nat(6), (a, b, limit) => {
      expect(editDistance(a, b, limit)).toBe(Math.min(naiveDistance(a, b), limit + 1));
    }),
    { numRuns: 2_000 },
  );
});

/** Optimal string alignment by recursion over the beginnings of both words. */
function naiveDistance(a: string, b: string, memo = new Map<string, number>()): number {
  if (a === '' || b === '') return a.length + b.length;
  const key = `${a},${b}`;
  const known = memo.get(key);
  if (known !== undefined) return known;
  const [shortA, shortB] = [a.slice(0, -1), b.slice(0, -1)];
  const edits = [
    naiveDistance(shortA, b, memo) + 1,
    naiveDistance(a, shortB, memo) + 1,
    naiveDistance(shortA, shortB, memo) + (a.at(-1) === b.at(-1) ? 0 : 1),
  ];
  if (a.length > 1 && b.length > 1 && a.at(-1) === b.at(-2) && a.at(-2) === b.at(-1))
    edits.push(naiveDistance(a.slice(0, -2), b.slice(0, -2), memo) + 1);
  const least = Math.min(...edits);
  memo.set(key, least);
  return least;
}
