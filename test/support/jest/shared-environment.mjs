// Environment of a test file: the file runs in the process of its Jest worker, without a sandbox. The product and the tests then share one
// realm, so `instanceof` and fake timers work on both sides, and all files of a worker can share compiled modules.
import { ModernFakeTimers } from '@jest/fake-timers';
import { ModuleMocker } from 'jest-mock';

export default class SharedEnvironment {
  global = globalThis;
  moduleMocker = new ModuleMocker(globalThis);
  fakeTimers = null;

  constructor({ projectConfig }) {
    this.fakeTimersModern = new ModernFakeTimers({ config: projectConfig, global: globalThis });
    this.restore = rememberProcess();
  }

  async setup() {}

  async teardown() {
    this.fakeTimersModern.dispose();
    this.restore();
  }

  /** Jest asks for a context before it compiles. `SharedRuntime` compiles without one. */
  getVmContext() {
    return globalThis;
  }

  exportConditions() {
    return ['node', 'node-addons'];
  }
}

/** @returns a function that restores the globals, the environment variables and what Jest replaces in `process` */
function rememberProcess() {
  const { exit, getBuiltinModule } = process;
  const globals = Object.getOwnPropertyDescriptors(globalThis);
  const environment = { ...process.env };
  return () => {
    Object.assign(process, { exit, ...(getBuiltinModule && { getBuiltinModule }) });
    for (const name of new Set([...Reflect.ownKeys(globals), ...Reflect.ownKeys(globalThis)])) {
      const before = globals[name];
      const now = Object.getOwnPropertyDescriptor(globalThis, name);
      // A package may keep its only state in a global, so globals that a test file added stay, except those of Jest.
      if (before === undefined && isOfJest(name)) delete globalThis[name];
      // V8 discards compiled code that relies on a global when that global is set, even to the same value. So only changed ones are set.
      else if (before && !(now && Object.is(before.value, now.value) && before.get === now.get))
        Object.defineProperty(globalThis, name, before);
    }
    for (const name of Object.keys(process.env)) if (!(name in environment)) delete process.env[name];
    Object.assign(process.env, environment);
  };
}

/**
 * Keys of the symbols under which Jest keeps the tests of a file, their event handlers and settings. Its matchers have such a key too, but
 * cannot be deleted.
 */
const registered = [
  'EVENT_HANDLERS',
  'TEST_TIMEOUT_SYMBOL',
  'RETRY_TIMES',
  'RETRY_IMMEDIATELY',
  'WAIT_BEFORE_RETRY',
  'LOG_ERRORS_BEFORE_RETRY',
];
function isOfJest(name) {
  return typeof name === 'symbol' && [undefined, ...registered].includes(Symbol.keyFor(name));
}
