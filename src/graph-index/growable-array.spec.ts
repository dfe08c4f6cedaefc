import { BlockedUint32, GrowableFloat64, GrowableUint32 } from './growable-array.js';

describe('a growable array', () => {
  it('holds more 32-bit numbers than at the start, and gives the place of each', () => {
    const array = new GrowableUint32();
    const places = Array.from({ length: 3000 }, (_, i) => array.push(i * 2));
    expect([places.at(-1), array.length]).toEqual([2999, 3000]);
    expect([array.toArray().length, array.toArray()[2999]]).toEqual([3000, 5998]);
  });

  it('holds more than one block of numbers, and changes the place that is meant', () => {
    const array = new BlockedUint32();
    for (let i = 0; i < 200_000; i++) array.push(i * 2);
    array.set(65_536, 1);
    const places = [0, 65_535, 65_536, 131_071, 131_072, 199_999];
    expect([array.length, ...places.map(place => array.get(place))]).toEqual([200_000, 0, 131_070, 1, 262_142, 262_144, 399_998]);
  });

  it('keeps ids of 64 bits exact up to 2^53', () => {
    const array = new GrowableFloat64();
    for (let i = 0; i < 3000; i++) array.push(Number.MAX_SAFE_INTEGER - i);
    const ids = array.toArray();
    expect([array.length, ids.length, ids[0], ids[2999]]).toEqual([3000, 3000, Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER - 2999]);
  });
});
