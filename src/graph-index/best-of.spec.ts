import fc from 'fast-check';
import { BestOf } from './best-of.js';

describe('BestOf', () => {
  it('keeps the best of all items offered, the best first', () => {
    fc.assert(
      fc.property(fc.array(fc.integer()), fc.nat(20), (numbers, count) => {
        const best = new BestOf<number>(count, (a, b) => a > b);
        for (const number of numbers) best.offer(number);
        expect(best.take()).toEqual([...numbers].sort((a, b) => b - a).slice(0, count));
      }),
      { seed: 20261122 },
    );
  });
});
