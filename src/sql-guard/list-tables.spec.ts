import { guardSelect } from './guard-select.js';
import { tablesCalled } from './list-tables.js';
import { loadSqlParser } from './sql-parser.js';

describe('the tables of a guarded SELECT', () => {
  beforeAll(loadSqlParser);

  it.each([
    ['SELECT * FROM orders o JOIN customers c USING (id)', ['orders', 'customers']],
    ['SELECT * FROM mirror.orders, orders', ['orders']],
    ['SELECT * FROM Orders, "Orders", "订单"', ['orders', 'Orders', '订单']],
    ['SELECT a FROM t UNION SELECT b FROM u EXCEPT SELECT (SELECT max(c) FROM w) FROM v', ['t', 'u', 'w', 'v']],
    ['SELECT 1 FROM a LEFT JOIN LATERAL (SELECT * FROM b WHERE EXISTS (SELECT 1 FROM c)) x ON true', ['a', 'b', 'c']],
    ['WITH t AS (SELECT * FROM orders), u AS (SELECT * FROM t) SELECT * FROM u', ['orders']],
    ['SELECT 1 AS one', []],
  ])('%s', (sql, tables) => {
    expect(guardSelect(sql, { schema: 'mirror' }).tables).toEqual(tables);
  });

  it.each([
    ['in the query of the CTE itself', 'WITH orders AS (SELECT * FROM orders) SELECT * FROM orders', ['orders']],
    ['before the CTE', 'WITH a AS (SELECT * FROM b), b AS (SELECT * FROM c) SELECT * FROM a, b', ['b', 'c']],
    ['outside the SELECT of the CTE', 'SELECT * FROM t, (WITH t AS (SELECT * FROM u) SELECT * FROM t) x', ['t', 'u']],
    ['behind its schema', 'WITH t AS (SELECT * FROM u) SELECT * FROM t, mirror.t AS s', ['u', 't']],
  ])('hold a table with the name of a CTE %s', (_, sql, tables) => {
    expect(guardSelect(sql, { schema: 'mirror' }).tables).toEqual(tables);
  });
});

describe('the tables that a qualifier means', () => {
  beforeAll(loadSqlParser);

  it.each([
    ['o', ['orders']],
    ['orders', []],
    ['customers', ['customers']],
    ['x', []],
  ])('%s', (qualifier, tables) => {
    const { tree } = guardSelect('SELECT * FROM orders o, (SELECT * FROM customers) x', { schema: 'mirror' });
    expect(tablesCalled(tree, qualifier)).toEqual(tables);
  });
});
