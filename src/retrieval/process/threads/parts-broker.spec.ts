import { key, PartsStand, record, thread } from '../../../../test/support/parts-stand.js';

const settled = () => new Promise(resolve => setImmediate(resolve));

describe('PartsBroker', () => {
  let stand: PartsStand;
  beforeEach(() => (stand = new PartsStand()));

  it('lets one claimant load, and gives the part to all others', () => {
    const [first, second] = [stand.claim(1), stand.claim(1)];
    expect([first, second]).toEqual([[null], []]);
    const part = record(10);
    stand.loaded(key(1), part);
    expect(second).toEqual([part]);
    expect(stand.claim(1)).toEqual([part]);
  });

  it('reports whether the search index of the newest version is loaded', () => {
    stand.claim(1, 'search');
    expect(stand.broker.hasIndex(1)).toBe(false);
    stand.loaded(key(1, 'search'), record(10));
    expect(stand.broker.hasIndex(1)).toBe(true);
    stand.claim(1, 'search', 2);
    expect(stand.broker.hasIndex(1)).toBe(false);
  });

  it('lets the next claimant load if the first fails', () => {
    const [, second, third] = [stand.claim(1), stand.claim(1), stand.claim(1)];
    stand.loaded(key(1), null);
    expect([second, third]).toEqual([[null], []]);
    const part = record(10);
    stand.loaded(key(1), part);
    expect(third).toEqual([part]);
  });

  it('keeps the newest version only, and nobody waits for a load of the one before', () => {
    stand.claim(1);
    const waiting = stand.claim(1);
    expect(stand.claim(1, 'topology', 2)).toEqual([null]);
    expect(waiting).toEqual([null]);
    stand.loaded(key(1), record(10));
    expect(stand.claim(1)).toEqual([null]);
    stand.loaded(key(1, 'topology', 2), record(20));
    expect(stand.broker.bytes).toBe(20);
  });

  it('ignores a release without a keep, and keeps a version until its keeper releases it', () => {
    stand.claim(1, 'topology', 5);
    stand.loaded(key(1, 'topology', 5), record(100));
    stand.release(1, 5, thread);
    stand.keep(1, 5, thread);
    stand.claim(1, 'topology', 6);
    stand.loaded(key(1, 'topology', 6), record(200));
    expect(stand.broker.bytes).toBe(300);
    stand.release(1, 5, thread);
    expect(stand.broker.bytes).toBe(200);
  });

  it('forgets the version before once every thread has released it', () => {
    stand.loaded(key(1), record(400));
    stand.keep(1, 1, thread);
    stand.keep(1, 1, thread);
    stand.loaded(key(1, 'topology', 2), record(100));
    stand.release(1, 1, thread);
    expect(stand.broker.bytes).toBe(500);
    stand.release(1, 1, thread);
    expect(stand.broker.bytes).toBe(100);
  });

  it('lets other threads load the parts of a thread that ended, and forgets the bytes and versions that it kept', () => {
    const [ended, other] = [{}, {}];
    const first = stand.claim(1, 'topology', 1, ended);
    const [lost, next, last] = [
      stand.claim(1, 'topology', 1, ended),
      stand.claim(1, 'topology', 1, other),
      stand.claim(1, 'topology', 1, thread),
    ];
    stand.broker.ended(ended);
    expect([first, lost, next, last]).toEqual([[null], [], [null], []]);
    const part = record(10);
    stand.loaded(key(1), part);
    expect(last).toEqual([part]);
    stand.hold(1, 1, other, 100);
    stand.keep(1, 1, other);
    stand.claim(1, 'topology', 2);
    stand.loaded(key(1, 'topology', 2), record(20));
    expect(stand.broker.bytes).toBe(130);
    stand.broker.ended(other);
    expect(stand.broker.bytes).toBe(20);
  });

  it('counts a large load while it runs, and runs one at a time, callers in turn', async () => {
    const begun: number[] = [];
    const ask = (turn: number, graphId: number, by: object = thread) =>
      stand.say({ did: 'ask turn', asked: turn, graphId }, by, () => begun.push(turn));
    const other = {};
    for (const graphId of [1, 2, 3]) stand.broker.touch(graphId, graphId === 3 ? 'bob' : 'ann');
    stand.loaded(key(2), record(400));
    stand.loaded(key(3), record(300));
    ask(1, 1);
    ask(2, 1);
    ask(3, 1);
    ask(4, 3, other);
    await settled();
    expect(begun).toEqual([1]);
    stand.say({ did: 'grow', asked: 1, bytes: 400 });
    expect(stand.dropped).toEqual([2]);
    for (const turn of [1, 2]) {
      stand.say({ did: 'end turn', asked: turn });
      await settled();
      stand.looks(20);
    }
    expect(begun).toEqual([1, 2, 4]);
    stand.broker.ended(other);
    await settled();
    stand.looks(20);
    expect(begun).toEqual([1, 2, 4, 3]);
    // When a thread ends, its running load and its waiting loads are dropped.
    ask(5, 1);
    stand.broker.ended(thread);
    ask(6, 1, other);
    await settled();
    stand.looks(20);
    expect(begun).toEqual([1, 2, 4, 3, 6]);
  });

  describe('the version before', () => {
    const before = (name: string, version: number) =>
      stand.claim(1, name, version, thread, ({ before: found }) => found && { ...found, topology: found.topology.record, part: found.part.record })[0]; // prettier-ignore
    const [topology, a, b] = [record(100), record(50), record(60)];
    beforeEach(() => {
      stand.loaded(key(1), topology);
      stand.loaded(key(1, 'a'), a);
      stand.loaded(key(1, 'b'), b);
    });

    it('is given, with its part, to the thread that loads the same part of the next version', () => {
      expect(before('topology', 3)).toEqual({ version: 1, topology, part: topology });
      expect(before('a', 3)).toEqual({ version: 1, topology, part: a });
      expect(before('c', 3)).toBeNull();
      stand.loaded(key(1, 'a', 3), null);
      expect(before('a', 3)).toEqual({ version: 1, topology, part: a });
    });

    it('is forgotten part by part, and its topology last', () => {
      stand.claim(1, 'topology', 2);
      stand.loaded(key(1, 'topology', 2), record(100));
      expect(stand.broker.bytes).toBe(310);
      stand.loaded(key(1, 'a', 2), record(50));
      expect(stand.broker.bytes).toBe(310);
      stand.loaded(key(1, 'b', 2), record(60));
      expect(stand.broker.bytes).toBe(210);
    });

    it('is dropped without a message to the threads when room is short', () => {
      stand.claim(1, 'topology', 2);
      stand.loaded(key(2), record(900));
      expect([stand.released, stand.dropped, stand.broker.bytes]).toEqual([[], [], 900]);
      expect(before('a', 2)).toBeNull();
    });

    it('stays the last version with nodes and edges while newer versions have none', () => {
      stand.claim(1, 'a', 2);
      expect(before('topology', 3)).toEqual({ version: 1, topology, part: topology });
    });
  });
});
