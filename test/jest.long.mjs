import base, { reportersOf } from '../jest.config.mjs';

/**
 * `npm run test:long [pattern]`: all random worlds, faults, kills and golden sets. A test may take ten minutes, which some need on a busy
 * machine.
 */
export default {
  ...base,
  rootDir: '..',
  testRegex: '\\.long-spec\\.ts$',
  testTimeout: 600_000,
  reporters: reportersOf('npm run test:long', 4_800),
};
