import { createRequire } from 'node:module';
import { arrayLiteral } from './array-literal.js';

/** node-postgres' own way of writing a parameter, which its typings leave out. */
const { prepareValue } = createRequire(`${process.cwd()}/`)('pg/lib/utils') as { prepareValue: (value: unknown) => string };

describe('arrayLiteral', () => {
  it.each([
    [[]],
    [['']],
    [['a', null, 'NULL', 'b,c', ' {d} ']],
    [['"', '\\', '\\"', 'x"y\\z', '中"文\\', '😀"', '\n\t"']],
    [['plain'.repeat(1_000), '"'.repeat(1_000)]],
  ])('writes what node-postgres writes: %#', texts => {
    expect(arrayLiteral(texts)).toBe(prepareValue(texts));
  });
});
