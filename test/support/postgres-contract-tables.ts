import { noteLiterals, type TablesWorld } from './warehouse-tables.contract.js';

/** The tables of `warehouse-tables.contract.ts` on PostgreSQL, in the first schema of `search_path`. */
export const postgresTables: Pick<TablesWorld, 'setUp' | 'types' | 'guarantee' | 'slow'> = {
  guarantee: 'snapshot',
  slow: 'SELECT count(*) FROM generate_series(1, 10000000000)',
  types: [
    ['integer', 'integer'],
    ['text', 'text'],
    ['numeric(12,2)', 'numeric(12,2)'],
    ['date', 'date'],
    ['timestamp', 'timestamp without time zone'],
    ['double precision', 'double precision'],
  ],
  setUp: [
    `CREATE TABLE contract_orders (id integer PRIMARY KEY, name text, amount numeric(12,2), day date, seen timestamp, ratio double precision)`,
    `COMMENT ON TABLE contract_orders IS '订单'`,
    `COMMENT ON COLUMN contract_orders.amount IS '金额（元）'`,
    `INSERT INTO contract_orders VALUES (1, '华为', 12.5, '2024-02-29', '2024-02-29 10:00:00.123', 0.1), (2, NULL, NULL, NULL, NULL, NULL)`,
    `CREATE TABLE contract_lines (order_id integer REFERENCES contract_orders, line integer, note text, PRIMARY KEY (order_id, line))`,
    `INSERT INTO contract_lines VALUES ${noteLiterals.map((note, index) => `(1, ${index + 1}, ${note})`).join(', ')}`,
    `CREATE TYPE contract_pair AS (a integer, b text)`,
    `CREATE TABLE contract_odd (id integer, odd contract_pair)`,
    `INSERT INTO contract_odd VALUES (1, ROW (1, 'x'))`,
  ],
};
