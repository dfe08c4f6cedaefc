import { loadDriver } from '../load-driver.js';
import { dsnPlace, type DsnForm, knownDsn, maskDsn, readDsn, toDsnProblem } from '../dsn.js';
import { type WarehouseKind } from '../warehouse-kind.js';
import { MysqlClient } from './mysql.client.js';

/**
 * The form of a MySQL DSN. Parameters of other drivers, such as allowLoadLocalInfile and allowMultiQueries, have no meaning here and are
 * refused.
 */
export const mysqlDsn: DsnForm = {
  schemes: ['mysql', 'mariadb'],
  defaultPort: 3306,
  parameters: {
    'ssl-mode': /^(disabled|preferred|required|verify_identity)$/i,
    connect_timeout: /^[1-9]\d?$/,
  },
};

export const mysqlKind: WarehouseKind = {
  options: ['ssl_mode', 'pool_max', 'statement_timeout_ms', 'connect_timeout_ms'],
  check: dsn => {
    const read = readDsn(dsn, mysqlDsn);
    if (Array.isArray(read)) return read.map(toDsnProblem);
    const missing = read.user === '' || read.database === '';
    const text = { zh: '需要用户名和数据库名', en: 'needs the name of a user and of a database' };
    return missing ? [toDsnProblem({ text, type: 'dsn_form' })] : [];
  },
  mask: dsn => maskDsn(dsn, mysqlDsn),
  place: dsn => dsnPlace(dsn, mysqlDsn),
  open: async config =>
    new MysqlClient(
      config,
      knownDsn(config.dsn, mysqlDsn),
      await loadDriver('mysql', 'mysql2', async () => (await import('mysql2')).default),
    ),
};
