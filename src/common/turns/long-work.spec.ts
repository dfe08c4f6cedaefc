import { LongWork } from './long-work.js';

class RefusedError extends Error {}
const options = { waitingPerCaller: 64, waiting: 500, patienceMs: 30_000, refuse: () => new RefusedError() };

describe('LongWork', () => {
  it('does one piece of work in a turn of the event loop, and lets callers take turns', async () => {
    const turns = new LongWork(options);
    const done: string[] = [];
    let turn = 0;
    const work = (caller: number) => turns.run({ caller }, () => done.push(`${caller} ${turn}`));
    const all = Promise.all([...Array.from({ length: 20 }, () => work(1)), work(2)]);
    while (done.length < 21) {
      await new Promise(resolve => setImmediate(resolve));
      turn++;
    }
    await all;
    expect(new Set(done.map(each => each.split(' ')[1])).size).toBe(21);
    expect(done.findIndex(each => each.startsWith('2'))).toBeLessThan(3);
  });

  it('refuses a caller with too much work, and goes on after work that fails', async () => {
    const turns = new LongWork(options);
    const fails = turns.run({ caller: 1 }, () => {
      throw new Error('unreadable');
    });
    const further = Array.from({ length: 64 }, (_, number) => turns.run({ caller: 1 }, () => number));
    await expect(turns.run({ caller: 1 }, () => 0)).rejects.toThrow(RefusedError);
    await expect(turns.run({ caller: 2 }, () => 'other')).resolves.toBe('other');
    await expect(fails).rejects.toThrow('unreadable');
    expect((await Promise.all(further)).length).toBe(64);
  });

  it('gives the places of callers who have gone to those who wait', async () => {
    const turns = new LongWork(options);
    const callers = Array.from({ length: 65 }, () => new AbortController());
    const done: number[] = [];
    const refused = Promise.allSettled(callers.map(({ signal }) => turns.run({ caller: 1, signal }, () => done.push(1))));
    for (const gone of callers) gone.abort();
    await turns.run({ caller: 1 }, () => done.push(2));
    expect((await refused).every(({ status }) => status === 'rejected')).toBe(true);
    expect(done).toEqual([2]);
  });
});
