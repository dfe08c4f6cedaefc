import { HeldVersions } from './held-versions.js';
import { type HeldSnapshot, type RetrievalDatabase } from './retrieval-database.js';

describe('HeldVersions', () => {
  let taken: ((version: number) => void)[];
  let ended: number;
  let released: number[];
  let held: HeldVersions<{ graphId: number; version: number }>;
  beforeEach(() => {
    [taken, ended, released] = [[], 0, []];
    const hold = () =>
      new Promise<HeldSnapshot>(resolve =>
        taken.push(version => resolve({ version, database: {} as RetrievalDatabase, release: () => void ended++ })),
      );
    held = new HeldVersions({ hold } as unknown as RetrievalDatabase, ({ graphId }) => released.push(graphId));
  });
  afterEach(() => held.releaseAll());
  const hold = (graphId: number, version = 1) => held.hold({ graphId, version }, () => true);

  it('holds a version until it is released', async () => {
    const holding = hold(1);
    taken[0]!(1);
    expect(await holding).toBe(true);
    expect(held.find(1)?.graph).toEqual({ graphId: 1, version: 1 });
    held.release(1);
    expect([held.find(1), ended, released]).toEqual([undefined, 1, [1]]);
  });

  it('holds no version that the database has left, and none that was released while its snapshot was taken', async () => {
    const moved = hold(1);
    taken[0]!(2);
    const dropped = hold(2);
    held.release(2);
    taken[1]!(1);
    expect(await Promise.all([moved, dropped])).toEqual([false, false]);
    expect([held.find(1), held.find(2), ended, released]).toEqual([undefined, undefined, 2, []]);
  });

  it('holds two graphs at most, and each once', async () => {
    const holding = [hold(1), hold(1), hold(2), hold(3)];
    for (const take of taken) take(1);
    expect(await Promise.all(holding)).toEqual([true, false, true, false]);
  });
});
