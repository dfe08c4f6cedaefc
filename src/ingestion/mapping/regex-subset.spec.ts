import { RegexError, toPostgresRegex } from './regex-subset.js';

describe('toPostgresRegex', () => {
  it.each([
    ['[A-Z]{5}', '^(?:[A-Z]{5})$'],
    ['^[A-Z]{5}$', '^(?:^[A-Z]{5}$)$'],
    ['\\d+\\.\\d{2}', '^(?:[0-9]+\\.[0-9]{2})$'],
    ['a|b', '^(?:a|b)$'],
    ['(?:x|y)?z', '^(?:(?:x|y)?z)$'],
    ['(?P<year>\\d{4})', '^(?:(?:[0-9]{4}))$'],
    ['a.*?b', '^(?:a[^\\n]*b)$'],
    ['\\bword\\b', '^(?:\\yword\\y)$'],
    ['[\\w.-]+@[^@]+', '^(?:[A-Za-z0-9_.\\-]+@[^@]+)$'],
    ['[]a]', '^(?:[\\]a])$'],
    ['[[:alpha:]_]', '^(?:[[:alpha:]_])$'],
    ['\\x{4e2d}文', '^(?:\\U00004e2d文)$'],
  ])('translates %s', (pattern, regex) => {
    expect(toPostgresRegex(pattern)).toBe(regex);
  });

  it.each([
    ['[', 'unterminated character class', 0],
    ['(a', 'missing )', 0],
    ['a)', 'unmatched )', 1],
    ['*a', 'nothing to repeat before *', 0],
    ['a**', 'two repetitions in a row', 2],
    ['(?=a)', 'look-around and inline flags are not supported', 1],
    ['(?i)a', 'look-around and inline flags are not supported', 1],
    ['(a)\\1', '\\1 is not supported', 3],
    ['\\p{Han}', '\\p is not supported', 0],
    ['a{2,1}', 'the repetition range is reversed', 1],
    ['a{300}', 'at most 255 repetitions', 1],
    ['((a{100}){100})', 'nested repetition is too large', 14],
    ['[z-a]', 'the character range is reversed', 0],
    ['a\\', 'trailing backslash', 2],
    ['***:a', 'nothing to repeat before *', 0],
    ['x'.repeat(201), 'the expression is longer than 200 characters', 200],
  ])('refuses %s', (pattern, message, offset) => {
    let caught: unknown;
    try {
      toPostgresRegex(pattern);
    } catch (error) {
      caught = error;
    }
    expect(caught).toBeInstanceOf(RegexError);
    expect(caught).toMatchObject({ message, offset });
  });
});
