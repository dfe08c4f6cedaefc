import base, { reportersOf } from '../jest.config.mjs';

/**
 * `npm run test:alone`: tests that measure how long a caller waits beside a noisy one. They run one after the other on a machine without
 * other work, because other work would make everybody wait.
 */
export default {
  ...base,
  rootDir: '..',
  testRegex: '\\.alone-spec\\.ts$',
  testTimeout: 600_000,
  maxWorkers: 1,
  reporters: reportersOf('npm run test:alone', 900),
};
