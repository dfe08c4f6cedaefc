import { type Client, grantConnection, startTestApp, type TestApp, userPassword } from './support/app.js';
import { upload } from './support/ingestion.js';

/** The limits of a user and a graph. Many requests ask at once: a count that does not see the others would let each of them in. */
describe('quotas', () => {
  let test: TestApp;
  let user: Client;
  let graphId: number;
  beforeAll(async () => {
    test = await startTestApp({ WORKER: 'off', MAX_GRAPHS_PER_USER: '4', MAX_API_KEYS_PER_USER: '3', MAX_RECORDS_PER_GRAPH: '2' });
    user = await test.asUser('many');
    await grantConnection(test, 'many');
    await upload(test, 'staff', 'id\n1\n');
    graphId = (await user.post('/api/graphs').send({ name: '一' }).expect(201)).body.id;
  });
  afterAll(() => test.close());

  /** Sends eight requests at once. Returns how many created a record and how many were refused. */
  async function ask(request: (i: number) => Promise<{ status: number; body: { code?: string } }>): Promise<Record<string, number>> {
    const counts: Record<string, number> = {};
    for (const { status, body } of await Promise.all([...Array(8).keys()].map(request))) {
      const outcome = body.code ? `${status} ${body.code}` : String(status);
      counts[outcome] = (counts[outcome] ?? 0) + 1;
    }
    return counts;
  }

  const graph = (as: Client) => as.post('/api/graphs').send({ name: '图' });
  const key = (as: Client) => as.post('/api/api-keys').send({ name: 'k', graph_ids: [graphId] });
  const metric = (as: Client, name: string) => as.post('/api/metrics').send({ graph_id: graphId, name, formula: 'SUM(x)' });
  const mapping = 'version: 1\nnodes:\n  - {id: p, label: 员工, table: staff, key: [id], columns: [{column: id, type: int}]}\n';
  const job = (as: Client) => as.post('/api/ingestion/jobs').send({ graph_id: graphId, mapping_yaml: mapping });
  const member = (as: Client, username: string) => as.post(`/api/permissions/graphs/${graphId}/members`).send({ username, role: 'viewer' });

  it('bound the graphs that a user owns', async () => {
    expect(await ask(() => graph(user))).toEqual({ 201: 3, '409 quota_reached': 5 });
    const { body } = await graph(user).expect(409);
    expect(body.detail).toMatch(/已拥有 4 个图.*MAX_GRAPHS_PER_USER.*You own 4 graphs; delete one/s);
    await user.delete(`/api/graphs/${(await user.get('/api/graphs').expect(200)).body.items.at(-1).id}`).expect(204);
    await graph(user).expect(201);
    await graph(await test.asUser('another')).expect(201);
  });

  it('bound the API keys in force', async () => {
    expect(await ask(() => key(user))).toEqual({ 201: 3, '409 quota_reached': 5 });
    const { id } = (await user.get('/api/api-keys').expect(200)).body.items[0];
    await user.delete(`/api/api-keys/${id}`).expect(204);
    await key(user).expect(201);
    await key(user).expect(409);
  });

  it('bound the metrics and the jobs of a graph', async () => {
    expect(await ask(i => metric(user, `额${i}`))).toEqual({ 201: 2, '409 quota_reached': 6 });
    expect(await ask(() => job(user))).toEqual({ 201: 2, '409 quota_reached': 6 });
  });

  it('bound the members of a graph, whose roles may still change', async () => {
    const names = [...Array(8).keys()].map(i => `guest-${i}`);
    for (const username of names) await test.anonymous.post('/api/auth/register').send({ username, password: userPassword }).expect(201);
    expect(await ask(i => member(user, names[i]!))).toEqual({ 201: 2, '409 quota_reached': 6 });
    const [{ username }] = (await user.get(`/api/permissions/graphs/${graphId}/members`).expect(200)).body.items;
    await member(user, username).expect(200);
  });

  it('are set by admins and do not apply to them', async () => {
    for (let i = 0; i < 6; i++) await graph(test.admin).expect(201);
    await metric(test.admin, '管').expect(201);
    await job(test.admin).expect(201);
  });
});
