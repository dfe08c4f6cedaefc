import { cloneDatabase, type TestDatabase } from './support/database.js';
import { DatabaseProxy } from './support/database-proxy.js';
import { firstToken, ServiceProcess } from './support/service-process.js';

const mapping = `version: 1
nodes:
  - {id: a, label: 甲, table: ends_of_test, key: [a], columns: [{column: a}]}
  - {id: b, label: 乙, table: ends_of_test, key: [b], columns: [{column: b}]}
edges:
  - {type: 连, table: ends_of_test, from: {node: a, match: {a: a}}, to: {node: b, match: {b: b}}, key: [a]}
`;

/** Statements that the service runs by the clock, without any query. */
const byTheClock = /^SELECT 1$|ingestion_runs|pg_stat_activity|pg_is_in_recovery|SELECT now\(\)/;

describe('the statements of one query', () => {
  let database: TestDatabase;
  let proxy: DatabaseProxy;
  let service: ServiceProcess;
  let token: string;
  beforeAll(async () => {
    database = await cloneDatabase();
    proxy = await DatabaseProxy.start(database.url);
    service = await ServiceProcess.start({ environment: { DATABASE_URL: proxy.url, LOG_LEVEL: 'error' } });
    token = await firstToken(service.url);
  }, 120_000);
  afterAll(async () => {
    await service?.kill();
    await proxy?.stop();
    await database?.drop();
  }, 60_000);

  async function send(method: string, path: string, body: object | string): Promise<any> {
    const type = typeof body === 'string' ? 'text/csv' : 'application/json';
    const response = await fetch(`${service.url}/api${path}`, {
      method,
      headers: { Authorization: `Bearer ${token}`, Prefer: 'wait=60', 'Content-Type': type },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    return response.json();
  }

  it('are seven: the caller, their limits, their role, the stored answer, a snapshot with its version, the rows, and their evidence', async () => {
    await send('PUT', '/warehouse/connections/1/tables/ends_of_test', 'a,b\n1,2\n3,4\n');
    const { id } = await send('POST', '/graphs', { name: 'g' });
    const job = await send('POST', '/ingestion/jobs', { graph_id: id, mapping_yaml: mapping });
    await send('POST', `/ingestion/jobs/${job.id}/run`, {});
    const ask = (limit: number): Promise<any> =>
      send('POST', `/graphs/${id}/query`, { cypher: 'MATCH (a:甲)-[:连]->(b) RETURN a, b', limit, include: ['graph'] });
    // The first query reads the schema of the graph and fills pools.
    for (let limit = 10; limit < 14; limit++) await ask(limit);
    proxy.ran.length = 0;
    const answer = await ask(20);
    expect(answer).toMatchObject({ cache: { status: 'miss' }, rows: [{}, {}], graph: { nodes: [{}, {}, {}, {}], edges: [{}, {}] } });
    const ran = proxy.ran.filter(text => !byTheClock.test(text) || text.includes('found.*'));
    // Storing the answer and ending the snapshot happen after the response.
    const awaited = ran.filter(text => text !== 'ROLLBACK' && !text.includes('INTO queries') && !text.includes("'queries'"));
    expect(awaited).toHaveLength(7);
    proxy.ran.length = 0;
    expect((await ask(20)).cache.status).toBe('hit');
    expect(proxy.ran.filter(text => !byTheClock.test(text) && text !== 'ROLLBACK' && !text.includes('INTO queries'))).toHaveLength(4);
  });
});
