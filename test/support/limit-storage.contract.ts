import { type ThrottlerStorage } from '@nestjs/throttler';
import * as fc from 'fast-check';
import { windowMs } from '../../src/limits/charge.js';
import { isLong } from './tier.js';

/** A real storage, in which only the clock is replaced. */
export interface Stand {
  storage: ThrottlerStorage;
  setClock(ms: number): Promise<unknown>;
  close(): Promise<void>;
}

/** Tests what every storage does. `clockGoesBack` is false for a monotonic clock. */
export function behavesAsStorage(open: () => Promise<Stand>, { runs, clockGoesBack }: { runs: number; clockGoesBack: boolean }): void {
  let stand: Stand;
  let names = 0;
  let key: string;
  beforeAll(async () => {
    stand = await open();
  });
  afterAll(() => stand.close());
  beforeEach(() => (key = `key ${names++}`));

  const hit = async (ms: number, limit = 3, name = key) => {
    await stand.setClock(ms);
    return stand.storage.increment(name, windowMs, limit, 0, 'test');
  };

  it('admits as many as the limit and says how many and how long', async () => {
    expect(await hit(1_000)).toEqual({ totalHits: 1, timeToExpire: 60, isBlocked: false, timeToBlockExpire: 0 });
    expect(await hit(2_500)).toEqual({ totalHits: 2, timeToExpire: 58.5, isBlocked: false, timeToBlockExpire: 0 });
    expect(await hit(3_000)).toEqual({ totalHits: 3, timeToExpire: 58, isBlocked: false, timeToBlockExpire: 0 });
    expect(await hit(4_000)).toEqual({ totalHits: 3, timeToExpire: 57, isBlocked: true, timeToBlockExpire: 57 });
  });

  it('admits at the very moment that it named, and not a millisecond before', async () => {
    for (const ms of [0, 10, 20]) await hit(ms);
    expect((await hit(windowMs - 1)).isBlocked).toBe(true);
    expect((await hit(windowMs)).isBlocked).toBe(false);
    expect((await hit(windowMs + 9)).isBlocked).toBe(true);
    expect((await hit(windowMs + 10)).isBlocked).toBe(false);
  });

  it('does not count refused requests', async () => {
    for (const ms of [0, 0, 0]) await hit(ms);
    for (let ms = 1_000; ms < windowMs; ms += 1_000) expect((await hit(ms)).isBlocked).toBe(true);
    expect(await hit(windowMs)).toMatchObject({ totalHits: 1, isBlocked: false });
  });

  it('admits no second share across the edge of a minute', async () => {
    for (const ms of [59_900, 59_950, 59_990]) expect((await hit(ms)).isBlocked).toBe(false);
    for (const ms of [60_000, 60_100, 119_899]) expect((await hit(ms)).isBlocked).toBe(true);
    expect((await hit(119_900)).isBlocked).toBe(false);
  });

  it('counts nothing at a limit of 0, and tells how many there are', async () => {
    expect(await hit(0, 0)).toMatchObject({ totalHits: 0, isBlocked: true });
    for (const ms of [10, 20]) await hit(ms);
    expect(await hit(30, 0)).toMatchObject({ totalHits: 2, isBlocked: true });
    expect(await hit(40)).toMatchObject({ totalHits: 3, isBlocked: false });
    expect(await hit(windowMs + 15, 0)).toMatchObject({ totalHits: 2 });
  });

  it('keeps keys apart', async () => {
    for (let count = 0; count < 4; count++) await hit(0);
    expect(await hit(0, 3, `${key} of another`)).toMatchObject({ totalHits: 1, isBlocked: false });
  });

  it('follows a limit that is lowered or raised', async () => {
    for (const ms of [0, 100, 200, 300]) await hit(ms, 4);
    expect(await hit(1_000, 2)).toMatchObject({ isBlocked: true, timeToBlockExpire: 59.2 });
    expect((await hit(60_100, 2)).isBlocked).toBe(true);
    expect((await hit(60_200, 2)).isBlocked).toBe(false);
    expect(await hit(60_250, 4)).toMatchObject({ totalHits: 3, isBlocked: false });
  });

  it('admits exactly the limit of requests that come at once', async () => {
    await stand.setClock(0);
    const records = await Promise.all(Array.from({ length: 100 }, () => stand.storage.increment(key, windowMs, 60, 0, 'test')));
    expect(records.filter(record => !record.isBlocked)).toHaveLength(60);
    expect(new Set(records.filter(record => !record.isBlocked).map(record => record.totalHits)).size).toBe(60);
  });

  if (clockGoesBack) {
    it('lets nobody wait longer than the window after the clock was set back', async () => {
      const hour = 3_600_000;
      for (const ms of [hour, hour + 10, hour + 20]) await hit(ms);
      expect(await hit(5_000)).toMatchObject({ totalHits: 3, isBlocked: true, timeToBlockExpire: 60 });
      expect((await hit(64_999)).isBlocked).toBe(true);
      expect(await hit(65_000)).toMatchObject({ totalHits: 1, isBlocked: false });
    });
  }

  const anyLimit = fc.oneof({ weight: 5, arbitrary: fc.constant(5) }, { weight: 1, arbitrary: fc.integer({ min: 1, max: 9 }) });
  const anyPause = fc.oneof(fc.integer({ min: 0, max: 3 }), fc.integer({ min: 0, max: 30_000 }), fc.constantFrom(windowMs - 1, windowMs));
  let modelRuns = 0;

  it('agrees with a list of all hits, in any order of requests', async () => {
    const step = fc.record({ afterMs: anyPause, name: fc.constantFrom('a', 'b'), limit: anyLimit });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 60 }), async steps => {
        const model = new ListOfHits();
        let now = 10 * windowMs * (modelRuns += 1);
        for (const { afterMs, name, limit } of steps) {
          now += afterMs;
          expect(await hit(now, limit, `model ${modelRuns} ${name}`)).toEqual(model.hit(now, name, limit));
        }
      }),
      { numRuns: isLong ? runs * 20 : runs / 5 },
    );
  });

  it('decides requests that come at once as if they came one after the other', async () => {
    const together = fc.array(fc.record({ name: fc.constantFrom('a', 'b', 'c', 'd'), limit: anyLimit }), { minLength: 1, maxLength: 25 });
    const step = fc.record({ afterMs: anyPause, together });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 8 }), async steps => {
        const model = new ListOfHits();
        let now = 10 * windowMs * (modelRuns += 1);
        for (const { afterMs, together } of steps) {
          now += afterMs;
          await stand.setClock(now);
          const records = await Promise.all(
            together.map(({ name, limit }) => stand.storage.increment(`model ${modelRuns} ${name}`, windowMs, limit, 0, 'test')),
          );
          expect(records).toEqual(together.map(({ name, limit }) => model.hit(now, name, limit)));
        }
      }),
      { numRuns: isLong ? runs * 20 : runs / 5 },
    );
  });
}

/** The simplest sliding log: keeps all admitted hits, and counts those of the window again at each hit. */
class ListOfHits {
  private readonly admitted = new Map<string, number[]>();

  hit(now: number, name: string, limit: number) {
    const all = this.admitted.get(name) ?? [];
    this.admitted.set(name, all);
    const isBlocked = all.filter(time => time > now - windowMs).length >= limit;
    if (!isBlocked) all.push(now);
    const live = all.filter(time => time > now - windowMs);
    const until = (time: number) => (time + windowMs - now) / 1000;
    return {
      totalHits: live.length,
      timeToExpire: until(live[0]!),
      isBlocked,
      timeToBlockExpire: isBlocked ? until(live[live.length - limit]!) : 0,
    };
  }
}
