import { toDsnProblem } from '../dsn.js';
import { type WarehouseKind } from '../warehouse-kind.js';
import { DuckdbDirectoryUnsetError } from '../../warehouse.errors.js';
import { DuckdbClient } from './duckdb.client.js';
import { knownDuckdbDsn, readDuckdbDsn } from './duckdb-dsn.js';
import { toDuckdbError } from './duckdb-errors.js';
import { ProcessEndedError } from './duckdb-process.js';
import { DuckdbProcesses } from './duckdb-processes.js';

/** The kind of DuckDB connections. A DSN of DuckDB holds no secret: it is a path below the operator's directory. */
export const duckdbKind: WarehouseKind = {
  options: ['statement_timeout_ms'],
  check: (dsn, config) => {
    if (config?.duckdbDirectory === undefined) throw new DuckdbDirectoryUnsetError();
    const read = readDuckdbDsn(dsn);
    return 'zh' in read ? [toDsnProblem({ text: read, type: 'dsn_form' })] : [];
  },
  mask: dsn => dsn,
  place: dsn => knownDuckdbDsn(dsn).path.join('/'),
  open: async ({ dsn, options, answerMaxBytes, duckdbDirectory }) => {
    if (duckdbDirectory === undefined) throw new DuckdbDirectoryUnsetError();
    const processes = new DuckdbProcesses();
    await processes.loadDriver().catch((error: unknown) => {
      // A process that ended is not an error here, because the first work starts another one. If that one ends as well, its error names the
      // connection.
      if (!(error instanceof ProcessEndedError)) throw toDuckdbError(error, {});
    });
    return new DuckdbClient({
      processes,
      source: { directory: duckdbDirectory, ...knownDuckdbDsn(dsn) },
      maxBytes: answerMaxBytes,
      maxTimeoutMs: options.statement_timeout_ms ?? Infinity,
    });
  },
};
