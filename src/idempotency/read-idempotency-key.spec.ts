import { InvalidIdempotencyKeyError } from './idempotency.errors.js';
import { readIdempotencyKey } from './read-idempotency-key.js';

describe('readIdempotencyKey', () => {
  it.each([
    ['8e03978e-40d5', '8e03978e-40d5'],
    ['"8e03978e-40d5"', '8e03978e-40d5'],
    ['"order 17"', 'order 17'],
    [String.raw`"a\"b\\c"`, String.raw`a"b\c`],
    ['a"b', 'a"b'],
    ['k'.repeat(255), 'k'.repeat(255)],
    [`"${'k'.repeat(255)}"`, 'k'.repeat(255)],
  ])('reads %s', (header, key) => {
    expect(readIdempotencyKey(header)).toBe(key);
  });

  it.each(['', '""', '"', '"a', '"a"b"', String.raw`"a\b"`, 'a, b', 'a b', 'é', '"键"', '\u007f', 'k'.repeat(256), `"${'k'.repeat(256)}"`])(
    'refuses %s',
    header => {
      expect(() => readIdempotencyKey(header)).toThrow(InvalidIdempotencyKeyError);
    },
  );
});
