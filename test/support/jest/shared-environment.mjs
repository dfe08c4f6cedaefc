// Environment of a test file: the process of its worker, and not a sandbox in it. Objects of the product and of a test are then of
// one realm, `instanceof` and fake timers hold on both sides, and compiled modules can be shared by all files of a worker.
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

  /** Jest asks for one before it compiles. SharedRuntime compiles without. */
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
      // A package may keep its only state in a global, so that new ones stay, other than those of Jest.
      if (before === undefined && isOfJest(name)) delete globalThis[name];
      // A global that is set again, even to itself, makes V8 throw away the code that relies on it.
      else if (before && !(now && Object.is(before.value, now.value) && before.get === now.get))
        Object.defineProperty(globalThis, name, before);
    }
    for (const name of Object.keys(process.env)) if (!(name in environment)) delete process.env[name];
    Object.assign(process.env, environment);
  };
}

/** Jest keeps the tests of a file, who listens to them and their settings under symbols. Its matchers cannot be deleted. */
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
