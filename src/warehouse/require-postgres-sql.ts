import { PostgresTables } from './clients/postgres/postgres-tables.js';
import { type WarehouseClient } from './clients/warehouse.client.js';
import { DialectNotBuiltError } from './warehouse.errors.js';

/** To be called before PostgreSQL's SQL is sent to a client. Another database might read it differently. @throws DialectNotBuiltError */
export function requirePostgresSql(client: WarehouseClient): asserts client is PostgresTables & WarehouseClient {
  if (!(client instanceof PostgresTables)) throw new DialectNotBuiltError(client.dialect);
}
