import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { graphTables } from '../src/database/graph-tables.js';
import { cloneDatabase, type TestDatabase } from './support/database.js';
import { DatabaseProxy } from './support/database-proxy.js';
import { freePort } from './support/free-port.js';
import { firstToken, ServiceProcess } from './support/service-process.js';

const mapping = `version: 1
nodes:
  - {id: r, label: 行, table: rows_of_test, key: [id], columns: [{column: id}]}
`;

let database: TestDatabase;
let proxy: DatabaseProxy;
let service: ServiceProcess;
let token: string;
let metricsPort: number;
beforeAll(async () => {
  database = await cloneDatabase();
  proxy = await DatabaseProxy.start(database.url);
  metricsPort = await freePort();
  const environment = { DATABASE_URL: proxy.url, METRICS_PORT: String(metricsPort), LOG_LEVEL: 'error' };
  service = await ServiceProcess.start({ environment });
  token = await firstToken(service.url);
});
afterAll(async () => {
  await service?.kill();
  await proxy?.stop();
  await database?.drop();
});

async function send(
  method: string,
  path: string,
  body?: object | string,
  type = 'application/json',
  headers: Record<string, string> = {},
): Promise<{ status: number; body: any }> {
  const response = await fetch(`${service.url}/api${path}`, {
    method,
    headers: { Authorization: `Bearer ${token}`, Prefer: 'wait=60', ...headers, ...(body === undefined ? {} : { 'Content-Type': type }) },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  return { status: response.status, body: await response.json() };
}

describe('a COMMIT whose answer is lost', () => {
  async function inDatabase(sql: string, values: unknown[]): Promise<pg.QueryResult> {
    const client = new pg.Client(database.url);
    await client.connect();
    return client.query(sql, values).finally(() => client.end());
  }

  /** The metric lines that count ended runs, one for each outcome. */
  async function runsEnded(): Promise<string> {
    const text = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
    return text
      .split('\n')
      .filter(line => line.startsWith('ingestion_runs_total{'))
      .join();
  }

  it('leaves a run succeeded, with its rows once', async () => {
    expect((await send('PUT', '/warehouse/connections/1/tables/rows_of_test', 'id\n1\n2\n3\n', 'text/csv')).status).toBeLessThan(300);
    const graphId = (await send('POST', '/graphs', { name: '图' })).body.id;
    const jobId = (await send('POST', '/ingestion/jobs', { graph_id: graphId, mapping_yaml: mapping })).body.id;
    proxy.loseCommit("status = 'succeeded', phase = NULL");
    const { body: run } = await send('POST', `/ingestion/jobs/${jobId}/run`);
    expect(proxy.isCommitAwaited).toBe(false);
    expect(run).toMatchObject({ status: 'succeeded', attempt: 1, error: null, report: { graph_version: 1, totals: { inserted: 3 } } });
    // Once the metric counts the run, the worker has treated it as succeeded, so it will not be started again.
    for (const deadline = Date.now() + 10_000; !(await runsEnded()) && Date.now() < deadline;) await sleep(20);
    expect(await runsEnded()).toBe('ingestion_runs_total{status="succeeded"} 1');
    expect((await send('GET', `/ingestion/runs/${run.id}`)).body).toEqual(run);
    expect((await send('GET', `/graphs/${graphId}`)).body).toMatchObject({ version: 1, node_count: 3 });
    expect((await send('GET', `/graphs/${graphId}/schema`)).body.nodes).toMatchObject([{ count: 3 }]);
    const { rows } = await inDatabase(`SELECT count(*)::int AS nodes FROM ${graphTables(graphId).nodes}`, []);
    expect(rows).toEqual([{ nodes: 3 }]);
  });

  it('leaves a record created, though the answer is a 500, which says so', async () => {
    proxy.loseCommit('INSERT INTO graphs');
    const { status, body } = await send('POST', '/graphs', { name: '未知' });
    expect(proxy.isCommitAwaited).toBe(false);
    expect({ status, code: body.code }).toEqual({ status: 500, code: 'database_unavailable' });
    expect(body.detail).toContain('look before you repeat it');
    const { body: list } = await send('GET', '/graphs');
    expect(list.items.filter(({ name }: { name: string }) => name === '未知')).toHaveLength(1);
  });

  it('is not repeated under an Idempotency-Key: the answer says where to look', async () => {
    proxy.loseCommit('INSERT INTO graphs');
    expect((await create('生效', 'kept')).status).toBe(500);
    for (let repeat = 0; repeat < 2; repeat++) {
      expect(await create('生效', 'kept')).toMatchObject({
        status: 409,
        body: { code: 'idempotency_answer_lost', context: { listed_at: '/api/graphs' } },
      });
    }
    expect(await countGraphs('生效')).toBe(1);
  });

  it('leaves the Idempotency-Key free if the transaction was lost before it', async () => {
    const locker = new pg.Client(database.url);
    await locker.connect();
    await locker.query('BEGIN; LOCK TABLE graphs IN ACCESS EXCLUSIVE MODE');
    proxy.ran.length = 0;
    const lost = create('未生效', 'free');
    while (!proxy.ran.some(text => text.startsWith('INSERT INTO graphs'))) await sleep(20);
    proxy.cut();
    await locker.end();
    expect((await lost).status).toBe(500);
    for (let repeat = 0; repeat < 2; repeat++) expect((await create('未生效', 'free')).status).toBe(201);
    expect(await countGraphs('未生效')).toBe(1);
  });

  const create = (name: string, key: string) => send('POST', '/graphs', { name }, 'application/json', { 'Idempotency-Key': key });
  const countGraphs = async (name: string) => (await inDatabase('SELECT id FROM graphs WHERE name = $1', [name])).rows.length;
});

describe('the statements of one query', () => {
  const mapping = `version: 1
nodes:
  - {id: a, label: 甲, table: ends_of_test, key: [a], columns: [{column: a}]}
  - {id: b, label: 乙, table: ends_of_test, key: [b], columns: [{column: b}]}
edges:
  - {type: 连, table: ends_of_test, from: {node: a, match: {a: a}}, to: {node: b, match: {b: b}}, key: [a]}
`;

  /** Matches statements that the service runs periodically, independent of any query. */
  const byTheClock =
    /^(SELECT 1|BEGIN|COMMIT)$|lock_timeout|query_runs|ingestion_runs|mirror_copies|metric_watches|claims of|schedules|webhook_deliveries|pg_stat_activity|pg_is_in_recovery|SELECT now\(\)/;

  async function sent(method: string, path: string, body: object | string): Promise<any> {
    const { status, body: answer } = await send(method, path, body, typeof body === 'string' ? 'text/csv' : undefined);
    if (status >= 300) throw new Error(`${method} ${path}: ${status} ${JSON.stringify(answer)}`);
    return answer;
  }

  it('are four: the caller with their role, their limits, the stored answer, and the evidence of the rows with the version', async () => {
    await sent('PUT', '/warehouse/connections/1/tables/ends_of_test', 'a,b\n1,2\n3,4\n');
    const { id } = await sent('POST', '/graphs', { name: 'g' });
    const job = await sent('POST', '/ingestion/jobs', { graph_id: id, mapping_yaml: mapping });
    await sent('POST', `/ingestion/jobs/${job.id}/run`, {});
    const ask = (limit: number): Promise<any> =>
      sent('POST', `/graphs/${id}/query`, { cypher: 'MATCH (a:甲)-[:连]->(b) RETURN a, b', limit, include: ['graph', 'plan'] });
    // The first query reads the schema of the graph and starts loading it, so queries are sent until memory answers.
    for (let limit = 10; (await ask(limit)).plan.executor !== 'memory'; limit++) await sleep(50);
    proxy.ran.length = 0;
    const answer = await ask(9);
    expect(answer).toMatchObject({ cache: { status: 'miss' }, rows: [{}, {}], graph: { nodes: [{}, {}, {}, {}], edges: [{}, {}] } });
    const ran = proxy.ran.filter(text => !byTheClock.test(text) || text.includes('found.*'));
    // The answer is stored after the response. On a slow machine the query is also claimed as a slow one.
    const isLater = (text: string) => text === 'ROLLBACK' || /INTO queries|'queries'|query_claims/.test(text);
    expect(ran.filter(text => !isLater(text))).toHaveLength(4);
    proxy.ran.length = 0;
    expect((await ask(9)).cache.status).toBe('hit');
    expect(proxy.ran.filter(text => !byTheClock.test(text) && !isLater(text))).toHaveLength(3);
  });
});
