import { nestingDepth } from './nesting-depth.js';

describe('nestingDepth', () => {
  const depth = (text: string, limit = 1_000) => nestingDepth(Buffer.from(text), limit);

  it.each([
    ['1', 0],
    ['{}', 1],
    ['[[],[[]]]', 3],
    ['{"a":{"b":[1]},"c":[]}', 3],
    ['"[[[["', 0],
    ['["\\"[[[", "\\\\", []]', 2],
    ['{"图[[":"\\u005b[["}', 1],
  ])('measures %s as %d', (text, expected) => {
    expect(depth(text)).toBe(expected);
  });

  it('stops as soon as the limit is passed', () => {
    expect(depth('['.repeat(64), 64)).toBe(64);
    expect(depth('['.repeat(1_000_000), 64)).toBe(65);
  });
});
