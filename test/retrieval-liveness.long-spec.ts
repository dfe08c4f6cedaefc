import { setTimeout as sleep } from 'node:timers/promises';
import { graphTables } from '../src/database/graph-tables.js';
import { RetrievalClient } from '../src/retrieval/retrieval.client.js';
import { RetrievalSupervisor } from '../src/retrieval/retrieval.supervisor.js';
import { type Client, startTestApp, type TestApp } from './support/app.js';
import { asSuperuser } from './support/database.js';
import { createTradingGraph, type TradingGraph } from './support/trading-graph.js';

/** A query that is still running when the test stops or kills its process. PostgreSQL ends its statement by itself then. */
const slow = (n: number) =>
  `MATCH (a:产品), (b:产品), (c:产品), (d:产品), (e:产品), (f:产品), (g:产品), (h:产品), (i:产品), (j:产品), (k:产品), (l:产品) WHERE a.单价 + b.单价 < c.单价 - d.单价 - ${n} RETURN count(*) AS n`;

describe('a retrieval process in trouble', () => {
  let test: TestApp;
  let graph: TradingGraph;
  let owner: Client;
  let supervisor: RetrievalSupervisor;
  beforeAll(async () => {
    test = await startTestApp({}, { retrievalAtStart: true, retrievalThreads: 2 });
    owner = await test.asUser('asker');
    graph = await createTradingGraph(test, owner);
    supervisor = test.app.get(RetrievalSupervisor);
  });
  afterAll(() => test.close());
  beforeEach(() => answering());

  const ask = (body: object) => owner.post(`/api/graphs/${graph.id}/query`).send(body);
  const search = () => ask({ search: '华为', cache: 'refresh' });
  const ready = async () => (await test.anonymous.get('/health/ready')).body;
  async function answering(): Promise<void> {
    for (const deadline = Date.now() + 25_000; !(await test.app.get(RetrievalClient).isAlive(1_000)); await sleep(50))
      expect(Date.now()).toBeLessThan(deadline);
  }
  async function underWay(count: number): Promise<void> {
    const running = async () => (await asSuperuser(test.databaseUrl, `SELECT FROM pg_stat_activity WHERE application_name = 'graph-service retrieval' AND state = 'active' AND datname = current_database()`)).rowCount ?? 0; // prettier-ignore
    for (const deadline = Date.now() + 20_000; count === 0 ? (await running()) > 0 : (await running()) < count; await sleep(20))
      expect(Date.now()).toBeLessThan(deadline);
  }

  it('is killed and started again if it hangs; meanwhile the service is degraded, and callers are answered within their time-out', async () => {
    expect((await search()).status).toBe(200);
    const pid = supervisor.pid as number;
    process.kill(pid, 'SIGSTOP');
    const started = performance.now();
    const [answer, health] = await Promise.all([ask({ cypher: 'MATCH (r:地区) RETURN r', timeout_ms: 1_000 }), ready()]);
    expect(performance.now() - started).toBeLessThan(10_000);
    expect([[400, 'query_timeout'], [503, 'retrieval_unavailable']]).toContainEqual([answer.status, answer.body.code]); // prettier-ignore
    expect(health).toEqual({ status: 'degraded', checks: { database: 'ok', retrieval: 'unavailable' } });
    await test.anonymous.get('/health/ready').expect(200);
    await owner.get(`/api/graphs/${graph.id}`).expect(200);
    await answering();
    expect(supervisor.pid).not.toBe(pid);
    expect((await search()).status).toBe(200);
    expect((await ready()).status).toBe('ok');
  });

  it('keeps nobody waiting longer than it takes to notice that it hangs, however many wait', async () => {
    const pid = supervisor.pid as number;
    process.kill(pid, 'SIGSTOP');
    const answers = await Promise.all(Array.from({ length: 300 }, (_, i) => ask({ search: `华为 ${i}` })));
    // With 300 queries under way, none is known as the cause. Each is tried once more, and answered with 503 if that fails too.
    expect(answers.filter(({ status }) => status !== 200 && status !== 503)).toEqual([]);
    expect(answers.filter(({ status, headers }) => status === 503 && !/^\d+$/.test(headers['retry-after'] ?? ''))).toEqual([]);
    await answering();
    expect((await search()).status).toBe(200);
  });

  it('fails the query during which it ends, refuses it after the second time, and comes back at once each time', async () => {
    const cypher = slow(1);
    for (let death = 1; death <= 2; death++) {
      await answering();
      await underWay(0);
      const asked = ask({ cypher, timeout_ms: 5_000 });
      const answer = asked.then(response => response);
      await underWay(1);
      process.kill(supervisor.pid as number, 'SIGKILL');
      expect((await answer).body.code).toBe('retrieval_unavailable');
    }
    await answering();
    const refused = await ask({ cypher });
    expect([refused.status, refused.body.code, Number(refused.headers['retry-after']) > 500]).toEqual([422, 'query_refused', true]);
    expect((await search()).status).toBe(200);
  });

  it('tries the other queries again that were under way', async () => {
    await underWay(0);
    const products = Array.from('abcdefghij', variable => `(${variable}:产品)`).join(', ');
    // Both wait for the lock, so that neither ends before the other begins.
    const locker = await test.pool.connect();
    await locker.query(`BEGIN; LOCK TABLE ${graphTables(graph.id).nodes} IN ACCESS EXCLUSIVE MODE`);
    const others = [1, 2].map(n => ask({ cypher: `MATCH ${products} RETURN count(*) + ${n} AS n` }).then(response => response));
    await underWay(2);
    const pid = supervisor.pid as number;
    process.kill(pid, 'SIGKILL');
    await locker.query('COMMIT');
    locker.release();
    const answers = await Promise.all(others);
    expect(answers.map(({ body }) => body.rows)).toEqual([[[5 ** 10 + 1]], [[5 ** 10 + 2]]]);
    expect(supervisor.pid).not.toBe(pid);
  });

  it('is started again without a longer pause each time that it ends', async () => {
    for (let i = 0; i < 7; i++) {
      await answering();
      process.kill(supervisor.pid as number, 'SIGKILL');
    }
    const started = performance.now();
    await answering();
    // If each pause were twice as long as the one before, the eighth would take 12.8 s.
    expect(performance.now() - started).toBeLessThan(10_000);
  });
});
