import { decimalFormat, roundTo } from './round-decimal.js';

describe('roundTo', () => {
  it.each([
    ['12345.675', '0.00', '12345.68'],
    ['-0.005', '0.00', '-0.01'],
    ['-0.004', '0.00', '0.00'],
    ['0.5', '0', '1'],
    ['99.995', '0.00', '100.00'],
    ['7', '0.00', '7.00'],
    ['0.12345', '0.0%', '0.123'],
    ['9007199254740993.5', '0', '9007199254740994'],
    ['999.95', '0.0', '1000.0'],
    ['9.5', '0', '10'],
    ['0.05', '0.0', '0.1'],
    ['0009.994', '0.00', '9.99'],
    ['-199.999', '0.00', '-200.00'],
    [`${'9'.repeat(100_000)}.5`, '0', `1${'0'.repeat(100_000)}`],
    ['1.23456', null, '1.23456'],
    ['2024-01-01', '0.00', '2024-01-01'],
    [null, '0.00', null],
  ])('makes %s in the format %s into %s', (value, format, rounded) => {
    expect(roundTo(value, format)).toBe(rounded);
  });

  it.each(['0', '0.0', '0.000%', '0%'])('knows the format %s', format => expect(decimalFormat.test(format)).toBe(true));
  it.each(['', '#,##0', '0.', '1.00', '0.00 CNY'])('does not know the format %j', format => expect(decimalFormat.test(format)).toBe(false));
});
