import base, { reportersOf } from '../jest.config.mjs';

/**
 * `npm run test:alone [pattern]`: tests that measure how long a caller waits, or a query holds its thread. They run one after the other, on
 * a machine without other work.
 */
export default {
  ...base,
  rootDir: '..',
  testRegex: '\\.alone-spec\\.ts$',
  testTimeout: 600_000,
  maxWorkers: 1,
  reporters: reportersOf('npm run test:alone', 1_500),
};
