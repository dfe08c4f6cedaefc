import { editDistance } from '../text/edit-distance.js';
import { letterMask, mayBeWithin } from './spelling.js';

describe('the letter masks', () => {
  it('never rule a word out that is within the limit', () => {
    const words = ['chai', 'chia', 'chain', 'hai', 'chef', 'shai', 'c4ai', 'chaí'];
    for (const a of words) {
      for (const b of words) {
        const edits = editDistance(a, b, 2);
        if (edits <= 2) expect(mayBeWithin(letterMask(a), letterMask(b), edits)).toBe(true);
      }
    }
  });
});
