import { notes, type TablesWorld } from './warehouse-tables.contract.js';

/** A text as a literal of ClickHouse, which reads backslashes as escapes. */
const literal = (text: string | null): string => (text === null ? 'NULL' : `'${text.replace(/[\\']/g, '\\$&')}'`);

/**
 * The tables of `warehouse-tables.contract.ts` on ClickHouse. Its primary keys are not unique, so they are not reported as keys, and it has
 * no foreign keys.
 */
export const clickHouseTables: Pick<TablesWorld, 'setUp' | 'types' | 'guarantee' | 'slow' | 'lacks'> = {
  guarantee: 'statement',
  slow: 'SELECT count() FROM numbers(3) WHERE sleepEachRow(1) = 0',
  lacks: ['keys', 'foreign keys', 'local times'],
  types: [
    ['integer', 'Int32'],
    ['text', 'Nullable(String)'],
    ['numeric(12,2)', 'Nullable(Decimal(12, 2))'],
    ['date', 'Nullable(Date)'],
    ['timestamptz', "Nullable(DateTime64(3, 'Asia/Shanghai'))"],
    ['double precision', 'Nullable(Float64)'],
  ],
  setUp: [
    `CREATE TABLE contract_orders (id Int32, name Nullable(String), amount Nullable(Decimal(12, 2)) COMMENT '金额（元）', day Nullable(Date),
       seen Nullable(DateTime64(3, 'Asia/Shanghai')), ratio Nullable(Float64)) ENGINE = MergeTree ORDER BY id COMMENT '订单'`,
    `INSERT INTO contract_orders VALUES (1, '华为', 12.5, '2024-02-29', '2024-02-29 18:00:00.123', 0.1), (2, NULL, NULL, NULL, NULL, NULL)`,
    `CREATE TABLE contract_lines (order_id Int32, line Int32, note Nullable(String)) ENGINE = MergeTree ORDER BY (order_id, line)`,
    `INSERT INTO contract_lines VALUES ${notes.map((note, index) => `(1, ${index + 1}, ${literal(note)})`).join(', ')}`,
    `CREATE TABLE contract_odd (id Int32, odd AggregateFunction(sum, UInt64)) ENGINE = MergeTree ORDER BY id`,
    `INSERT INTO contract_odd SELECT 1, sumState(toUInt64(1))`,
  ],
};
