import { QueryRefusedError } from './retrieval.errors.js';
import { type RetrievalQuery } from './protocol.js';
import { idOfWork, SuspectQueries } from './suspect-queries.js';

describe('SuspectQueries', () => {
  let now = 0;
  const build = () => new SuspectQueries(2, () => now);

  it('refuses a query that was alone at two deaths, for ten minutes', () => {
    const suspects = build();
    for (let death = 0; death < 2; death++) {
      suspects.admit('killer');
      suspects.begin('killer');
      suspects.processEnded();
    }
    expect(() => suspects.admit('killer')).toThrow(QueryRefusedError);
    suspects.admit('another');
    now += 600_000;
    suspects.admit('killer');
    expect(suspects.isSuspect('killer')).toBe(false);
  });

  it('knows the cause when one query was alone, and suspects all when several were under way', () => {
    const suspects = build();
    const alone = suspects.begin('a');
    suspects.processEnded();
    expect(alone).toMatchObject({ isStruck: true, wasAlone: true });
    const [b, c] = [suspects.begin('b'), suspects.begin('c')];
    suspects.processEnded();
    expect([b.isStruck, b.wasAlone, c.isStruck, suspects.isSuspect('b'), suspects.isSuspect('c')]).toEqual([true, false, true, true, true]);
  });

  it('never refuses a query for deaths at which another was under way', () => {
    const suspects = build();
    for (let death = 0; death < 5; death++) {
      suspects.begin('victim');
      suspects.begin('killer');
      suspects.processEnded();
    }
    suspects.admit('victim');
    suspects.begin('killer');
    suspects.processEnded();
    suspects.begin('killer');
    suspects.processEnded();
    expect(() => suspects.admit('killer')).toThrow(QueryRefusedError);
    suspects.admit('victim');
  });

  it('clears a query that was answered, and ignores one that had ended before the death', () => {
    const suspects = build();
    suspects.begin('a');
    const b = suspects.begin('b');
    suspects.end(b);
    suspects.processEnded();
    expect([suspects.isSuspect('a'), suspects.isSuspect('b')]).toEqual([true, false]);
    suspects.clear('a');
    suspects.begin('a');
    suspects.processEnded();
    suspects.admit('a');
  });

  it('lets suspects through one after the other, of each caller in turn', async () => {
    const suspects = build();
    const order: string[] = [];
    const first = await suspects.takeTurn({ caller: 'a' });
    const waiting = ['a', 'a', 'b'].map(async caller => {
      const done = await suspects.takeTurn({ caller });
      order.push(caller);
      await new Promise(resolve => setImmediate(resolve));
      done();
    });
    await new Promise(resolve => setImmediate(resolve));
    expect(order).toEqual([]);
    first();
    await Promise.all(waiting);
    expect(order).toEqual(['a', 'b', 'a']);
  });
});

describe('the id of work', () => {
  const query: RetrievalQuery = {
    graph_id: 1,
    caller: 'ann',
    kind: 'search',
    text: 'a',
    limit: 10,
    timeout_ms: 1_000,
    today: '2026-11-30',
  };

  it('is the same for every caller and waiting time', () => {
    expect(idOfWork({ ...query, caller: 'bob', timeout_ms: 2_000, queue_ms: 5, least_version: 7 })).toBe(idOfWork(query));
  });

  it.each<Partial<RetrievalQuery>>([
    { graph_id: 2 },
    { text: 'b' },
    { filter: { labels: ['A'], where: {} } },
    { timezone: 'Asia/Shanghai' },
    { choices: ['x'] },
    { profile: true },
    { offset: 10 },
  ])('differs by %j', change => {
    expect(idOfWork({ ...query, ...change })).not.toBe(idOfWork(query));
  });
});
