import { WorkLimit } from './work-limit.js';

const refusal = (waiting: number) => new Error(`full: ${waiting}`);
const never = new AbortController().signal;

describe('WorkLimit', () => {
  it('runs so many at once, in the order they came', async () => {
    const limit = new WorkLimit(2, 10, refusal);
    const log: string[] = [];
    const open: (() => void)[] = [];
    const work = (name: string) =>
      limit.run(never, () => {
        log.push(name);
        return new Promise<void>(resolve => open.push(resolve));
      });
    const all = ['a', 'b', 'c', 'd'].map(work);
    await Promise.resolve();
    expect([log, limit.working]).toEqual([['a', 'b'], 2]);
    open[0]?.();
    await all[0];
    expect(log).toEqual(['a', 'b', 'c']);
    open[1]?.();
    open[2]?.();
    await all[2];
    open[3]?.();
    await Promise.all(all);
    expect([log, limit.working]).toEqual([['a', 'b', 'c', 'd'], 0]);
  });

  it('refuses what the line has no room for', async () => {
    const limit = new WorkLimit(1, 1, refusal);
    let finish = (): void => undefined;
    const first = limit.run(never, () => new Promise<void>(resolve => (finish = resolve)));
    const second = limit.run(never, () => Promise.resolve());
    await expect(limit.run(never, () => Promise.resolve())).rejects.toThrow('full: 1');
    finish();
    await Promise.all([first, second]);
  });

  it('frees its place when work fails, and leaves the line when the caller goes', async () => {
    const limit = new WorkLimit(1, 5, refusal);
    let fail = (): void => undefined;
    const failing = limit.run(never, () => new Promise<void>((_, reject) => (fail = () => reject(new Error('broken')))));
    const gone = new AbortController();
    const waiting = limit.run(gone.signal, () => Promise.resolve('ran'));
    gone.abort(new Error('gone'));
    await expect(waiting).rejects.toThrow('gone');
    fail();
    await expect(failing).rejects.toThrow('broken');
    expect(await limit.run(never, () => Promise.resolve('next'))).toBe('next');
  });
});
