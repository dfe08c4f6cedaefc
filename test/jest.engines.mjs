import base from '../jest.config.mjs';

/** `npm run test:engines [pattern]`: what needs MariaDB, DuckDB, ClickHouse's engine or other majors of PostgreSQL. */
export default { ...base, rootDir: '..', testRegex: '\\.engine-spec\\.ts$' };
