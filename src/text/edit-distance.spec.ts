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
  ])('of %s and %s is %i', (a, b, distance) => {
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
