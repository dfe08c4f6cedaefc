import { guardExpression } from './guard-expression.js';
import { loadSqlParser } from './sql-parser.js';
import { statementTellsTime, tellsTime } from './tells-time.js';

beforeAll(loadSqlParser);

describe('statementTellsTime', () => {
  it.each([
    'SELECT now()',
    'SELECT pg_catalog.now()',
    'SELECT NOW() - a FROM t',
    'SELECT transaction_timestamp()',
    'SELECT a FROM t WHERE a < current_date',
    'SELECT current_time(3)',
    'SELECT LOCALTIMESTAMP',
    'SELECT age(a) FROM t',
    "SELECT 'now'::timestamptz",
    "SELECT a < ' Today ' FROM t",
    "SELECT E'\\x79esterday'::date",
    "SELECT U&'\\006eow'::date",
    'SELECT $$tomorrow$$::date',
    "SELECT ('to' || 'day')::date",
    `SELECT to_char(a, '"to"') || 'day', to_char(a, '"today"')::date`,
    "SELECT left('todays', 5)::date",
    "SELECT CAST(replace('tXday', 'X', 'o') AS timestamptz)",
    "SELECT a || CASE WHEN b THEN (left('todays', 5) || '')::varchar::timestamp END",
    "WITH w AS (SELECT date_trunc('day', now()) AS d) SELECT d FROM w",
  ])('is true of %s', sql => expect(statementTellsTime(sql)).toBe(true));

  it.each([
    'SELECT a FROM t',
    'SELECT "now", "current_date", age FROM t',
    'SELECT age(a, b) FROM t',
    "SELECT 'known' AS knowledge, 'nowhere'",
    "SELECT '2024-01-01'::date + $1::int",
    "SELECT 'a\\b' FROM t",
    "SELECT (year || '-01-01')::date, coalesce(a, '2024-01-01')::date, (a || 'day')::text",
    "SELECT (a + interval '1 day')::date, to_char(a, 'YYYY-MM-01')::date, split_part(a, 'T', 1)::date, (j ->> 'day')::date",
    "SELECT date_trunc('day', a)::date, to_date(a, 'YYYY-MM')::timestamp, a::date",
  ])('is false of %s', sql => expect(statementTellsTime(sql)).toBe(false));

  it('is true of what it cannot read', () => expect(statementTellsTime('SELECT now( FROM')).toBe(true));
});

describe('tellsTime', () => {
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
  ])('knows of the guarded expression %s whether it does', (text, tells) => {
    expect(tellsTime(guardExpression(text, { columns: 'any' }))).toBe(tells);
  });
});
