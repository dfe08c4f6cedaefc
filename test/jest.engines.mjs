import base, { reportersOf } from '../jest.config.mjs';

/** `npm run test:engines [pattern]`: tests that need MariaDB, DuckDB, ClickHouse's engine or other major versions of PostgreSQL. */
export default { ...base, rootDir: '..', testRegex: '\\.engine-spec\\.ts$', reporters: reportersOf('npm run test:engines', 900) };
