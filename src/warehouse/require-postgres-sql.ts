import { type WarehouseClient } from './clients/warehouse.client.js';
import { DialectNotBuiltError } from './warehouse.errors.js';

/** To be called before PostgreSQL's SQL is sent to a client. Another database might read it differently. @throws DialectNotBuiltError */
export function requirePostgresSql({ dialect }: Pick<WarehouseClient, 'dialect'>): void {
  if (dialect !== 'postgres') throw new DialectNotBuiltError(dialect);
}
