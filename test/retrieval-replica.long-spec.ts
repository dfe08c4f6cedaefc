import { setTimeout as sleep } from 'node:timers/promises';
import { exchange } from '../src/retrieval/exchange.js';
import { type RetrievalHealth, type RetrievalQuery } from '../src/retrieval/protocol.js';
import { RemoteRetrieval } from '../src/retrieval/remote-retrieval.js';
import { RetrievalClient } from '../src/retrieval/retrieval.client.js';
import { peersOf } from '../src/retrieval/retrieval.module.js';
import { type Settings } from '../src/config/settings.js';
import { type ApiError } from '../src/common/errors/api-error.js';
import { type Client, startTestApp, type TestApp } from './support/app.js';
import { asSuperuser } from './support/database.js';
import { Replica } from './support/replica.js';
import { DeployedRetrieval } from './support/retrieval-process.js';
import { createTradingGraph, type TradingGraph } from './support/trading-graph.js';

/** A join that takes a second or more. */
const products = Array.from('abcdefghij', variable => `(${variable}:产品)`).join(', ');
const slow = (n: number) => `MATCH ${products} RETURN count(*) + ${n} AS n`;

describe('retrieval processes that read a streaming replica', () => {
  let replica: Replica;
  let test: TestApp;
  let owner: Client;
  let graph: TradingGraph;
  let database: string;
  /** Reads the replica, and the primary database when the replica cannot answer. */
  let both: DeployedRetrieval;
  let replicaOnly: DeployedRetrieval;
  let client: RetrievalClient;
  beforeAll(async () => {
    test = await startTestApp(
      {},
      {
        retrieval: async access => {
          replica = await Replica.start();
          database = /\/([^/?]+)\?/.exec(access.retrieval)![1]!;
          const place = replica.placeOf(database);
          both = await DeployedRetrieval.start({ DATABASE_RETRIEVAL_URL: access.retrieval, DATABASE_READ_URL: place });
          const login = /\/\/([^@]*)@/.exec(access.retrieval)![1]!;
          replicaOnly = await DeployedRetrieval.start({ DATABASE_READ_URL: place.replace('//@', `//${login}@`) });
          return { urls: [both.url] };
        },
      },
    );
    owner = await test.asUser('owner');
    graph = await createTradingGraph(test, owner);
    client = new RetrievalClient(peersOf({ urls: [replicaOnly.url] }), { answerMaxBytes: 1_048_576 } as Settings);
  });
  afterAll(async () => {
    client.onApplicationShutdown();
    for (const process of [both, replicaOnly]) await process.kill();
    await replica.remove();
    await test.close();
  });

  const ask = (body: object) => owner.post(`/api/graphs/${graph.id}/query`).send({ cache: 'refresh', ...body });
  const readsOf = async ({ url }: DeployedRetrieval) => {
    const request = { ...(await new RemoteRetrieval(url).address()), agent: false as const, path: '/v1/health' };
    return (JSON.parse((await exchange(request, { timeoutMs: 5_000 })).bytes.toString()) as RetrievalHealth).reads;
  };
  const askReplica = (text: string, least_version: number) => {
    const query: RetrievalQuery = { graph_id: graph.id, caller: '1', kind: 'cypher', text, limit: 10, timeout_ms: 30_000, today: '2026-01-01', least_version }; // prettier-ignore
    return client.query(query);
  };
  const versionOf = async (): Promise<number> => {
    const { rows } = await asSuperuser(test.databaseUrl, `SELECT version FROM graphs WHERE id = ${graph.id}`);
    return Number((rows[0] as { version: unknown }).version);
  };
  const caughtUp = async () => {
    const [{ lsn }] = (await asSuperuser(test.databaseUrl, 'SELECT pg_current_wal_lsn()::text AS lsn')).rows as [{ lsn: string }];
    while ((await replica.run(`SELECT pg_last_wal_replay_lsn() >= '${lsn}' AS is`))[0]!.is !== true) await sleep(20);
  };
  /** One request for each way in which retrieval reads the database. */
  const bodies = [{ search: '华为' }, { cypher: 'MATCH (r:地区) RETURN count(*) AS n' }, { cypher: 'MATCH p = (:客户)-->() RETURN count(p) AS n' }, { question: '有多少客户' }]; // prettier-ignore

  it('read only the replica while it keeps up', async () => {
    await caughtUp();
    // The service had the graph loaded when its run ended, perhaps from the primary, since the replica may have lagged.
    const before = await readsOf(both);
    for (const body of bodies) expect((await ask(body).expect(200)).body.graph_version).toBe(await versionOf());
    const after = await readsOf(both);
    expect([after.primary, after.replica > before.replica]).toEqual([before.primary, true]);
  });

  it('never answer with an older version than the service has, while the replica lags', async () => {
    await replica.pause();
    await graph.ingestAgain();
    const version = await versionOf();
    expect(version).toBe(2);
    for (let round = 0; round < 3; round++) {
      const answers = await Promise.all(bodies.map(body => ask(body)));
      expect(answers.map(({ status, body }) => [status, body.graph_version])).toEqual(bodies.map(() => [200, version]));
    }
    expect((await readsOf(both)).primary).toBeGreaterThan(0);
    const { status, code, headers } = (await askReplica('MATCH (r:地区) RETURN count(*) AS n', version).catch(
      (error: unknown) => error,
    )) as ApiError;
    expect([status, code, headers]).toEqual([503, 'replica_behind', { 'Retry-After': '2' }]);
    // A caller who has seen only the older version may get it.
    expect((await askReplica('MATCH (r:地区) RETURN count(*) AS n', 1)).graph_version).toBe(1);
  });

  it('do not say that a graph is gone which the replica has not heard of', async () => {
    const id = (await owner.post('/api/graphs').send({ name: '新图' }).expect(201)).body.id as number;
    const answer = await owner.post(`/api/graphs/${id}/query`).send({ search: '华为' });
    expect(answer.status).toBe(200);
  });

  it('read the replica again once it has caught up', async () => {
    await replica.resume();
    await caughtUp();
    const before = await readsOf(both);
    for (const body of bodies) expect((await ask(body).expect(200)).body.graph_version).toBe(2);
    const after = await readsOf(both);
    expect([after.primary, after.replica > before.replica]).toEqual([before.primary, true]);
    expect((await askReplica('MATCH (r:地区) RETURN count(*) AS n', 2)).graph_version).toBe(2);
  });

  it.each(['both', 'the replica only'])(
    'give the answer of a statement that recovery cancels, reading %s',
    async which => {
      await caughtUp();
      // A statement of this test on the replica may be cancelled by recovery too. It then counts as not found.
      const isFound = (statement: string) =>
        replica.run(statement).then(
          rows => rows.length > 0,
          () => false,
        );
      const isFoundWithin = async (statement: string, patienceMs: number) => {
        const deadline = Date.now() + patienceMs;
        while (!(await isFound(statement)) && Date.now() < deadline) await sleep(10);
        return Date.now() < deadline;
      };
      const ofDatabase = `WHERE datname = '${database}'`;
      const running = `SELECT FROM pg_stat_activity ${ofDatabase} AND state = 'active' AND query LIKE '%count(%'`;
      const readPrimary = async () => (await readsOf(both)).primary;
      const before = await readPrimary();
      const isCancelled = async () =>
        which === 'both'
          ? (await readPrimary()) === before + 1
          : // The test before caused one of the two conflicts. The server counts them some seconds later.
            isFoundWithin(`SELECT FROM pg_stat_database_conflicts ${ofDatabase} AND confl_snapshot >= 2`, 20_000);
      // Retries: on a busy machine the statement may end before recovery reaches the removed row versions.
      for (let attempt = 1; ; attempt++) {
        const cypher = slow(attempt);
        const answer = which === 'both' ? ask({ cypher }).then(({ body }) => body.rows) : askReplica(cypher, 2).then(({ rows }) => rows);
        expect(await isFoundWithin(running, 20_000)).toBe(true);
        // Removes row versions that the statement may still see.
        await asSuperuser(test.databaseUrl, 'UPDATE graphs SET version = version');
        await asSuperuser(test.databaseUrl, 'VACUUM graphs');
        expect(await answer).toEqual([[5 ** 10 + attempt]]);
        if (await isCancelled()) break;
        expect(attempt).toBeLessThan(4);
      }
    },
    150_000,
  );

  it('read the database while the replica is away', async () => {
    const answers = async () => (await Promise.all(bodies.map(body => ask(body)))).map(({ status, body }) => [status, body.graph_version]);
    await replica.remove();
    expect(await answers()).toEqual(bodies.map(() => [200, 2]));
    const { status } = (await askReplica('MATCH (r:地区) RETURN count(*) AS n', 2).catch((error: unknown) => error)) as ApiError;
    expect(status).toBe(500);
  });
});
