import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { graphTables } from '../src/database/graph-tables.js';
import { RetrievalClient } from '../src/retrieval/retrieval.client.js';
import { RetrievalSupervisor } from '../src/retrieval/retrieval.supervisor.js';
import { type Client, startTestApp, type TestApp } from './support/app.js';
import { createTradingGraph, type TradingGraph } from './support/trading-graph.js';

/** A generous bound, for a busy machine. Even on a quiet machine the questions once blocked the process for 22 s. */
const generousMs = 10_000;

describe('large work', () => {
  let test: TestApp;
  let graph: TradingGraph;
  let owner: Client;
  beforeAll(async () => {
    test = await startTestApp({}, { retrievalThreads: 2 });
    owner = await test.asUser('asker');
    graph = await createTradingGraph(test, owner);
    // The names have the same characters, so that every part of a question matches thousands of them.
    await test.pool.query(
      `INSERT INTO mirror.products SELECT 100 + i, '一百万亿' || i || '号产品', repeat('长', 300), NULL, 1 FROM generate_series(1, 20000) i`,
    );
    await graph.ingestAgain();
  });
  afterAll(() => test.close());

  const ask = (body: object) => owner.post(`/api/graphs/${graph.id}/query`).send(body);

  /** Returns the longest answer time in milliseconds of the retrieval process's health check while `work` runs. */
  async function longestWait(work: PromiseLike<unknown>): Promise<number> {
    const client = test.app.get(RetrievalClient);
    let isOver = false;
    const over = Promise.resolve(work).finally(() => (isOver = true));
    let longest = 0;
    while (!isOver) {
      const started = performance.now();
      expect(await client.isAlive(20_000)).toBe(true);
      longest = Math.max(longest, performance.now() - started);
    }
    await over;
    return longest;
  }

  it('leaves the retrieval process free for others during thirty long questions', async () => {
    await ask({ search: '华为' });
    const pid = test.app.get(RetrievalSupervisor).pid;
    const questions = Array.from({ length: 30 }, (_, i) => ask({ question: `${'一百万亿两千三百'.repeat(240)}${i}`, timeout_ms: 20_000 }));
    let answers: { status: number }[] = [];
    expect(await longestWait(Promise.all(questions).then(all => (answers = all)))).toBeLessThan(generousMs);
    // Each question ends with a refusal of its own, a time-out or an answer. None of them is an internal error.
    expect(answers.filter(({ status }) => ![200, 400, 422, 503].includes(status))).toEqual([]);
    expect(test.app.get(RetrievalSupervisor).pid).toBe(pid);
  });

  it('leaves the retrieval process free for others while an index is loaded', async () => {
    await graph.ingestAgain();
    expect(await longestWait(ask({ search: '一百万亿' }))).toBeLessThan(generousMs);
  });

  it('passes an answer near the limit through the API unparsed, and does not store it', async () => {
    const { status, body } = await ask({
      cypher: 'MATCH (p:产品) RETURN p.产品名称 AS n, p.类别 AS c, p.类别 AS d, p.类别 AS e, p ORDER BY n',
      limit: 3_500,
    });
    expect([status, body.rows?.length, body.query_id]).toEqual([200, 3_500, null]);
  });

  it('is refused for a list of millions of parts', async () => {
    const { status, body } = await ask({ cypher: `MATCH (p:产品) RETURN collect([${Array(240).fill('p.单价').join(', ')}]) AS lists` });
    expect([status, body.code]).toEqual([422, 'answer_too_large']);
  });

  it('stays in the memory of the process when queries gather all they may, and others are answered meanwhile', async () => {
    const lists = (items: number) => `collect([x IN range(1, ${items}) | {}])`;
    const stages = (items: number) =>
      `UNWIND range(1, 80) AS i WITH ${lists(items)} AS a WITH collect(a) AS b UNWIND range(1, 80) AS i ` +
      `WITH collect(CASE WHEN i = 1 THEN b END) AS bb, ${lists(items)} AS c RETURN size(bb), size(c)`;
    const greedy = [
      ...[100_000, 20_000, 3_000].map(stages),
      'UNWIND range(1, 1900000) AS i WITH collect({}) AS l RETURN size(l)',
      'UNWIND range(1, 1000000) AS i RETURN collect(localdatetime({year: 2000, month: 1 + i % 12}))',
    ];
    await ask({ search: '华为' });
    const { pid } = test.app.get(RetrievalSupervisor);
    const neighbour = await test.asUser('neighbour');
    const theirs = await createTradingGraph(test, neighbour);
    const ends = greedy.map(cypher => ask({ cypher, timeout_ms: 60_000 }));
    let isOver = false;
    const over = Promise.all(ends).finally(() => (isOver = true));
    while (!isOver) {
      await neighbour.post(`/api/graphs/${theirs.id}/query`).send({ search: '华为', cache: 'refresh' }).expect(200);
      if (process.platform === 'linux') {
        const peakKb = Number(/^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
        expect(peakKb / 1024).toBeLessThan(1_024);
      }
    }
    for (const { status, body } of await over)
      expect([status, body.code]).toEqual([422, expect.stringMatching(/value_too_large|query_too_much_work/)]);
    expect(test.app.get(RetrievalSupervisor).pid).toBe(pid);
  });

  it('takes random bytes as questions', async () => {
    const { status } = await ask({ question: randomBytes(400).toString('base64') });
    expect([200, 422]).toContain(status);
  });
});

describe('a graph beyond the memory budget', () => {
  let test: TestApp;
  beforeAll(async () => {
    test = await startTestApp({ RETRIEVAL_MEMORY_MB: '64' });
  });
  afterAll(() => test.close());

  it('is refused at once after the first time, and others are served meanwhile', async () => {
    const owner = await test.asUser('big');
    const big = await createTradingGraph(test, owner);
    const { nodes } = graphTables(big.id);
    await test.pool.query(
      `INSERT INTO ${nodes} (label, key, display, run_id) SELECT '产品', 'x' || i, md5(i::text) || ' ' || md5((i + 1)::text) || ' ' || md5((i + 2)::text), (SELECT run_id FROM ${nodes} LIMIT 1) FROM generate_series(1, 300000) i`,
    );
    await test.pool.query('UPDATE graphs SET version = version + 1 WHERE id = $1', [big.id]);
    const ask = () => owner.post(`/api/graphs/${big.id}/query`).send({ search: '华为', cache: 'refresh' });
    const started = performance.now();
    const first = await ask();
    const took = performance.now() - started;
    expect([first.status, first.body.code]).toEqual([422, 'graph_exceeds_memory']);
    const again = await Promise.all(Array.from({ length: 10 }, ask));
    expect(again.map(({ body }) => body.code)).toEqual(Array.from({ length: 10 }, () => 'graph_exceeds_memory'));
    // The ten requests together took less time than the first, so none of them read the nodes again.
    expect(performance.now() - started - took).toBeLessThan(took);
    await owner.post(`/api/graphs/${big.id}/query`).send({ cypher: 'MATCH (r:地区) RETURN r' }).expect(200);
  });
});
