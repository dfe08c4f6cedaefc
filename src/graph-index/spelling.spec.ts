import { editDistance } from '../text/edit-distance.js';
import { allowedEdits, letterMask, mayBeWithin } from './spelling.js';

describe('the letter masks', () => {
  it('never rule out a word that is within the limit', () => {
    const words = ['chai', 'chia', 'chain', 'hai', 'chef', 'shai', 'c4ai', 'chaí'];
    for (const a of words) {
      for (const b of words) {
        const edits = editDistance(a, b, 2);
        if (edits <= 2) expect(mayBeWithin(letterMask(a), letterMask(b), edits)).toBe(true);
      }
    }
  });
  it('rule out words that share few letters', () => {
    expect([mayBeWithin(letterMask('chai'), letterMask('kobe'), 1), mayBeWithin(letterMask('chai'), letterMask('chab'), 1)]).toEqual([
      false,
      true,
    ]);
  });
});

describe('allowedEdits', () => {
  it.each([
    [3, 0],
    [4, 1],
    [7, 1],
    [8, 2],
  ])('of a word of %i letters are %i', (length, edits) => {
    expect(allowedEdits(length)).toBe(edits);
  });
});
