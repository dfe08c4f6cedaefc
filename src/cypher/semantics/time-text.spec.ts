import { comparesAsTime, isDate } from './time-text.js';

describe('texts of times', () => {
  it.each([
    ['2024-02-29', true],
    ['2023-02-29', false],
    ['2024-13-01', false],
    ['2024-2-1', false],
    ['2024-02-01T00:00', false],
  ])('%s is a day: %p', (text, expected) => {
    expect(isDate(text)).toBe(expected);
  });

  it.each([
    ['date', '>=', '2024', true],
    ['date', '>=', '2024-02', true],
    ['date', '>=', '2024-2-1', false],
    ['date', '<', '2024/02/01', false],
    ['date', '=', '2024-02-30', false],
    ['date', 'IN', '2024-02', false],
    ['datetime', '>=', '2024-05-01', true],
    ['datetime', '<', '2024-05-01T12:30', true],
    ['datetime', '>=', '2024-05-01 12:00:00', false],
    ['datetime', '<=', '2024-05-02T07:40:00+08:00', false],
    ['datetime', '=', '2024-05-01T23:40:00', false],
    ['datetime', '=', '2024-05-01T23:40:00+08:00', true],
    ['datetime', '<', '2024-05-01T23:40:00', true],
    ['datetime', '=', '1900-01-01T00:00:00+08:05:43', true],
  ] as const)('a %s %s %s can be compared: %p', (type, operator, text, expected) => {
    expect(comparesAsTime(type, ['=', 'IN'].includes(operator), text)).toBe(expected);
  });
});
