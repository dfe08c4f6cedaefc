import { FailureGate, type Verdict } from './failure-gate.js';

class Failed extends Error {}
class Cancelled extends Error {}
class Paused extends Error {}

describe('FailureGate', () => {
  let now: number;
  let gate: FailureGate;
  beforeEach(() => {
    now = 0;
    gate = new FailureGate(3, 100, () => now);
  });
  const rules = { judge: (error: unknown): Verdict => (error instanceof Failed ? 'failed' : 'undecided'), refuse: () => new Paused() };
  const call = (end: () => Promise<string>) => gate.run(end, rules).catch((error: Error) => error.constructor.name);
  const fail = () => call(() => Promise.reject(new Failed()));
  const cancel = () => call(() => Promise.reject(new Cancelled()));
  const succeed = () => call(() => Promise.resolve('done'));
  const calls = async (...all: (() => Promise<string>)[]) => {
    const ends: string[] = [];
    for (const each of all) ends.push(await each());
    return ends;
  };

  it('pauses after failures in a row, and not otherwise', async () => {
    expect(await calls(fail, fail, succeed, fail, fail, succeed)).not.toContain('Paused');
    expect(await calls(fail, cancel, fail, cancel, fail, succeed)).toEqual([
      'Failed',
      'Cancelled',
      'Failed',
      'Cancelled',
      'Failed',
      'Paused',
    ]);
    expect(gate.isPaused).toBe(true);
  });

  it('tries one call at a time after the pause, until one succeeds', async () => {
    await calls(fail, fail, fail);
    now = 100;
    expect(await calls(cancel, fail, succeed)).toEqual(['Cancelled', 'Failed', 'Paused']);
    now = 200;
    let end!: (text: string) => void;
    const trial = call(() => new Promise(resolve => (end = resolve)));
    expect(await calls(succeed, fail)).toEqual(['Paused', 'Paused']);
    end('done');
    expect([await trial, await fail(), await succeed()]).toEqual(['done', 'Failed', 'done']);
  });
});
