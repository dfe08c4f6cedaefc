import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { TurnEndedError, TurnTooLongError } from '../errors/common-errors.js';
import { inOneTurn } from './one-turn.js';
import { inLimitedTurns } from './pace.js';

/** The load of the machine decides which of the two errors is thrown. */
const ended = new RegExp([new TurnTooLongError(), new TurnEndedError()].map(({ text }) => text.zh).join('|'));

const forever = (): never => {
  for (;;);
};

describe('inOneTurn', () => {
  it('gives what the work gives, and throws what it throws', () => {
    const thrown = new Error('of the work');
    expect(inOneTurn(() => 7)).toBe(7);
    expect(() =>
      inOneTurn(() => {
        throw thrown;
      }),
    ).toThrow(thrown);
  });

  it.each<[string, () => unknown]>([
    ['a loop', forever],
    ['a regular expression', () => /^(?:a+)+$/.test(`${'a'.repeat(60)}b`)],
    ['sorting', () => Array.from({ length: 1000 }, () => 0).sort(() => (forever(), 0))],
    ['a generator', () => [...(function* () { for (;;) yield 0; })()].length],
    [
      'work that catches what it can',
      () => {
        try {
          return forever();
        } catch {
          return forever();
        } finally {
          forever();
        }
      },
    ],
  ])('ends %s', (_, work) => {
    expect(() => inOneTurn(work, 50)).toThrow(ended);
    expect(inOneTurn(() => 'the next one')).toBe('the next one');
  }); // prettier-ignore

  it('ends a turn within a turn with the outer one', () => {
    let isBehind = false;
    expect(() =>
      inOneTurn(() => {
        inOneTurn(forever, 1_000_000);
        isBehind = true;
      }, 50),
    ).toThrow(ended);
    expect(isBehind).toBe(false);
  });

  it('blames nobody while the process has no time of the machine', () => {
    // `inOneTurn` measures the CPU time of all threads of its process, so the test starts a process that does nothing else.
    const turns = pathToFileURL(path.resolve(__dirname, '../../../dist/src/common/turns/one-turn.js'));
    const program = `import { inOneTurn } from '${turns.href}';
      const still = new Int32Array(new SharedArrayBuffer(4));
      try { inOneTurn(() => { for (;;) Atomics.wait(still, 0, 0, 2_000); }, 1_500); } catch (error) { console.log(error.constructor.name); }`;
    const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', program], { encoding: 'utf8' });
    expect([stdout, stderr]).toEqual(['TurnEndedError\n', '']);
  });

  it('lets others work between the steps of long work, and ends a step that takes too long', async () => {
    const steps = (function* () {
      yield;
      forever();
    })();
    await expect(inLimitedTurns(steps)).rejects.toThrow(ended);
  });
});
