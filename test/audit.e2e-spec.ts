import { type Response, type Test } from 'supertest';
import { accessTable } from './access/access-table.js';
import { type Audited, auditTable } from './access/audit-table.js';
import { type Client, client, startTestApp, type TestApp, userPassword } from './support/app.js';
import { ended } from './support/mirror-copies.js';

let test: TestApp;
beforeAll(async () => {
  test = await startTestApp();
});
afterAll(() => test.close());

const mapping = (table: string) => `version: 1\nnodes:\n  - {id: r, label: 行, table: ${table}, key: [id], columns: [{column: id}]}\n`;

describe('the audit', () => {
  it('is decided for every route that may change something', () => {
    const changing = Object.keys(accessTable).filter(route => !route.startsWith('GET '));
    expect(new Set(Object.keys(auditTable))).toEqual(new Set(changing));
  });

  it('has the first admin, whom the service made at its first start', async () => {
    const { rows } = await test.pool.query(
      `SELECT actor_id, context FROM audit_events e JOIN users u ON u.id = e.target_id AND u.username = 'admin'
       WHERE action = 'user.created' AND target = 'user'`,
    );
    expect(rows).toEqual([{ actor_id: null, context: { username: 'admin', is_admin: true } }]);
  });

  it('has an event of every route that changes who may do what, with who did it and to what', async () => {
    const { admin, pool } = test;
    const wrong: string[] = [];
    const tried = new Set<string>();
    const idOf = async (name: string): Promise<number> => (await pool.query('SELECT id FROM users WHERE username = $1', [name])).rows[0].id;
    /** Sends the request, and compares the only audit event with its request id. */
    const step = async (
      route: string,
      request: Test,
      { actor = 'admin', id }: { actor?: string; id?: number | null } = {},
    ): Promise<any> => {
      const { status, headers, body, text }: Response = await request;
      if (status >= 300) throw new Error(`${route}: ${status} ${text}`);
      tried.add(route);
      const { action, target } = auditTable[route] as Audited;
      const { rows } = await pool.query(
        'SELECT action, actor_id, actor, target, target_id FROM audit_events WHERE request_id = $1 ORDER BY id',
        [headers['x-request-id']],
      );
      const event = rows.find(row => row.action === action && row.target === target);
      const targetId = id === undefined ? (body.user_id ?? body.id) : id;
      const expected = { action, actor_id: await idOf(actor).catch(() => null), actor, target, target_id: targetId };
      if (JSON.stringify(event) !== JSON.stringify(expected))
        wrong.push(`${route}: ${JSON.stringify(rows)} instead of ${JSON.stringify(expected)}`);
      return body;
    };

    const account = { username: 'audited', password: userPassword };
    await test.anonymous.post('/api/auth/register').send({ username: 'other-one', password: userPassword }).expect(201);
    const other = await idOf('other-one');
    const { user_id: self } = await step('POST /auth/register', test.anonymous.post('/api/auth/register').send(account), {
      actor: 'audited',
    });
    const login = await step('POST /auth/login', test.anonymous.post('/api/auth/login').send(account), { actor: 'audited', id: self });
    const passwords = { old_password: userPassword, new_password: 'correct-horse-9' };
    let user: Client = client(test.url, login.token);
    const changed = await step('PUT /auth/password', user.put('/api/auth/password').send(passwords), { actor: 'audited', id: self });
    user = client(test.url, changed.token);
    await step('POST /auth/logout', user.post('/api/auth/logout'), { actor: 'audited', id: self });

    const { id: made } = await step('POST /users', admin.post('/api/users').send({ username: 'made' }));
    await step('PATCH /users/:id', admin.patch(`/api/users/${made}`).send({ disabled: true }), { id: made });
    await step('POST /users/:id/reset-password', admin.post(`/api/users/${made}/reset-password`), { id: made });
    await step('DELETE /users/:id', admin.delete(`/api/users/${made}`), { id: made });

    const { id: graph } = await step('POST /graphs', admin.post('/api/graphs').send({ name: '图' }));
    await step('PATCH /graphs/:id', admin.patch(`/api/graphs/${graph}`).send({ name: '新图' }));
    const { id: key } = await step('POST /api-keys', admin.post('/api/api-keys').send({ name: 'k', graph_ids: [graph] }));
    await step('POST /api-keys/:id/rotate', admin.post(`/api/api-keys/${key}/rotate`), { id: key });
    await step('DELETE /api-keys/:id', admin.delete(`/api/api-keys/${key}`), { id: key });
    const members = `/api/permissions/graphs/${graph}/members`;
    const member = { user_id: other, role: 'viewer' };
    await step('POST /permissions/graphs/:id/members', admin.post(members).send(member), { id: graph });
    await step('PATCH /permissions/graphs/:id/members/:user_id', admin.patch(`${members}/${other}`).send({ role: 'editor' }), {
      id: graph,
    });
    await step('DELETE /permissions/graphs/:id/members/:user_id', admin.delete(`${members}/${other}`), { id: graph });

    const connections = '/api/warehouse/connections';
    const dsn = 'postgres://a:b@127.0.0.1:1/c?sslmode=disable';
    const { id: far } = await step('POST /warehouse/connections', admin.post(connections).send({ name: 'audited', type: 'postgres', dsn }));
    await step('PATCH /warehouse/connections/:id', admin.patch(`${connections}/${far}`).send({ name: 'audited again' }));
    await step('POST /warehouse/connections/reseal', admin.post(`${connections}/reseal`), { id: null });
    const users = `/api/permissions/connections/${far}/users`;
    await step('POST /permissions/connections/:id/users', admin.post(users).send({ user_id: other, right: 'read' }), { id: far });
    await step('DELETE /permissions/connections/:id/users/:user_id', admin.delete(`${users}/${other}`), { id: far });
    const tables = `${connections}/1/tables`;
    const load = (table: string) => admin.put(`${tables}/${table}`).set('Content-Type', 'text/csv').send('id,amount\n1,2\n');
    await step('PUT /warehouse/connections/:id/tables/:table', load('audited'), { id: 1 });
    await load('dropped').expect(201);
    await step('DELETE /warehouse/connections/:id/tables/:table', admin.delete(`${tables}/dropped`), { id: 1 });

    const copy = (await step('POST /warehouse/connections/:id/mirror', admin.post(`${connections}/${far}/mirror`).send({ tables: [{ table: 'public.t', as: 'copied' }] }))).id; // prettier-ignore
    const copies = `/api/warehouse/mirror-copies/${copy}`;
    await ended(test, copy);
    await step('POST /warehouse/mirror-copies/:id/run', admin.post(`${copies}/run`), { id: copy });
    await ended(test, copy);
    await step('PUT /warehouse/mirror-copies/:id/schedule', admin.put(`${copies}/schedule`).send({ cron: '0 0 1 1 *' }), { id: copy });
    await step('DELETE /warehouse/mirror-copies/:id/schedule', admin.delete(`${copies}/schedule`), { id: copy });
    await step('DELETE /warehouse/mirror-copies/:id', admin.delete(copies), { id: copy });
    await step('DELETE /warehouse/connections/:id', admin.delete(`${connections}/${far}`), { id: far });

    const { id: job } = await step('POST /ingestion/jobs', admin.post('/api/ingestion/jobs').send({ graph_id: graph, mapping_yaml: mapping('audited') })); // prettier-ignore
    const jobs = `/api/ingestion/jobs/${job}`;
    await step('POST /ingestion/jobs/:id/revisions', admin.post(`${jobs}/revisions`).send({ mapping_yaml: mapping('audited') }), {
      id: job,
    });
    await step('PUT /ingestion/jobs/:id/schedule', admin.put(`${jobs}/schedule`).send({ cron: '0 0 1 1 *' }), { id: job });
    await step('DELETE /ingestion/jobs/:id/schedule', admin.delete(`${jobs}/schedule`), { id: job });
    const url = 'http://127.0.0.1:1/hook';
    const { id: hook } = await step('POST /ingestion/jobs/:id/webhooks', admin.post(`${jobs}/webhooks`).send({ url }), { id: job });
    const hooks = `${jobs}/webhooks/${hook}`;
    await step('PATCH /ingestion/jobs/:id/webhooks/:webhook_id', admin.patch(hooks).send({ enabled: false }), { id: job });
    await step('DELETE /ingestion/jobs/:id/webhooks/:webhook_id', admin.delete(hooks), { id: job });
    await step('POST /ingestion/jobs/:id/retire', admin.post(`${jobs}/retire`), { id: job });

    const binding = { relation: { table: 'audited' } };
    const { id: metric } = await step(
      'POST /metrics',
      admin.post('/api/metrics').send({ graph_id: graph, name: '额', formula: 'SUM(amount)' }),
    );
    const metrics = `/api/metrics/${metric}`;
    await step('PUT /metrics/:id/binding', admin.put(`${metrics}/binding`).send(binding), { id: metric });
    await step('PATCH /metrics/:id', admin.patch(metrics).send({ unit: '元' }));
    const entries = [{ kind: 'metric', name: '额', synonyms: ['营业额'] }];
    await step('POST /graphs/:id/lexicon', admin.post(`/api/graphs/${graph}/lexicon`).send({ entries }), { id: graph });
    const { body: lexicon } = await admin.get(`/api/graphs/${graph}/lexicon`).expect(200);
    await step('DELETE /graphs/:id/lexicon/:synonym_id', admin.delete(`/api/graphs/${graph}/lexicon/${lexicon.items[0].id}`), {
      id: graph,
    });
    const watch = { cron: '0 0 1 1 *', condition: { op: '>', value: '0' }, url };
    const { id: watched } = await step('POST /metrics/:id/watches', admin.post(`${metrics}/watches`).send(watch));
    const watches = `${metrics}/watches/${watched}`;
    await step('PATCH /metrics/:id/watches/:watch_id', admin.patch(watches).send({ enabled: false }), { id: watched });
    await step('DELETE /metrics/:id/watches/:watch_id', admin.delete(watches), { id: watched });
    await step('DELETE /metrics/:id', admin.delete(metrics), { id: metric });
    await step('DELETE /graphs/:id', admin.delete(`/api/graphs/${graph}`), { id: graph });

    expect(wrong).toEqual([]);
    const audited = Object.keys(auditTable).filter(route => typeof auditTable[route] !== 'string');
    expect(tried).toEqual(new Set(audited));
  });

  it('keeps at most 50,000 events of a user within a day, and refuses a change beyond them', async () => {
    const busy = await test.asUser('busy-one');
    const { user_id: id } = (await busy.get('/api/auth/me')).body;
    const create = () => busy.post('/api/graphs').send({ name: 'g' });
    await create().expect(201);
    await test.pool.query(
      `INSERT INTO audit_events (action, actor_id, actor, target, at)
       SELECT 'graph.changed', $1, 'busy-one', 'graph', now() - interval '23 h' FROM generate_series(1, 49996)`,
      [id],
    );
    await create().expect(201);
    const { body, headers } = await create().expect(429);
    expect(body).toMatchObject({ code: 'too_many_changes', context: { most: 50_000 } });
    expect(Number(headers['retry-after'])).toBeGreaterThan(3_500);
    expect((await busy.get('/api/graphs')).body.items).toHaveLength(2);
    await busy.post('/api/auth/logout').expect(204);
    const account = { username: 'busy-one', password: userPassword };
    const again = client(test.url, (await test.anonymous.post('/api/auth/login').send(account).expect(200)).body.token);
    await test.pool.query('DELETE FROM audit_events WHERE id IN (SELECT id FROM audit_events WHERE actor_id = $1 ORDER BY at LIMIT 3)', [
      id,
    ]);
    await again.post('/api/graphs').send({ name: 'g' }).expect(201);
  });
});
