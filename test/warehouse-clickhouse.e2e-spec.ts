import { Egress } from '../src/egress/egress.js';
import { clickHouseKind } from '../src/warehouse/clients/clickhouse/clickhouse-kind.js';
import { type WarehouseClient } from '../src/warehouse/clients/warehouse.client.js';
import { type ConnectionOptions } from '../src/warehouse/clients/warehouse-kind.js';
import { startTestApp, type TestApp } from './support/app.js';
import { clickHouseTables } from './support/clickhouse-contract-tables.js';
import { describeOnClickHouse, ForeignClickHouse } from './support/foreign-clickhouse.js';
import { describeWarehouseTables } from './support/warehouse-tables.contract.js';

let test: TestApp;
let foreign: ForeignClickHouse;
const clients: WarehouseClient[] = [];

async function connect(dsn: string, options: ConnectionOptions = {}): Promise<WarehouseClient> {
  const client = await clickHouseKind.open({ dsn, options, egress: test.app.get(Egress), answerMaxBytes: 16_777_216 });
  clients.push(client);
  return client;
}

describeOnClickHouse('ClickHouse', () => {
  beforeAll(async () => {
    [test, foreign] = await Promise.all([
      startTestApp({ WORKER: 'off', WAREHOUSE_ALLOWED_ADDRESSES: '127.0.0.1' }),
      ForeignClickHouse.start(),
    ]);
    await connect(foreign.dsn());
  }, 60_000);
  afterAll(async () => {
    await Promise.all(clients.map(client => client.close()));
    await Promise.all([test.close(), foreign.remove()]);
  });

  describeWarehouseTables('a foreign ClickHouse', () => ({
    ...clickHouseTables,
    client: clients[0]!,
    pool: test.pool,
    change: sql => foreign.run(sql),
  }));
});
