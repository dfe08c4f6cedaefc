import { guardExpression } from './guard-expression.js';
import { readsClock } from './reads-clock.js';
import { loadSqlParser } from './sql-parser.js';

describe('readsClock', () => {
  beforeAll(() => loadSqlParser());

  it.each([
    ['current_date', true],
    ['at > localtimestamp', true],
    ["date_trunc('day', now()) = at", true],
    ['age(at)', true],
    ["at::date = 'today'", true],
    ["date ' Tomorrow'", true],
    ['age(at, born)', false],
    ['age > 18', false],
    ["at = '2024-01-01'", false],
    ["lower(name) = 'nowhere'", false],
  ])('knows of %s whether it does', (text, isRead) => {
    expect(readsClock(guardExpression(text, { columns: 'any' }))).toBe(isRead);
  });
});
