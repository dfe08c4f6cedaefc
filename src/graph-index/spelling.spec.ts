import { editDistance, letterMask, mayBeWithin } from './spelling.js';

describe('editDistance', () => {
  it.each([
    ['chang', 'chang', 0],
    ['chang', 'chnag', 1],
    ['chang', 'change', 1],
    ['chang', 'cang', 1],
    ['seasonning', 'seasoning', 1],
    ['receive', 'recieve', 1],
    ['kitten', 'sitting', 3],
  ])('of %s and %s is %i', (a, b, distance) => {
    expect(editDistance(a, b, 3)).toBe(distance);
    expect(editDistance(b, a, 3)).toBe(distance);
  });

  it('stops above its limit', () => {
    expect(editDistance('kitten', 'sitting', 2)).toBe(3);
    expect(editDistance('a', 'abcdefgh', 2)).toBe(3);
  });

  it('is never ruled out by the letter masks when it is within the limit', () => {
    const words = ['chai', 'chia', 'chain', 'hai', 'chef', 'shai', 'c4ai', 'chaí'];
    for (const a of words) {
      for (const b of words) {
        const edits = editDistance(a, b, 2);
        if (edits <= 2) expect(mayBeWithin(letterMask(a), letterMask(b), edits)).toBe(true);
      }
    }
  });
});
