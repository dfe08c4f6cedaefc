import { zoneOffsets, zoneOffsetsInSteps } from './zone-offsets.js';

describe('the offsets of a time zone', () => {
  it('are found in many steps, and then known', () => {
    let steps = 0;
    for (const search = zoneOffsetsInSteps('Europe/Rome'); !search.next().done;) steps += 1;
    expect(steps).toBeGreaterThan(30);
    expect(zoneOffsetsInSteps('Europe/Rome').next().done).toBe(true);
    expect(zoneOffsets('Asia/Shanghai').at(-1)).toEqual({ from: Date.UTC(1991, 8, 14, 17) / 1000, offset: 28_800 });
  });
});
