// Jest compiles the tests only. SharedRuntime gives them the product from `dist` and packages as Node loads them.
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

/** The reporters of a tier, whose command may take `seconds` on two cores without other work. */
export function reportersOf(command, seconds) {
  return ['default', ['<rootDir>/test/support/jest/budget-reporter.mjs', { command, seconds }]];
}

export default {
  rootDir: '.',
  testEnvironment: '<rootDir>/test/support/jest/shared-environment.mjs',
  runtime: '<rootDir>/test/support/jest/shared-runtime.mjs',
  moduleFileExtensions: ['ts', 'js', 'mjs', 'cjs', 'json', 'node'],
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  transform: { '^.+\\.ts$': ['@swc/jest', swc] },
  // The tiers long and engines have endings of their own: `npm run test:long`, `npm run test:engines`.
  testRegex: '(src/.*\\.spec|test/.*\\.e2e-spec)\\.ts$',
  modulePathIgnorePatterns: ['<rootDir>/dist/', '<rootDir>/test/engines/'],
  globalSetup: '<rootDir>/test/support/start-database.mjs',
  globalTeardown: '<rootDir>/test/support/stop-database.mjs',
  // Tests wait about a third of their time. Three workers keep the usual two cores busy to 90 %, and four are no faster.
  maxWorkers: 3,
  testTimeout: 120_000,
  reporters: reportersOf('npm test', 360),
};
