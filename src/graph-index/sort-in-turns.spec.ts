import { Pace } from '../common/turns/pace.js';
import { sortInTurns } from './sort-in-turns.js';

describe('sortInTurns', () => {
  it.each([0, 1, 4_096, 4_097, 20_000])('sorts %i texts as the engine does', async count => {
    const texts = Array.from({ length: count }, (_, i) => String((i * 7_919) % 10_007));
    expect(await sortInTurns([...texts], new Pace())).toEqual([...texts].sort());
  });
});
