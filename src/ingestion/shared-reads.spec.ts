import { SharedReads } from './shared-reads.js';

afterEach(() => jest.useRealTimers());

it('reads each thing once for all who ask in the same while', async () => {
  jest.useFakeTimers();
  const read: number[] = [];
  const reads = new SharedReads(id => Promise.resolve(read.push(id)), 50);
  expect(await Promise.all([reads.get(1), reads.get(1), reads.get(2), reads.get(1)])).toEqual([1, 1, 2, 1]);
  jest.advanceTimersByTime(49);
  expect(await reads.get(1)).toBe(1);
  jest.advanceTimersByTime(1);
  expect(await reads.get(1)).toBe(3);
  expect(read).toEqual([1, 2, 1]);
});
