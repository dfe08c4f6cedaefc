import { key, PartsStand, record, thread } from '../../../../test/support/parts-stand.js';

const settled = () => new Promise(resolve => setImmediate(resolve));

describe('the room of a PartsBroker', () => {
  let stand: PartsStand;
  beforeEach(() => (stand = new PartsStand()));

  it('lets waiting threads load alone when their graph is dropped', () => {
    stand.loaded(key(2), record(100));
    stand.claim(2, 'a');
    const waiting = stand.claim(2, 'a');
    stand.claim(1);
    stand.loaded(key(1), record(1_200));
    expect([stand.dropped, waiting]).toEqual([[2], [null]]);
  });

  it('forgets the bytes that single threads hold when it drops a part of the only graph', () => {
    stand.claim(1);
    stand.loaded(key(1), record(400));
    for (const name of ['a', 'b', 'c']) {
      stand.hold(1, 1, thread, 500);
      stand.claim(1, name);
      stand.loaded(key(1, name), record(200));
    }
    expect(stand.broker.bytes).toBeLessThanOrEqual(1_000);
  });

  it('drops the least recently used graph, and not the part that was just loaded', () => {
    for (const graphId of [1, 2, 3]) {
      stand.claim(graphId);
      stand.loaded(key(graphId), record(400));
      stand.broker.touch(1, 'ann');
    }
    expect(stand.dropped).toEqual([2]);
    expect([stand.broker.count, stand.broker.bytes]).toEqual([2, 800]);
    stand.hold(1, 1, thread, 500);
    expect(stand.dropped).toEqual([2, 3]);
  });

  it('drops other parts of a graph that exceeds the budget alone, but not its topology', () => {
    for (const [name, bytes] of [
      ['topology', 500],
      ['a', 400],
      ['b', 300],
    ] as const) {
      stand.claim(1, name);
      stand.loaded(key(1, name), record(bytes));
    }
    expect(stand.broker.bytes).toBe(800);
    expect(stand.claim(1, 'a')).toEqual([null]);
    expect(stand.claim(1, 'topology')).toHaveLength(1);
  });

  it('counts a kept older version, and releases it before it drops any graph', () => {
    stand.loaded(key(1), record(400));
    stand.keep(1, 1, thread);
    stand.claim(1, 'topology', 2);
    stand.loaded(key(1, 'topology', 2), record(400));
    expect([stand.broker.bytes, stand.released]).toEqual([800, []]);
    stand.loaded(key(2), record(500));
    expect([stand.broker.bytes, stand.released, stand.dropped]).toEqual([900, [1], []]);
  });

  it('drops a graph of the caller whose graphs take the most, and divides the size of a graph among its callers', () => {
    for (const [graphId, callers, bytes] of [
      [1, ['ann'], 200],
      [2, ['bob'], 300],
      [3, ['bob'], 300],
      [4, ['ann', 'bob', 'cid', 'dan'], 200],
    ] as const) {
      for (const caller of callers) stand.broker.touch(graphId, caller);
      stand.loaded(key(graphId), record(bytes));
    }
    stand.broker.touch(2, 'bob');
    stand.broker.touch(5, 'bob');
    stand.loaded(key(5), record(300));
    expect(stand.dropped).toEqual([3]);
    // Bob's graphs take 650 bytes: graphs 2 and 5 take 300 each, and a quarter of graph 4 counts as his.
    stand.broker.touch(6, 'eve');
    stand.loaded(key(6), record(100));
    expect(stand.dropped).toEqual([3, 2]);
  });

  it('drops parts of the only graph of a caller who loads many, before graphs of callers who take less', () => {
    for (const [graphId, caller] of [
      [1, 'bob'],
      [2, 'cid'],
      [3, 'ann'],
    ] as const) {
      stand.broker.touch(graphId, caller);
      stand.loaded(key(graphId), record(100));
    }
    for (const name of ['a', 'b', 'c', 'd', 'e']) {
      stand.broker.touch(3, 'ann');
      stand.claim(3, name);
      stand.loaded(key(3, name), record(200));
    }
    expect(new Set(stand.dropped)).toEqual(new Set([3]));
    expect([stand.broker.count, stand.broker.bytes]).toEqual([3, 900]);
    expect(['topology', 'a', 'b', 'c', 'd', 'e'].map(name => stand.claim(3, name)[0] === null)).toEqual([
      false,
      true,
      true,
      false,
      false,
      false,
    ]);
    // Room that its own graph cannot give is taken from other graphs.
    stand.broker.touch(3, 'ann');
    stand.claim(3, 'large');
    stand.loaded(key(3, 'large'), record(850));
    expect(stand.dropped.slice(-2)).toEqual([1, 2]);
  });

  it('keeps the parts that a query has claimed, and drops idle graphs for them', () => {
    for (const [graphId, caller, bytes] of [
      [1, 'bob', 200],
      [2, 'cid', 150],
      [3, 'ann', 100],
    ] as const) {
      stand.broker.touch(graphId, caller);
      stand.loaded(key(graphId), record(bytes));
    }
    for (let query = 0; query < 3; query++) {
      stand.broker.touch(3, 'ann');
      for (const name of ['a', 'b', 'c']) if (stand.claim(3, name)[0] === null) stand.loaded(key(3, name), record(190));
    }
    expect(stand.dropped).toEqual([1]);
    expect(['a', 'b', 'c'].map(name => stand.claim(3, name)[0] === null)).toEqual([false, false, false]);
  });

  it('collects the memory of dropped parts, less often the longer they are used, and a large load waits for it', async () => {
    stand = new PartsStand(100);
    stand.loaded(key(1), record(90));
    stand.loaded(key(2), record(90));
    stand.looks(20);
    expect([stand.dropped, stand.collections]).toEqual([[1], 5]);
    const begun: number[] = [];
    stand.say({ did: 'ask turn', asked: 1, graphId: 3 }, thread, () => begun.push(1));
    await settled();
    stand.looks(18);
    expect([begun, stand.collections]).toEqual([[], 10]);
    stand.looks(1);
    expect(begun).toEqual([1]);
  });
});
