import { parseFormula } from '../formula/parse-formula.js';
import { supportedPatterns } from '../formula/formula-keywords.js';
import { isBuilt, registry } from './registry.js';

describe('isBuilt', () => {
  it.each([
    'SUM(a)',
    'COUNT(DISTINCT a, b)',
    'SUM(a) / COUNT(*)',
    'PERCENT([a], [b]) - 1',
    'ROUND(-[a], 2)',
    'SUM(a) / MEDIAN(b)',
    'ROUND(WAVG(a, b), 1)',
    'YOY([a])',
    'SHARE(CUMULATIVE([a]))',
    'LAST(a BY b)',
    '1 - CONVERSION([a] -> [b] BY c)',
  ])('holds for %s', formula => {
    expect(isBuilt(parseFormula(formula).root)).toBe(true);
  });

  it.each(['ROLLING([a] / [b], 7 DAY, AVERAGE)', '1 + CUMULATIVE(-[a], AVERAGE)'])('does not hold for %s', formula => {
    expect(isBuilt(parseFormula(formula).root)).toBe(false);
  });
});

it('lists the patterns in the order that the documentation and the answers have', () => {
  expect(supportedPatterns).toEqual(Object.keys(registry));
});
