import { sharedUint8 } from '../../../graph-index/shared-arrays.js';
import { type PartsAnswer, type PartsMessage } from './messages.js';
import { PartsBroker } from './parts-broker.js';
import { type PartKey } from './shared-parts.js';

const thread = {};
const record = (bytes: number) => ({ data: sharedUint8(bytes) });
const key = (graphId: number, name = 'topology', version = 1) => ({ graphId, version, name });
const settled = () => new Promise(resolve => setImmediate(resolve));

describe('PartsBroker', () => {
  let dropped: number[];
  let released: number[];
  let collections: number;
  let broker: PartsBroker;
  let parts: number;
  const opened = (budgetBytes: number): PartsBroker =>
    new PartsBroker(budgetBytes, {
      drop: graphId => dropped.push(graphId),
      release: graphId => released.push(graphId),
      outdated: () => undefined,
      collect: () => collections++,
    });
  beforeEach(() => {
    [dropped, released, collections, parts] = [[], [], 0, 0];
    broker = opened(1_000);
  });
  const say = (message: PartsMessage, by: object = thread, answer: (answer: PartsAnswer) => void = () => undefined) =>
    broker.heard(by, message, answer);
  const looks = (count: number) => Array.from({ length: count }, () => broker.look());
  type Taken = Extract<PartsAnswer, { do: 'take' }>;
  /** Claims a part. Returns a list to which each answer is added when it arrives. */
  const claim = <T = object | null>(
    graphId: number,
    name?: string,
    version?: number,
    by?: object,
    of: (taken: Taken) => T = ({ part }) => (part?.record ?? null) as T,
  ): T[] => {
    const answers: T[] = [];
    say({ did: 'claim', asked: 1, key: key(graphId, name, version) }, by, answer => answers.push(of(answer as Taken)));
    return answers;
  };
  const loaded = (part: PartKey, found: object | null, by: object = thread): string => {
    const id = String(++parts);
    say({ did: 'load', key: part, part: found && { id, record: found } }, by);
    return id;
  };
  const hold = (graphId: number, version: number, by: object, bytes: number) => say({ did: 'hold', graphId, version, bytes }, by);
  const keep = (graphId: number, version: number, by: object) => say({ did: 'keep', graphId, version }, by);
  const release = (graphId: number, version: number, by: object) => say({ did: 'release', graphId, version }, by);

  it('lets one claimant load, and gives the part to all others', () => {
    const [first, second] = [claim(1), claim(1)];
    expect([first, second]).toEqual([[null], []]);
    const part = record(10);
    loaded(key(1), part);
    expect(second).toEqual([part]);
    expect(claim(1)).toEqual([part]);
  });

  it('reports whether the search index of the newest version is loaded', () => {
    claim(1, 'search');
    expect(broker.hasIndex(1)).toBe(false);
    loaded(key(1, 'search'), record(10));
    expect(broker.hasIndex(1)).toBe(true);
    claim(1, 'search', 2);
    expect(broker.hasIndex(1)).toBe(false);
  });

  it('lets the next claimant load if the first fails', () => {
    const [, second, third] = [claim(1), claim(1), claim(1)];
    loaded(key(1), null);
    expect([second, third]).toEqual([[null], []]);
    const part = record(10);
    loaded(key(1), part);
    expect(third).toEqual([part]);
  });

  it('keeps the newest version only, and nobody waits for a load of the one before', () => {
    claim(1);
    const waiting = claim(1);
    expect(claim(1, 'topology', 2)).toEqual([null]);
    expect(waiting).toEqual([null]);
    loaded(key(1), record(10));
    expect(claim(1)).toEqual([null]);
    loaded(key(1, 'topology', 2), record(20));
    expect(broker.bytes).toBe(20);
  });

  it('ignores a release without a keep, and keeps a version until its keeper releases it', () => {
    claim(1, 'topology', 5);
    loaded(key(1, 'topology', 5), record(100));
    release(1, 5, thread);
    keep(1, 5, thread);
    claim(1, 'topology', 6);
    loaded(key(1, 'topology', 6), record(200));
    expect(broker.bytes).toBe(300);
    release(1, 5, thread);
    expect(broker.bytes).toBe(200);
  });

  it('lets waiting threads load alone when their graph is dropped', () => {
    loaded(key(2), record(100));
    claim(2, 'a');
    const waiting = claim(2, 'a');
    claim(1);
    loaded(key(1), record(1_200));
    expect([dropped, waiting]).toEqual([[2], [null]]);
  });

  it('forgets the bytes that single threads hold when it drops a part of the only graph', () => {
    claim(1);
    loaded(key(1), record(400));
    for (const name of ['a', 'b', 'c']) {
      hold(1, 1, thread, 500);
      claim(1, name);
      loaded(key(1, name), record(200));
    }
    expect(broker.bytes).toBeLessThanOrEqual(1_000);
  });

  it('drops the least recently used graph, and not the part that was just loaded', () => {
    for (const graphId of [1, 2, 3]) {
      claim(graphId);
      loaded(key(graphId), record(400));
      broker.touch(1, 'ann');
    }
    expect(dropped).toEqual([2]);
    expect([broker.count, broker.bytes]).toEqual([2, 800]);
    hold(1, 1, thread, 500);
    expect(dropped).toEqual([2, 3]);
  });

  it('drops other parts of a graph that exceeds the budget alone, but not its topology', () => {
    for (const [name, bytes] of [
      ['topology', 500],
      ['a', 400],
      ['b', 300],
    ] as const) {
      claim(1, name);
      loaded(key(1, name), record(bytes));
    }
    expect(broker.bytes).toBe(800);
    expect(claim(1, 'a')).toEqual([null]);
    expect(claim(1, 'topology')).toHaveLength(1);
  });

  it('counts a kept older version, and releases it before it drops any graph', () => {
    loaded(key(1), record(400));
    keep(1, 1, thread);
    claim(1, 'topology', 2);
    loaded(key(1, 'topology', 2), record(400));
    expect([broker.bytes, released]).toEqual([800, []]);
    loaded(key(2), record(500));
    expect([broker.bytes, released, dropped]).toEqual([900, [1], []]);
  });

  it('forgets the version before once every thread has released it', () => {
    loaded(key(1), record(400));
    keep(1, 1, thread);
    keep(1, 1, thread);
    loaded(key(1, 'topology', 2), record(100));
    release(1, 1, thread);
    expect(broker.bytes).toBe(500);
    release(1, 1, thread);
    expect(broker.bytes).toBe(100);
  });

  it('lets other threads load the parts of a thread that ended, and forgets the bytes and versions that it kept', () => {
    const [ended, other] = [{}, {}];
    const first = claim(1, 'topology', 1, ended);
    const [lost, next, last] = [claim(1, 'topology', 1, ended), claim(1, 'topology', 1, other), claim(1, 'topology', 1, thread)];
    broker.ended(ended);
    expect([first, lost, next, last]).toEqual([[null], [], [null], []]);
    const part = record(10);
    loaded(key(1), part);
    expect(last).toEqual([part]);
    hold(1, 1, other, 100);
    keep(1, 1, other);
    claim(1, 'topology', 2);
    loaded(key(1, 'topology', 2), record(20));
    expect(broker.bytes).toBe(130);
    broker.ended(other);
    expect(broker.bytes).toBe(20);
  });

  it('drops a graph of the caller whose graphs take the most, and divides the size of a graph among its callers', () => {
    for (const [graphId, callers, bytes] of [
      [1, ['ann'], 200],
      [2, ['bob'], 300],
      [3, ['bob'], 300],
      [4, ['ann', 'bob', 'cid', 'dan'], 200],
    ] as const) {
      for (const caller of callers) broker.touch(graphId, caller);
      loaded(key(graphId), record(bytes));
    }
    broker.touch(2, 'bob');
    broker.touch(5, 'bob');
    loaded(key(5), record(300));
    expect(dropped).toEqual([3]);
    // Bob's graphs take 650 bytes: graphs 2 and 5 take 300 each, and a quarter of graph 4 counts as his.
    broker.touch(6, 'eve');
    loaded(key(6), record(100));
    expect(dropped).toEqual([3, 2]);
  });

  it('drops parts of the only graph of a caller who loads many, before graphs of callers who take less', () => {
    for (const [graphId, caller] of [
      [1, 'bob'],
      [2, 'cid'],
      [3, 'ann'],
    ] as const) {
      broker.touch(graphId, caller);
      loaded(key(graphId), record(100));
    }
    for (const name of ['a', 'b', 'c', 'd', 'e']) {
      broker.touch(3, 'ann');
      claim(3, name);
      loaded(key(3, name), record(200));
    }
    expect(new Set(dropped)).toEqual(new Set([3]));
    expect([broker.count, broker.bytes]).toEqual([3, 900]);
    expect(['topology', 'a', 'b', 'c', 'd', 'e'].map(name => claim(3, name)[0] === null)).toEqual([false, true, true, false, false, false]);
    // Room that its own graph cannot give is taken from other graphs.
    broker.touch(3, 'ann');
    claim(3, 'large');
    loaded(key(3, 'large'), record(850));
    expect(dropped.slice(-2)).toEqual([1, 2]);
  });

  it('keeps the parts that a query has claimed, and drops idle graphs for them', () => {
    for (const [graphId, caller, bytes] of [
      [1, 'bob', 200],
      [2, 'cid', 150],
      [3, 'ann', 100],
    ] as const) {
      broker.touch(graphId, caller);
      loaded(key(graphId), record(bytes));
    }
    for (let query = 0; query < 3; query++) {
      broker.touch(3, 'ann');
      for (const name of ['a', 'b', 'c']) if (claim(3, name)[0] === null) loaded(key(3, name), record(190));
    }
    expect(dropped).toEqual([1]);
    expect(['a', 'b', 'c'].map(name => claim(3, name)[0] === null)).toEqual([false, false, false]);
  });

  it('counts a large load while it runs, and runs one at a time, callers in turn', async () => {
    const begun: number[] = [];
    const ask = (turn: number, graphId: number, by: object = thread) =>
      say({ did: 'ask turn', asked: turn, graphId }, by, () => begun.push(turn));
    const other = {};
    for (const graphId of [1, 2, 3]) broker.touch(graphId, graphId === 3 ? 'bob' : 'ann');
    loaded(key(2), record(400));
    loaded(key(3), record(300));
    ask(1, 1);
    ask(2, 1);
    ask(3, 1);
    ask(4, 3, other);
    await settled();
    expect(begun).toEqual([1]);
    say({ did: 'grow', asked: 1, bytes: 400 });
    expect(dropped).toEqual([2]);
    for (const turn of [1, 2]) {
      say({ did: 'end turn', asked: turn });
      await settled();
      looks(20);
    }
    expect(begun).toEqual([1, 2, 4]);
    broker.ended(other);
    await settled();
    looks(20);
    expect(begun).toEqual([1, 2, 4, 3]);
    // When a thread ends, its running load and its waiting loads are dropped.
    ask(5, 1);
    broker.ended(thread);
    ask(6, 1, other);
    await settled();
    looks(20);
    expect(begun).toEqual([1, 2, 4, 3, 6]);
  });

  it('collects the memory of dropped parts, less often the longer they are used, and a large load waits for it', async () => {
    broker = opened(100);
    loaded(key(1), record(90));
    loaded(key(2), record(90));
    looks(20);
    expect([dropped, collections]).toEqual([[1], 5]);
    const begun: number[] = [];
    say({ did: 'ask turn', asked: 1, graphId: 3 }, thread, () => begun.push(1));
    await settled();
    looks(18);
    expect([begun, collections]).toEqual([[], 10]);
    looks(1);
    expect(begun).toEqual([1]);
  });

  describe('the version before', () => {
    const before = (name: string, version: number) =>
      claim(1, name, version, thread, ({ before: found }) => found && { ...found, topology: found.topology.record, part: found.part.record })[0]; // prettier-ignore
    const [topology, a, b] = [record(100), record(50), record(60)];
    beforeEach(() => {
      loaded(key(1), topology);
      loaded(key(1, 'a'), a);
      loaded(key(1, 'b'), b);
    });

    it('is given, with its part, to the thread that loads the same part of the next version', () => {
      expect(before('topology', 3)).toEqual({ version: 1, topology, part: topology });
      expect(before('a', 3)).toEqual({ version: 1, topology, part: a });
      expect(before('c', 3)).toBeNull();
      loaded(key(1, 'a', 3), null);
      expect(before('a', 3)).toEqual({ version: 1, topology, part: a });
    });

    it('is forgotten part by part, and its topology last', () => {
      claim(1, 'topology', 2);
      loaded(key(1, 'topology', 2), record(100));
      expect(broker.bytes).toBe(310);
      loaded(key(1, 'a', 2), record(50));
      expect(broker.bytes).toBe(310);
      loaded(key(1, 'b', 2), record(60));
      expect(broker.bytes).toBe(210);
    });

    it('is dropped without a message to the threads when room is short', () => {
      claim(1, 'topology', 2);
      loaded(key(2), record(900));
      expect([released, dropped, broker.bytes]).toEqual([[], [], 900]);
      expect(before('a', 2)).toBeNull();
    });

    it('stays the last version with nodes and edges while newer versions have none', () => {
      claim(1, 'a', 2);
      expect(before('topology', 3)).toEqual({ version: 1, topology, part: topology });
    });
  });
});
