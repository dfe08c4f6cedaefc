import { setTimeout as sleep } from 'node:timers/promises';
import { type RetrievalHealth } from '../src/retrieval/protocol.js';
import { exchange } from '../src/retrieval/exchange.js';
import { rankProcesses } from '../src/retrieval/rank-processes.js';
import { RemoteRetrieval } from '../src/retrieval/remote-retrieval.js';
import { Telemetry } from '../src/telemetry/telemetry.service.js';
import { type Client, startTestApp, type TestApp } from './support/app.js';
import { DeployedRetrieval, retrievalKey } from './support/retrieval-process.js';
import { createTradingGraph } from './support/trading-graph.js';

const queries: [body: object, rows: (n: number) => unknown[][]][] = [
  [{ cypher: 'MATCH (r:地区) RETURN count(r) + $n AS n' }, n => [[3 + n]]],
  [{ cypher: 'MATCH p = (:客户)-[:下单]->(:订单) RETURN count(p) + $n AS n' }, n => [[5 + n]]],
];

describe('three retrieval processes', () => {
  let test: TestApp;
  let owner: Client;
  let graphs: number[];
  const processes: DeployedRetrieval[] = [];
  beforeAll(async () => {
    test = await startTestApp(
      {},
      {
        retrieval: async access => {
          for (let i = 0; i < 3; i++) {
            processes.push(await DeployedRetrieval.start({ DATABASE_RETRIEVAL_URL: access.retrieval, RETRIEVAL_KEY: retrievalKey }));
          }
          return { urls: processes.map(({ url }) => url), key: retrievalKey };
        },
      },
    );
    owner = await test.asUser('owner');
    graphs = [];
    for (let i = 0; i < 3; i++) graphs.push((await createTradingGraph(test, owner)).id);
  });
  afterAll(async () => {
    for (const process of processes) await process.kill();
    await test.close();
  });

  const nameOf = ({ url }: DeployedRetrieval) => new RemoteRetrieval(url).name;
  const firstOf = (graphId: number) => {
    const [first] = rankProcesses(graphId, processes.map(process => ({ name: nameOf(process), process }))); // prettier-ignore
    return first!.process;
  };
  const states = async () => (await test.anonymous.get('/health/ready').expect(200)).body;
  const healthOf = async ({ url }: DeployedRetrieval) => {
    const request = { ...(await new RemoteRetrieval(url).address()), agent: false as const, path: '/v1/health' };
    const { bytes } = await exchange(request, { timeoutMs: 5_000, key: retrievalKey });
    return JSON.parse(bytes.toString()) as RetrievalHealth;
  };
  const up = () => processes.map(process => (new RegExp(`retrieval_up\\{process="${nameOf(process)}"\\} 1`).test(metrics) ? 1 : 0));
  let metrics = '';
  const readMetrics = async () => (metrics = (await test.app.get(Telemetry).expose()).text);
  async function untilUp(wanted: number[]): Promise<void> {
    for (const deadline = Date.now() + 20_000; ; await sleep(50)) {
      await readMetrics();
      if (String(up()) === String(wanted)) return;
      expect(Date.now()).toBeLessThan(deadline);
    }
  }

  it('lose no request and give right answers while one of them is killed under load, and comes back', async () => {
    await untilUp([1, 1, 1]);
    expect(await states()).toEqual({
      status: 'ok',
      checks: { database: 'ok', retrieval: 'ok', retrieval_processes: ['ok', 'ok', 'ok'] },
    });
    const victim = firstOf(graphs[0]!);
    let isOver = false;
    let asked = 0;
    const wrong: unknown[] = [];
    const load = Array.from({ length: 8 }, async () => {
      while (!isOver) {
        const n = asked++;
        const [body, rows] = queries[n % queries.length]!;
        const answer = await owner
          .post(`/api/graphs/${graphs[n % graphs.length]}/query`)
          .send({ ...body, parameters: { n }, cache: 'refresh', timeout_ms: 30_000 });
        if (answer.status !== 200 || JSON.stringify(answer.body.rows) !== JSON.stringify(rows(n)))
          wrong.push([n, answer.status, answer.body]);
      }
    });
    const more = async (count: number) => {
      for (const enough = asked + count, deadline = Date.now() + 60_000; asked < enough; await sleep(20)) {
        expect(Date.now()).toBeLessThan(deadline);
      }
    };
    await more(60);
    await victim.kill('SIGKILL');
    await more(60);
    await untilUp(processes.map(process => (process === victim ? 0 : 1)));
    expect((await states()).checks.retrieval_processes).toEqual(processes.map(process => (process === victim ? 'unavailable' : 'ok')));
    await victim.startAgain();
    await untilUp([1, 1, 1]);
    await more(60);
    isOver = true;
    await Promise.all(load);
    expect(wrong).toEqual([]);
    // The restarted process has loaded all graphs for which it is the first choice.
    const own = graphs.filter(id => firstOf(id) === victim).length;
    expect([(await healthOf(victim)).graphs, own]).toEqual([own, own]);
  }, 180_000);
});
