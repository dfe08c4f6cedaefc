import { readPreferences } from './preferences.js';

describe('readPreferences', () => {
  it.each([
    [undefined, {}],
    ['', {}],
    ['handling=lenient', { handling: 'lenient' }],
    ['Handling = "lenient"', { handling: 'lenient' }],
    ['respond-async, wait=10', { 'respond-async': '', wait: '10' }],
    ['wait=10; handling=lenient', { wait: '10' }],
    ['wait=1, wait=2', { wait: '1' }],
    ['x="a, handling=lenient", wait=3', { x: 'a, handling=lenient', wait: '3' }],
    ['x="a\\", handling=lenient"', { x: 'a", handling=lenient' }],
    ['x=""; a=b , ,\thandling=strict', { x: '', handling: 'strict' }],
    ['handling lenient', {}],
    ['=lenient, wait=2', { wait: '2' }],
    ['x="a, handling=lenient', {}],
  ])('reads %j as %j', (header, preferences) => {
    expect(Object.fromEntries(readPreferences(header))).toEqual(preferences);
  });

  it('is not kept busy by a header of the largest size', () => {
    for (const part of ['"', '"a', ',', '\\', 'a=', 'a="\\', ' ', 'a;']) {
      const startedAt = performance.now();
      readPreferences(part.repeat(8_192));
      expect(performance.now() - startedAt).toBeLessThan(5_000);
    }
  });
});
