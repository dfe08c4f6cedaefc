import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { mostOfOneCaller } from '../src/retrieval/protocol.js';
import { RetrievalClient } from '../src/retrieval/retrieval.client.js';
import { RetrievalBusyError } from '../src/retrieval/retrieval.errors.js';
import { workingAtOnce } from '../src/retrieval/process/serve-retrieval.js';
import { type Client, startTestApp, type TestApp } from './support/app.js';
import { createTradingGraph, type TradingGraph } from './support/trading-graph.js';

/**
 * A query that takes many minutes for the 18 nodes of the graph. `number` makes each query different, so that none finds a stored answer.
 */
const slowCypher = (number: number) => `MATCH (a), (b), (c), (d), (e), (f), (g), (h), (i) WHERE a.x${number} IS NULL RETURN count(*) AS n`;

/** The maximum number of places of a single caller. */
const half = workingAtOnce / 2;

let test: TestApp;
/** A connection that sees the statements of every role. */
let owner: pg.Client;
beforeAll(async () => {
  test = await startTestApp({}, { retrievalThreads: 2 });
  owner = new pg.Client(test.databaseUrl);
  await owner.connect();
});
afterAll(async () => {
  await owner.end();
  await test.close();
});

describe('retrieval work', () => {
  let greedy: Client;
  let other: Client;
  let ofGreedy: TradingGraph;
  let ofOther: number;
  beforeAll(async () => {
    greedy = await test.asUser('greedy');
    other = await test.asUser('other');
    ofGreedy = await createTradingGraph(test, greedy);
    ofOther = (await other.post('/api/graphs').send({ name: '别的图' }).expect(201)).body.id;
    // Loads the graphs first, so that cold starts are not measured.
    await other.post(`/api/graphs/${ofOther}/query`).send({ search: '冷启动' }).expect(200);
  });

  const queryUrl = () => `${test.url}/api/graphs/${ofGreedy.id}/query`;
  const send = (client: Client, body: object, signal?: AbortSignal) =>
    fetch(queryUrl(), {
      method: 'POST',
      headers: { Authorization: `Bearer ${client.token}`, 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
      ...(signal ? { signal } : {}),
    });
  const working = async () => {
    const { rows } = await owner.query(
      `SELECT count(*)::int AS n FROM pg_stat_activity
       WHERE datname = current_database() AND application_name = 'graph-service retrieval' AND state = 'active' AND backend_type = 'client backend'`,
    );
    return rows[0].n as number;
  };
  const cancelWork = () =>
    owner.query(
      `SELECT pg_cancel_backend(pid) FROM pg_stat_activity
       WHERE datname = current_database() AND application_name = 'graph-service retrieval' AND state = 'active'`,
    );
  const untilWorking = async (wanted: (count: number) => boolean | Promise<boolean>) => {
    for (const deadline = Date.now() + 120_000; !(await wanted(await working()));) {
      if (Date.now() > deadline) throw new Error(`${await working()} statements are running`);
      await sleep(50);
    }
  };

  it("answers another user's search while twelve slow queries of one user go on", async () => {
    const ended: string[] = [];
    const slow = Array.from({ length: 12 }, (_, number) =>
      send(greedy, { cypher: slowCypher(number), timeout_ms: 5_000 }).then(({ status }) => ended.push(`slow ${status}`)),
    );
    await untilWorking(count => count >= half);
    const started = performance.now();
    await other.post(`/api/graphs/${ofOther}/query`).send({ search: '华为' }).expect(200);
    ended.push('search');
    process.stdout.write(`a search beside twelve slow queries: ${Math.round(performance.now() - started)} ms\n`);
    expect(ended).toEqual(['search']);
    expect(await working()).toBeLessThanOrEqual(half);
    await Promise.all(slow);
    // Half of them had a place and timed out (400). The others waited for a place just as long (503).
    expect(ended.filter(end => end === 'slow 400').length).toBeGreaterThanOrEqual(half);
    expect(new Set(ended)).toEqual(new Set(['search', 'slow 400', 'slow 503']));
  });

  it('sends a process no more queries of one user than it takes', async () => {
    const retrieval = test.app.get(RetrievalClient);
    let end!: (error: Error) => void;
    const gate = new Promise<never>((_, reject) => (end = reject));
    const sent = jest.spyOn(retrieval, 'query').mockReturnValue(gate);
    const answers = Array.from({ length: mostOfOneCaller + 20 }, (_, number) => send(greedy, { question: `问题 ${number}` }));
    // The 20 requests that are too many are refused while the others wait for retrieval.
    let refused = 0;
    for (const answer of answers) void answer.then(({ status }) => (refused += status === 503 ? 1 : 0));
    for (const deadline = Date.now() + 60_000; refused < 20 && Date.now() < deadline;) await sleep(50);
    expect([refused, sent.mock.calls.length]).toEqual([20, mostOfOneCaller]);
    end(new RetrievalBusyError(1));
    const statuses = (await Promise.all(answers)).map(({ status }) => status);
    expect(new Set(statuses)).toEqual(new Set([503]));
    expect(sent).toHaveBeenCalledTimes(mostOfOneCaller);
    sent.mockRestore();
  });

  it('gives no more work to a client who hangs up again and again', async () => {
    await untilWorking(count => count === 0);
    let isFull = false;
    // On a busy machine some of the seven clients hang up before their request is accepted, so more rounds may be needed.
    for (let round = 0; round < 60 && !isFull; round++) {
      const gone = new AbortController();
      const sent = Array.from({ length: 7 }, (_, number) =>
        send(greedy, { cypher: slowCypher(100 + round * 7 + number) }, gone.signal).then(
          ({ status }) => (isFull ||= status === 503),
          () => undefined,
        ),
      );
      await sleep(500);
      gone.abort();
      await Promise.all(sent);
      expect(await working()).toBeLessThanOrEqual(half);
    }
    // The work of clients who hung up still counts: half of the places are taken, fifty queries wait, and the next query is refused.
    const refused = await send(greedy, { cypher: slowCypher(999) });
    expect(refused.status).toBe(503);
    expect(refused.headers.get('retry-after')).toMatch(/^[1-9]\d?$/);
    expect(await working()).toBe(half);
    await other.post(`/api/graphs/${ofOther}/query`).send({ search: '华为', cache: 'refresh' }).expect(200);
    expect(await working()).toBe(half);
    // A waiting query starts when an earlier one ends. Then it is cancelled too.
    await untilWorking(async count => {
      await cancelWork();
      return count === 0;
    });
  }, 240_000);
});

describe('a flood of logins from one address', () => {
  it('leaves a turn to a login from another address', async () => {
    const flooded = await startTestApp({ BCRYPT_COST: '9', WORKER: 'off', TRUST_PROXY: '1' });
    try {
      const login = (address: string) =>
        flooded.anonymous.post('/api/auth/login').set('X-Forwarded-For', address).send({ username: 'admin', password: 'wrong' });
      const ended: string[] = [];
      const flood = Array.from({ length: 150 }, () => login('192.0.2.1').then(({ status }) => ended.push(`flood ${status}`)));
      // The first refusal shows that the queue is full.
      while (!ended.includes('flood 503')) await sleep(5);
      await login('198.51.100.1').expect(401);
      ended.push('other');
      await Promise.all(flood);
      expect(ended.slice(ended.indexOf('other'))).toContain('flood 401');
    } finally {
      await flooded.close();
    }
  });
});
