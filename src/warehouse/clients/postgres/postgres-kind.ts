import { dsnPlace, type DsnForm, maskDsn, readDsn, toDsnProblem } from '../dsn.js';
import { type WarehouseKind } from '../warehouse-kind.js';
import { PostgresClient } from './postgres.client.js';

/**
 * The form of a PostgreSQL DSN. Other parameters are refused: `host`, `options`, `service`, `passfile` and `sslcert` would reach files and
 * other hosts.
 */
export const postgresDsn: DsnForm = {
  schemes: ['postgres', 'postgresql'],
  defaultPort: 5432,
  parameters: {
    sslmode: /^(disable|prefer|require|verify-full)$/,
    application_name: /^[\w .:-]{1,63}$/,
    connect_timeout: /^[1-9]\d?$/,
  },
};

export const postgresKind: WarehouseKind = {
  options: ['ssl_mode', 'schema_allowlist', 'pool_max', 'statement_timeout_ms', 'connect_timeout_ms'],
  check: dsn => {
    const read = readDsn(dsn, postgresDsn);
    if (Array.isArray(read)) return read.map(toDsnProblem);
    const missing = read.user === '' || read.database === '';
    const text = { zh: '需要用户名和数据库名', en: 'needs the name of a user and of a database' };
    return missing ? [toDsnProblem({ text, type: 'dsn_form' })] : [];
  },
  mask: dsn => maskDsn(dsn, postgresDsn),
  place: dsn => dsnPlace(dsn, postgresDsn),
  open: config => Promise.resolve(new PostgresClient(config, postgresDsn)),
};
