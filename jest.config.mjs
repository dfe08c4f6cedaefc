// Jest on Node 20 cannot require ES modules: everything runs as CommonJS, and SWC down-levels the packages that ship ES modules only.
const swc = {
  swcrc: false,
  sourceMaps: 'inline',
  jsc: {
    target: 'es2022',
    parser: { syntax: 'typescript', decorators: true, dynamicImport: true },
    transform: { legacyDecorator: true, decoratorMetadata: true, useDefineForClassFields: true },
    keepClassNames: true,
  },
  module: { type: 'commonjs' },
};
const swcJs = { ...swc, sourceMaps: false, jsc: { ...swc.jsc, parser: { syntax: 'ecmascript' }, transform: {} } };
const esmOnly =
  '@nestjs|temporal-polyfill|temporal-utils|load-esm|file-type|token-types|strtok3|uint8array-extras|@tokenizer|opencc-js|stemmer|@borewit';

export default {
  rootDir: '.',
  testEnvironment: 'node',
  moduleFileExtensions: ['ts', 'js', 'mjs', 'cjs', 'json', 'node'],
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  transform: { '^.+\\.ts$': ['@swc/jest', swc], '^.+\\.m?js$': ['@swc/jest', swcJs] },
  transformIgnorePatterns: [`/node_modules/(?!(${esmOnly})/)`],
  testRegex: '(src/.*\\.spec|test/.*\\.e2e-spec)\\.ts$',
  modulePathIgnorePatterns: ['<rootDir>/dist/', '<rootDir>/test/engines/'],
  globalSetup: '<rootDir>/test/support/start-database.mjs',
  globalTeardown: '<rootDir>/test/support/stop-database.mjs',
  // Tests wait about a fifth of their time, so one more than the usual two cores keeps these busy.
  maxWorkers: 3,
  testTimeout: 120_000,
};
