import { digitsOver } from './digits.js';

it.each([
  ['12.345', 'decimals'],
  ['12.340', null],
  ['-012.30', null],
  ['123.4', null],
  ['1234', 'whole'],
  ['1000', 'whole'],
  ['.5', null],
  ['0.005', 'decimals'],
  [`1.${'0'.repeat(1_000_000)}1`, 'decimals'],
  [`${'0'.repeat(1_000_000)}x`, null],
  ['1e9', null],
  ['x', null],
])('digitsOver of %s for five digits, two of them decimals, is %s', (number, over) => {
  expect(digitsOver(number, { precision: 5, scale: 2 })).toBe(over);
});
