import base from '../jest.config.mjs';

/** `npm run test:long [pattern]`: random worlds in full, faults, kills and golden sets. */
export default { ...base, rootDir: '..', testRegex: '\\.long-spec\\.ts$' };
