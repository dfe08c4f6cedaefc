import { guardSelect } from './guard-select.js';
import { moveTables } from './move-tables.js';
import { loadSqlParser } from './sql-parser.js';

beforeAll(loadSqlParser);

const copies = new Map([
  ['orders', 'source_0'],
  ['订单 明细', 'source_1'],
  ['t', 'source_2'],
]);
const moved = (sql: string) =>
  moveTables(guardSelect(sql, { schema: 'public' }), { schema: 'pg_temp', nameOf: table => copies.get(table) ?? `no ${table}` });
const move = (sql: string): string => moved(sql).text;

describe('moveTables', () => {
  it.each([
    ['SELECT orders.id FROM orders', 'SELECT orders.id FROM "pg_temp"."source_0" AS "orders"'],
    ['SELECT id FROM public . orders o', 'SELECT id FROM "pg_temp"."source_0" o'],
    ['SELECT id FROM "public"."orders" AS "O"', 'SELECT id FROM "pg_temp"."source_0" AS "O"'],
    [`SELECT '中' FROM "订单 明细", Orders`, `SELECT '中' FROM "pg_temp"."source_1" AS "订单 明细", "pg_temp"."source_0" AS "orders"`],
    ['SELECT (SELECT max(id) FROM t), id FROM orders;', 'SELECT (SELECT max(id) FROM "pg_temp"."source_2" AS "t"), id FROM "pg_temp"."source_0" AS "orders"'],
    ['SELECT id FROM orders UNION SELECT id FROM t', 'SELECT id FROM "pg_temp"."source_0" AS "orders" UNION SELECT id FROM "pg_temp"."source_2" AS "t"'],
    [
      'WITH orders AS (SELECT id FROM orders) SELECT id FROM orders JOIN public.orders AS o USING (id)',
      'WITH orders AS (SELECT id FROM "pg_temp"."source_0" AS "orders") SELECT id FROM orders JOIN "pg_temp"."source_0" AS o USING (id)',
    ],
  ])('replaces the tables of %s, and no CTE', (sql, moved) => {
    expect(move(sql)).toBe(moved);
  }); // prettier-ignore

  it('converts an offset in the result to the offset in the written query', () => {
    const written = `SELECT '中', a FROM public.orders, t WHERE b`;
    const { text, toWritten } = moved(written);
    for (const token of ['a FROM', 'WHERE', 'b']) expect(toWritten(text.lastIndexOf(token))).toBe(written.lastIndexOf(token));
  });

  it.each([
    'SELECT id FROM ONLY orders',
    'SELECT id FROM orders *',
    `SELECT id FROM U&"orders"`,
    `SELECT id FROM U&"ord!0065rs" UESCAPE '!'`,
    'SELECT id FROM other.orders',
    'SELECT id FROM pg_temp.source_0',
  ])('refuses %s, since it could mistake the name', sql => {
    let text: string | undefined;
    try {
      text = move(sql);
    } catch (error) {
      expect(error).toMatchObject({ code: 'unsafe_filter_clause' });
    }
    // A quoted name with escapes is replaced as a whole or refused.
    if (text !== undefined) expect(text).toBe('SELECT id FROM "pg_temp"."source_0" AS "orders"');
  });
});
