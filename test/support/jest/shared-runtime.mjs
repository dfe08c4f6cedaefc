// Loads the modules of a test file. Jest loads the test code; Node loads the product from `dist` and packages, once for each worker. Jest
// would otherwise compile and run all imports of the product again for each file.
import asyncHooks from 'node:async_hooks';
import { existsSync } from 'node:fs';
import module, { createRequire, isBuiltin } from 'node:module';
import path from 'node:path';
import vm from 'node:vm';

const require = createRequire(import.meta.url);
const { default: Runtime } = require('jest-runtime');

const root = path.resolve(import.meta.dirname, '..', '..', '..');
const source = path.join(root, 'src') + path.sep;
const built = path.join(root, 'dist', 'src') + path.sep;

export default class SharedRuntime extends Runtime {
  constructor(...options) {
    super(...options);
    const { executor, coreModule } = this;
    executor.compile = (code, filename) => vm.compileFunction(code, executor.injectedModuleParameters, { filename });
    this.storages = [];
    const own = { 'node:async_hooks': withStorages(this.storages), 'node:module': module };
    const requireCore = coreModule.require.bind(coreModule);
    coreModule.require = name => own[name] ?? requireCore(name);
  }

  requireModuleOrMock(from, name) {
    const place = this.mockState.shouldMockCjs(from, name).shouldMock ? null : nativePlace(from, name);
    return place === null ? super.requireModuleOrMock(from, name) : require(place);
  }

  /** Loads a module of Jest. The test runner is loaded anew for each file, because it keeps the tests of the file as state. */
  requireInternalModule(from, name) {
    const isRunner = name === undefined || name.startsWith('.') || isBuiltin(name);
    return isRunner ? super.requireInternalModule(from, name) : createRequire(from)(name);
  }

  teardown() {
    super.teardown();
    for (const storage of this.storages) storage.disable();
  }
}

/**
 * Collects the AsyncLocalStorages that Jest's code creates for a file, so that `teardown` can disable them. An enabled one would be
 * attached to each promise of later files, and would keep the finished file in memory.
 */
function withStorages(storages) {
  class AsyncLocalStorage extends asyncHooks.AsyncLocalStorage {
    constructor(...options) {
      super(...options);
      storages.push(this);
    }
  }
  return { ...asyncHooks, AsyncLocalStorage };
}

/** @returns the compiled file of a product import, or the file of a package; null for a module of Jest, Node or the tests */
function nativePlace(from, name) {
  if (name.startsWith('.')) {
    const file = path.resolve(path.dirname(from), name);
    const compiled = file.startsWith(source) && built + file.slice(source.length);
    if (!compiled || /[.-]spec\.js$/.test(name)) return null;
    if (!existsSync(compiled)) throw new Error(`${compiled} is missing: the build did not come to it`);
    return compiled;
  }
  if (isBuiltin(name) || path.isAbsolute(name) || !from.startsWith(root) || from.includes('node_modules')) return null;
  if (name.startsWith('@jest/') || name === 'expect') return null;
  return createRequire(from).resolve(name);
}
