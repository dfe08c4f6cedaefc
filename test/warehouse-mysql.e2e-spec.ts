import { Egress } from '../src/egress/egress.js';
import { mysqlKind } from '../src/warehouse/clients/mysql/mysql-kind.js';
import { type WarehouseClient } from '../src/warehouse/clients/warehouse.client.js';
import { type ConnectionOptions } from '../src/warehouse/clients/warehouse-kind.js';
import { startTestApp, type TestApp } from './support/app.js';
import { hasMariaDb, MariaDb } from './support/mariadb.js';
import { describeWarehouseTables, notes, type TablesWorld } from './support/warehouse-tables.contract.js';

/** MySQL reads backslashes as escapes. */
const literals = notes.map(note => (note === null ? 'NULL' : `'${note.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`));

/** The tables of the contract on MariaDB. */
const mysqlTables: Pick<TablesWorld, 'setUp' | 'types' | 'guarantee'> = {
  guarantee: 'snapshot',
  types: [
    ['integer', 'int(11)'],
    ['text', 'text'],
    ['numeric(12,2)', 'decimal(12,2)'],
    ['date', 'date'],
    ['timestamp', 'datetime(6)'],
    ['double precision', 'double'],
  ],
  setUp: [
    `CREATE TABLE contract_orders (id int PRIMARY KEY, name text, amount decimal(12,2) COMMENT '金额（元）', day date, seen datetime(6), ratio double)
     COMMENT '订单'`,
    `INSERT INTO contract_orders VALUES (1, '华为', 12.5, '2024-02-29', '2024-02-29 10:00:00.123', 0.1), (2, NULL, NULL, NULL, NULL, NULL)`,
    `CREATE TABLE contract_lines (order_id int, line int, note text, PRIMARY KEY (order_id, line),
       FOREIGN KEY (order_id) REFERENCES contract_orders (id))`,
    `INSERT INTO contract_lines VALUES ${literals.map((note, index) => `(1, ${index + 1}, ${note})`).join(', ')}`,
    'CREATE TABLE contract_odd (id int, odd point)',
    "INSERT INTO contract_odd VALUES (1, ST_GeomFromText('POINT(1 2)'))",
  ],
};

const describeIfThere = hasMariaDb() ? describe : describe.skip;

describeIfThere('MySQL connections', () => {
  let test: TestApp;
  let db: MariaDb;
  const clients: WarehouseClient[] = [];

  async function connect(dsn: string, options: ConnectionOptions = {}): Promise<WarehouseClient> {
    const client = await mysqlKind.open({ dsn, options, egress: test.app.get(Egress), answerMaxBytes: 16_777_216 });
    clients.push(client);
    return client;
  }

  beforeAll(async () => {
    [test, db] = await Promise.all([startTestApp({ WORKER: 'off', WAREHOUSE_ALLOWED_ADDRESSES: '127.0.0.1' }), MariaDb.start()]);
    await connect(db.dsn());
  }, 60_000);
  afterAll(async () => {
    await Promise.all(clients.map(client => client.close()));
    await Promise.all([test.close(), db.remove()]);
  });

  describeWarehouseTables('a MariaDB', () => ({
    ...mysqlTables,
    client: clients[0]!,
    pool: test.pool,
    change: sql => db.run(sql),
  }));
});
