import { allowedEdits } from './spelling.js';

describe('allowedEdits', () => {
  it.each([
    [3, 0],
    [4, 1],
    [7, 1],
    [8, 2],
  ])('allows for a word of %i letters: %i', (length, edits) => {
    expect(allowedEdits(length)).toBe(edits);
  });
});
