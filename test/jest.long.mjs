import base from '../jest.config.mjs';

/**
 * `npm run test:long [pattern]`: random worlds in full, faults, kills and golden sets. A test may take ten minutes, as on a busy machine
 * some do.
 */
export default { ...base, rootDir: '..', testRegex: '\\.long-spec\\.ts$', testTimeout: 600_000 };
