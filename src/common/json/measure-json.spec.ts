import { measureJson } from './measure-json.js';

describe('measureJson', () => {
  const measure = (text: string, limits = { depth: 1_000, parts: 1_000 }) => Object.values(measureJson(Buffer.from(text), limits));

  it.each([
    ['1', 0, 0],
    ['{}', 1, 1],
    ['[1,2,3]', 1, 1],
    ['[[],[[]]]', 3, 4],
    ['{"a":{"b":[1]},"c":[]}', 3, 7],
    ['"[[[[::"', 0, 0],
    ['["\\"[[[:", "\\\\", []]', 2, 2],
    ['{"图[[:":"\\u005b[["}', 1, 2],
  ])('measures %s as %d deep and %d parts', (text, depth, parts) => {
    expect(measure(text)).toEqual([depth, parts]);
  });

  it('stops as soon as a limit is passed', () => {
    expect(measure('['.repeat(64), { depth: 64, parts: 100 })).toEqual([64, 64]);
    expect(measure('['.repeat(1_000_000), { depth: 64, parts: 100 })).toEqual([65, 65]);
    expect(measure('[],'.repeat(1_000_000), { depth: 64, parts: 100 })).toEqual([1, 101]);
  });
});
