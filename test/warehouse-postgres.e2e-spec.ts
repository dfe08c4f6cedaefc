import { Egress } from '../src/egress/egress.js';
import { postgresKind } from '../src/warehouse/clients/postgres/postgres-kind.js';
import { type WarehouseClient } from '../src/warehouse/clients/warehouse.client.js';
import { type ConnectionOptions } from '../src/warehouse/clients/warehouse-kind.js';
import { startTestApp, type TestApp } from './support/app.js';
import { ForeignPostgres } from './support/foreign-postgres.js';
import { describePostgresSql } from './support/postgres-sql.contract.js';
import { describeWarehouseTables } from './support/warehouse-tables.contract.js';
import { postgresTables } from './support/postgres-contract-tables.js';

let test: TestApp;
let foreign: ForeignPostgres;
const clients: WarehouseClient[] = [];

async function connect(dsn: string, options: ConnectionOptions = {}): Promise<WarehouseClient> {
  const client = await postgresKind.open({ dsn, options, egress: test.app.get(Egress), answerMaxBytes: 16_777_216 });
  clients.push(client);
  return client;
}

beforeAll(async () => {
  [test, foreign] = await Promise.all([startTestApp({ WORKER: 'off', WAREHOUSE_ALLOWED_ADDRESSES: '127.0.0.1' }), ForeignPostgres.start()]);
  await connect(foreign.dsn());
}, 60_000);
afterAll(async () => {
  await Promise.all(clients.map(client => client.close()));
  await Promise.all([test.close(), foreign.remove()]);
});

describePostgresSql('a foreign PostgreSQL', () => ({ client: clients[0]!, change: sql => foreign.run(sql) }));

describeWarehouseTables('a foreign PostgreSQL', () => ({
  ...postgresTables,
  client: clients[0]!,
  pool: test.pool,
  change: sql => foreign.run(sql),
}));
