import { graphTables } from '../../src/database/graph-tables.js';
import { type Client, type TestApp, client, adminPassword, grantConnection, userPassword } from '../support/app.js';
import { createTradingGraph } from '../support/trading-graph.js';
import { type Operation } from './operations.js';

/** One record of each kind that a path or a body can name, and the people who send requests. */
export interface Fixture {
  graphId: number;
  /** The id of an existing record for a path parameter. */
  idFor(operation: Pick<Operation, 'path'>, parameter: string): string;
  /** Replaces ids in a body by ids of existing records. */
  withRealIds(body: unknown): unknown;
  /** The token of a person. After `forgetToken` a new one is made. */
  tokenOf(person: Person): Promise<string | null>;
  forgetToken(person: Person): void;
}

export type Person = 'admin' | 'user' | 'bystander' | 'anonymous';

const username = { admin: 'admin', user: 'reader', bystander: 'bystander' };

export async function createFixture(test: TestApp): Promise<Fixture> {
  const trading = await createTradingGraph(test, test.admin);
  const graphId = trading.id;
  const one = async (sql: string, values: unknown[] = []) => String((await test.pool.query(sql, values)).rows[0].id);
  const user = await test.asUser('reader');
  await test.asUser('bystander');
  await grantConnection(test, 'reader', 'write');
  const userId = await one(`SELECT id FROM users WHERE username = 'reader'`);
  // Requests may change and disable this user, who sends no requests.
  await test.anonymous.post('/api/auth/register').send({ username: 'changed', password: userPassword });
  const changed = await one(`SELECT id FROM users WHERE username = 'changed'`);
  await test.admin.post(`/api/permissions/graphs/${graphId}/members`).send({ username: 'reader', role: 'editor' }).expect(201);
  const query = await test.admin.post(`/api/graphs/${graphId}/query`).send({ cypher: 'MATCH (n:客户) RETURN n LIMIT 1' }).expect(200);
  const key = await test.admin
    .post('/api/api-keys')
    .send({ name: 'k', graph_ids: [graphId] })
    .expect(201);
  const jobId = await one('SELECT id FROM ingestion_jobs WHERE graph_id = $1', [graphId]);
  const hooks = `/api/ingestion/jobs/${jobId}/webhooks`;
  const hook = await test.admin.post(hooks).send({ url: 'https://hooks.example/graph' }).expect(201);
  const delivery = await test.admin.post(`${hooks}/${hook.body.id}/test`).expect(202);
  const watches = `/api/metrics/${trading.metricId}/watches`;
  const watch = await test.admin
    .post(watches)
    .send({ cron: '0 0 1 1 *', condition: { op: '>', value: '0' }, url: 'https://hooks.example/graph' })
    .expect(201);
  const alert = await test.admin.post(`${watches}/${watch.body.id}/test`).expect(202);
  const saved = await test.admin
    .post(`/api/graphs/${graphId}/saved-queries`)
    .send({ name: 's', request: { search: 'x' } })
    .expect(201);
  const ids: Record<string, string> = {
    saved: String(saved.body.id),
    watch: String(watch.body.id),
    alert: String(alert.body.id),
    webhook: String(hook.body.id),
    delivery: String(delivery.body.id),
    graph: String(graphId),
    metric: String(trading.metricId),
    job: jobId,
    run: await one('SELECT r.id FROM ingestion_runs r JOIN ingestion_jobs j ON j.id = r.job_id WHERE j.graph_id = $1', [graphId]),
    node: await one(`SELECT id FROM ${graphTables(graphId).nodes} ORDER BY id LIMIT 1`),
    query: String(query.body.query_id),
    key: String(key.body.id),
    user: changed,
    connection: '1',
  };
  const tokens: Partial<Record<Person, string | null>> = { admin: test.admin.token, user: user.token };
  const login = async (anyone: Client, username: string, password: string) =>
    ((await anyone.post('/api/auth/login').send({ username, password })).body as { token: string }).token;

  return {
    graphId,
    idFor({ path }, parameter) {
      if (parameter === 'node_id') return ids.node!;
      if (parameter === 'query_id') return ids.query!;
      if (parameter === 'saved_query_id') return ids.saved!;
      if (parameter === 'webhook_id') return ids.webhook!;
      if (parameter === 'watch_id') return ids.watch!;
      if (parameter === 'delivery_id') return path.includes('/watches/') ? ids.alert! : ids.delivery!;
      // The user named `changed`. Requests may change or disable this user, because no test sends requests as that user.
      if (parameter === 'user_id') return ids.user!;
      if (parameter === 'table') return 'customers';
      if (path.includes('/jobs/')) return ids.job!;
      if (path.includes('/runs/')) return ids.run!;
      if (path.includes('/metrics/')) return ids.metric!;
      if (path.includes('/users/')) return ids.user!;
      if (path.includes('/api-keys/')) return ids.key!;
      if (path.includes('/connections/')) return ids.connection!;
      return ids.graph!;
    },
    withRealIds(body) {
      if (typeof body !== 'object' || body === null || Array.isArray(body)) return body;
      const known: Record<string, unknown> = { graph_id: graphId, graph_ids: [graphId], user_id: Number(userId) };
      return Object.fromEntries(Object.entries(body).map(([name, value]) => [name, known[name] ?? value]));
    },
    async tokenOf(person) {
      if (person === 'anonymous') return null;
      tokens[person] ??= await login(client(test.url, null), username[person], person === 'admin' ? adminPassword : userPassword);
      return tokens[person];
    },
    forgetToken(person) {
      delete tokens[person];
    },
  }; // prettier-ignore
}
