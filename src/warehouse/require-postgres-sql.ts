import { PostgresTables } from './clients/postgres/postgres-tables.js';
import { type WarehouseClient } from './clients/warehouse.client.js';
import { DialectNotBuiltError } from './warehouse.errors.js';

/**
 * Call this function before SQL of PostgreSQL is sent to a client, because another database might interpret that SQL differently.
 * @throws DialectNotBuiltError
 */
export function requirePostgresSql(client: WarehouseClient): asserts client is PostgresTables & WarehouseClient {
  if (!(client instanceof PostgresTables)) throw new DialectNotBuiltError(client.dialect);
}
