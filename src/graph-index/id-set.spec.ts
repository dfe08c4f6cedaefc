import { IdSet } from './id-set.js';

describe('IdSet', () => {
  it('takes each id once, however far apart ids are', () => {
    const set = new IdSet();
    const ids = [0, 1, 31, 32, 4095, 4096, 2 ** 31, 2 ** 32 + 1, 2 ** 53 - 1, -1, -4096];
    expect(ids.map(id => set.add(id))).toEqual(ids.map(() => true));
    expect(ids.map(id => set.add(id))).toEqual(ids.map(() => false));
  });
});
