import { sharedUint8 } from '../../../graph-index/shared-arrays.js';
import { PartsBroker } from './parts-broker.js';

const thread = {};
const record = (bytes: number) => ({ data: sharedUint8(bytes) });
const key = (graphId: number, name = 'topology', version = 1) => ({ graphId, version, name });

describe('PartsBroker', () => {
  let dropped: number[];
  let released: number[];
  let broker: PartsBroker;
  beforeEach(() => {
    [dropped, released] = [[], []];
    broker = new PartsBroker(1_000, { drop: graphId => dropped.push(graphId), release: graphId => released.push(graphId) });
  });
  const claim = (graphId: number, name?: string, version?: number, by: object = thread) => {
    const answers: (object | null)[] = [];
    broker.claim(key(graphId, name, version), by, found => answers.push(found));
    return answers;
  };

  it('lets one claimant load, and gives the part to all others', () => {
    const [first, second] = [claim(1), claim(1)];
    expect([first, second]).toEqual([[null], []]);
    const part = record(10);
    broker.loaded(key(1), part);
    expect(second).toEqual([part]);
    expect(claim(1)).toEqual([part]);
  });

  it('knows whether the search index of the newest version is there', () => {
    claim(1, 'search');
    expect(broker.hasIndex(1)).toBe(false);
    broker.loaded(key(1, 'search'), record(10));
    expect(broker.hasIndex(1)).toBe(true);
    claim(1, 'search', 2);
    expect(broker.hasIndex(1)).toBe(false);
  });

  it('lets the next claimant load if the first fails', () => {
    const [, second, third] = [claim(1), claim(1), claim(1)];
    broker.loaded(key(1), null);
    expect([second, third]).toEqual([[null], []]);
    const part = record(10);
    broker.loaded(key(1), part);
    expect(third).toEqual([part]);
  });

  it('keeps the newest version only, and nobody waits for a load of the one before', () => {
    claim(1);
    const waiting = claim(1);
    expect(claim(1, 'topology', 2)).toEqual([null]);
    expect(waiting).toEqual([null]);
    broker.loaded(key(1), record(10));
    expect(claim(1)).toEqual([null]);
    broker.loaded(key(1, 'topology', 2), record(20));
    expect(broker.bytes).toBe(20);
  });

  it('keeps a version for as many as keep it, also if it was dropped and came back before', () => {
    claim(1, 'topology', 5);
    broker.loaded(key(1, 'topology', 5), record(100));
    broker.release(1, 5, thread);
    broker.keep(1, 5, thread);
    claim(1, 'topology', 6);
    broker.loaded(key(1, 'topology', 6), record(200));
    expect(broker.bytes).toBe(300);
    broker.release(1, 5, thread);
    expect(broker.bytes).toBe(200);
  });

  it('lets nobody wait for a graph that is dropped while it loads', () => {
    claim(2);
    const waiting = claim(2);
    claim(1);
    broker.loaded(key(1), record(1_200));
    expect([dropped, waiting]).toEqual([[2], [null]]);
  });

  it('forgets what single threads hold with the parts of the only graph', () => {
    claim(1);
    broker.loaded(key(1), record(400));
    for (const name of ['a', 'b', 'c']) {
      broker.hold(1, 1, thread, 500);
      claim(1, name);
      broker.loaded(key(1, name), record(200));
    }
    expect(broker.bytes).toBeLessThanOrEqual(1_000);
  });

  it('drops the graph that was least recently used, and no part that it has just been given', () => {
    for (const graphId of [1, 2, 3]) {
      claim(graphId);
      broker.loaded(key(graphId), record(400));
      broker.touch(1);
    }
    expect(dropped).toEqual([2]);
    expect([broker.count, broker.bytes]).toEqual([2, 800]);
    broker.hold(1, 1, thread, 500);
    expect(dropped).toEqual([2, 3]);
  });

  it('drops other parts of a graph that exceeds the budget alone, but not its topology', () => {
    for (const [name, bytes] of [
      ['topology', 500],
      ['a', 400],
      ['b', 300],
    ] as const) {
      claim(1, name);
      broker.loaded(key(1, name), record(bytes));
    }
    expect(broker.bytes).toBe(800);
    expect(claim(1, 'a')).toEqual([null]);
    expect(claim(1, 'topology')).toHaveLength(1);
  });

  it('counts a version that goes on answering, and lets it go before any graph when room is short', () => {
    broker.loaded(key(1), record(400));
    broker.keep(1, 1, thread);
    claim(1, 'topology', 2);
    broker.loaded(key(1, 'topology', 2), record(400));
    expect([broker.bytes, released]).toEqual([800, []]);
    broker.loaded(key(2), record(500));
    expect([broker.bytes, released, dropped]).toEqual([900, [1], []]);
  });

  it('forgets the version before once every thread has released it', () => {
    broker.loaded(key(1), record(400));
    broker.keep(1, 1, thread);
    broker.keep(1, 1, thread);
    broker.loaded(key(1, 'topology', 2), record(100));
    broker.release(1, 1, thread);
    expect(broker.bytes).toBe(500);
    broker.release(1, 1, thread);
    expect(broker.bytes).toBe(100);
  });

  it('lets others load what a thread was loading when it ended, and forgets what it held and kept', () => {
    const [ended, other] = [{}, {}];
    const first = claim(1, 'topology', 1, ended);
    const [lost, next, last] = [claim(1, 'topology', 1, ended), claim(1, 'topology', 1, other), claim(1, 'topology', 1, thread)];
    broker.ended(ended);
    expect([first, lost, next, last]).toEqual([[null], [], [null], []]);
    const part = record(10);
    broker.loaded(key(1), part);
    expect(last).toEqual([part]);
    broker.hold(1, 1, other, 100);
    broker.keep(1, 1, other);
    claim(1, 'topology', 2);
    broker.loaded(key(1, 'topology', 2), record(20));
    expect(broker.bytes).toBe(130);
    broker.ended(other);
    expect(broker.bytes).toBe(20);
  });

  describe('the version before', () => {
    const before = (name: string, version: number) => {
      const answers: unknown[] = [];
      broker.claim(key(1, name, version), thread, (_, found) => answers.push(found));
      return answers[0];
    };
    const [topology, a, b] = [record(100), record(50), record(60)];
    beforeEach(() => {
      broker.loaded(key(1), topology);
      broker.loaded(key(1, 'a'), a);
      broker.loaded(key(1, 'b'), b);
    });

    it('is given with each part that it has, to whoever loads that of the next one', () => {
      expect(before('topology', 3)).toEqual({ version: 1, topology, part: topology });
      expect(before('a', 3)).toEqual({ version: 1, topology, part: a });
      expect(before('c', 3)).toBeNull();
      broker.loaded(key(1, 'a', 3), null);
      expect(before('a', 3)).toEqual({ version: 1, topology, part: a });
    });

    it('is forgotten part by part, and its topology last', () => {
      claim(1, 'topology', 2);
      broker.loaded(key(1, 'topology', 2), record(100));
      expect(broker.bytes).toBe(310);
      broker.loaded(key(1, 'a', 2), record(50));
      expect(broker.bytes).toBe(310);
      broker.loaded(key(1, 'b', 2), record(60));
      expect(broker.bytes).toBe(210);
    });

    it('goes without a word when room is short', () => {
      claim(1, 'topology', 2);
      broker.loaded(key(2), record(900));
      expect([released, dropped, broker.bytes]).toEqual([[], [], 900]);
      expect(before('a', 2)).toBeNull();
    });

    it('stays that of the nodes and edges while the next ones come without', () => {
      claim(1, 'a', 2);
      expect(before('topology', 3)).toEqual({ version: 1, topology, part: topology });
    });
  });
});
