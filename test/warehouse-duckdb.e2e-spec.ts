import { DuckdbFiles } from './support/duckdb-files.js';
import { startTestApp, type TestApp } from './support/app.js';
import { describeWarehouseTables, noteLiterals, type TablesWorld } from './support/warehouse-tables.contract.js';
import { type WarehouseClient } from '../src/warehouse/clients/warehouse.client.js';

let test: TestApp;
let files: DuckdbFiles;
let database: WarehouseClient;

beforeAll(async () => {
  [test, files] = await Promise.all([startTestApp({ WORKER: 'off' }), DuckdbFiles.create()]);
  await files.run('contract.duckdb', 'SELECT 1');
  database = await files.connect('duckdb:///contract.duckdb');
}, 60_000);
afterAll(async () => {
  await files.remove();
  await test.close();
});

const tables: Pick<TablesWorld, 'setUp' | 'types' | 'guarantee'> = {
  guarantee: 'statement',
  types: [
    ['integer', 'INTEGER'],
    ['text', 'VARCHAR'],
    ['numeric(12,2)', 'DECIMAL(12,2)'],
    ['date', 'DATE'],
    ['timestamp', 'TIMESTAMP'],
    ['double precision', 'DOUBLE'],
  ],
  setUp: [
    `CREATE TABLE contract_orders (id INTEGER PRIMARY KEY, name VARCHAR, amount DECIMAL(12,2), day DATE, seen TIMESTAMP, ratio DOUBLE)`,
    `COMMENT ON TABLE contract_orders IS '订单'`,
    `COMMENT ON COLUMN contract_orders.amount IS '金额（元）'`,
    `INSERT INTO contract_orders VALUES (1, '华为', 12.5, '2024-02-29', '2024-02-29 10:00:00.123', 0.1), (2, NULL, NULL, NULL, NULL, NULL)`,
    `CREATE TABLE contract_lines (order_id INTEGER REFERENCES contract_orders (id), line INTEGER, note VARCHAR, PRIMARY KEY (order_id, line))`,
    `INSERT INTO contract_lines VALUES ${noteLiterals.map((note, index) => `(1, ${index + 1}, ${note})`).join(', ')}`,
    `CREATE TABLE contract_odd (id INTEGER, odd UNION(a INTEGER, b VARCHAR))`,
    `INSERT INTO contract_odd VALUES (1, 'x')`,
  ],
};

describeWarehouseTables('a DuckDB database', () => ({
  ...tables,
  client: database,
  pool: test.pool,
  change: sql => files.run('contract.duckdb', sql),
}));
