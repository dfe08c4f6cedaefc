import { guardExpression } from '../../sql-guard/guard-expression.js';
import { loadSqlParser } from '../../sql-guard/sql-parser.js';
import { inDecimals, isBoolean, isNoCondition } from './exact-arithmetic.js';

beforeAll(() => loadSqlParser());

const types: Record<string, string> = {
  数量: 'integer',
  n: 'bigint',
  price: 'numeric(12,2)',
  day: 'date',
  at: 'timestamptz',
  ok: 'boolean',
  s: 'text',
};
const typeOf = (name: string): string | undefined => types[name];
const guarded = (text: string) => guardExpression(text, { columns: new Set(Object.keys(types)), alias: 'o' });

it.each([
  ['数量 / n', '数量 * 1::numeric / n'],
  ['数量 * n + 2', '数量 * 1::numeric * n + 2'],
  ['n + 数量', 'n + 0::numeric + 数量'],
  ['-n - 1', '-n + 0::numeric - 1'],
  ['(n + 1) / (数量 - 2)', '(n + 0::numeric + 1) / (数量 + 0::numeric - 2)'],
  ['length(s) / 2', 'length(s) * 1::numeric / 2'],
  ['n * 3000000000', 'n * 1::numeric * 3000000000'],
  ['CASE WHEN o.n / 2 > 1 THEN n % 2 ELSE 0 END', 'CASE WHEN o.n * 1::numeric / 2 > 1 THEN n * 1::numeric % 2 ELSE 0 END'],
  ['price / 2', 'price / 2'],
  ['n * 0.5', 'n * 0.5'],
  ['day + 1', 'day + 1'],
  ['day - n', 'day - n'],
  ['day + n * 2', 'day + n * 2'],
  ['n > 5 + 1', 'n > 5 + 1'],
  ['7 / 2', '7 * 1::numeric / 2'],
  ['round(n / 2, 1 + 1)', 'round(n * 1::numeric / 2, 1 + 1)'],
  ['substring(s, n + 1)', 'substring(s, n + 1)'],
  [
    "make_date(n + 1, n, 1) = day AND (string_to_array(s, ','))[n + 1] = 'a'",
    "make_date(n + 1, n, 1) = day AND (string_to_array(s, ','))[n + 1] = 'a'",
  ],
  ["at - interval '1 day'", "at - interval '1 day'"],
  ['length(s) + n', 'length(s) + n'],
  ['n', 'n'],
])('%s becomes %s', (text, expected) => {
  expect(inDecimals(guarded(text), typeOf)).toBe(expected);
});

it.each([
  ['ok', true],
  ['n > 1', true],
  ['NOT ok', true],
  ['s IS NULL', true],
  ["s LIKE 'a%'", true],
  ['n IN (1, 2)', true],
  ['s::boolean', true],
  ["s !~* '^a'", true],
  ["starts_with(s, 'a')", true],
  ['~ n', false],
  ['n', false],
  ['n + 1', false],
  ['NULLIF(n, 1)', false],
  ['length(s)', false],
])('isBoolean of %s is %s', (text, expected) => {
  expect(isBoolean(guarded(text), typeOf)).toBe(expected);
});

it.each([
  ['n', true],
  ['o.day', true],
  ['n + 1', true],
  ["'paid'", true],
  ['1', true],
  ['s::integer', true],
  ['ok', false],
  ['NULL', false],
  ['true', false],
  ['n > 1', false],
  ['s::boolean', false],
  ['coalesce(ok, false)', false],
])('isNoCondition of %s is %s', (text, expected) => {
  expect(isNoCondition(guarded(text), typeOf)).toBe(expected);
});
