import { dsnPlace, maskDsn, readDsn, toDsnProblem } from '../dsn.js';
import { type WarehouseKind } from '../warehouse-kind.js';
import { clickHouseDsn } from './clickhouse-dsn.js';
import { ClickHouseTransport } from './clickhouse-transport.js';
import { ClickHouseWarehouse } from './clickhouse.client.js';

export const clickHouseKind: WarehouseKind = {
  options: ['ssl_mode', 'pool_max', 'statement_timeout_ms', 'connect_timeout_ms'],
  check: dsn => {
    const read = readDsn(dsn, clickHouseDsn);
    if (Array.isArray(read)) return read.map(toDsnProblem);
    const missing = read.user === '' || read.database === '';
    const text = { zh: '需要用户名和数据库名', en: 'needs the name of a user and of a database' };
    return missing ? [toDsnProblem({ text, type: 'dsn_form' })] : [];
  },
  mask: dsn => maskDsn(dsn, clickHouseDsn),
  place: dsn => dsnPlace(dsn, clickHouseDsn),
  open: async config => new ClickHouseWarehouse(await ClickHouseTransport.open(config), config),
};
