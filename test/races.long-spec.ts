import http, { type IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { type PoolClient } from 'pg';
import { type Response } from 'supertest';
import { type Client, client, startTestApp, type TestApp, userPassword, grantConnection } from './support/app.js';
import { asSuperuser } from './support/database.js';
import { upload } from './support/ingestion.js';

let test: TestApp;
beforeAll(async () => {
  test = await startTestApp({
    WORKER: 'off',
    LOG_LEVEL: 'silent',
    MAX_GRAPHS_PER_USER: '4',
    MAX_API_KEYS_PER_USER: '3',
    MAX_RECORDS_PER_GRAPH: '2',
  });
});
afterAll(() => test.close());

const newPassword = 'correct-horse-9';

async function newKey(user: Client, graphId: number): Promise<{ id: number }> {
  const { body } = await user.post('/api/api-keys').send({ name: 'k', graph_ids: [graphId] }).expect(201); // prettier-ignore
  return body;
}

/**
 * A lock decides each race: a transaction of the test locks a row, a request runs until it waits for that row, and the transaction commits.
 * The request has read the state before the commit and goes on with the state after it.
 */
describe('requests that overtake each other', () => {
  let users = 0;

  async function newUser(): Promise<Client & { id: number; username: string }> {
    const username = `racer-${users++}`;
    const user = await test.asUser(username);
    return { ...user, username, id: (await user.get('/api/auth/me')).body.user_id };
  }

  async function overtake(slow: () => PromiseLike<Response>, quick: (client: PoolClient) => Promise<unknown>): Promise<Response> {
    let answer: Promise<Response>;
    await test.pool.transaction(async client => {
      await quick(client);
      answer = Promise.resolve(slow());
      const waiting = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
      while ((await test.pool.query(waiting)).rowCount === 0) await sleep(5);
    });
    return answer!;
  }

  const change = (user: Client) => user.put('/api/auth/password').send({ old_password: userPassword, new_password: newPassword });
  const login = (username: string, password: string) => test.anonymous.post('/api/auth/login').send({ username, password });
  const endTokens = (id: number) => (client: PoolClient) =>
    client.query('UPDATE users SET token_version = token_version + 1 WHERE id = $1', [id]);

  it('let a reset, a logout or a disabling that ends the tokens win over a password change under way', async () => {
    const user = await newUser();
    const answer = await overtake(() => change(user), endTokens(user.id));
    expect(answer.status).toBe(401);
    expect(answer.body.token).toBeUndefined();
    await login(user.username, newPassword).expect(401);
    await login(user.username, userPassword).expect(200);
  });

  it('let the loss of a role win over a body that arrives after it', async () => {
    const [owner, member] = [await newUser(), await newUser()];
    const { body: graph } = await owner.post('/api/graphs').send({ name: 'g' }).expect(201);
    const members = `/api/permissions/graphs/${graph.id}/members`;
    await owner.post(members).send({ username: member.username, role: 'viewer' }).expect(201);
    const body = JSON.stringify({ cypher: 'RETURN 1 AS one' });
    const answerTo = async (meanwhile: () => Promise<unknown>): Promise<number | undefined> => {
      const request = http.request(`${test.url}/api/graphs/${graph.id}/query`, {
        method: 'POST',
        headers: { authorization: `Bearer ${member.token}`, 'content-type': 'application/json', 'content-length': body.length },
      });
      const answer = new Promise<IncomingMessage>((resolve, reject) => request.on('response', resolve).on('error', reject));
      request.flushHeaders();
      await meanwhile();
      request.end(body);
      return (await answer).resume().statusCode;
    };
    expect(await answerTo(() => sleep(1_500))).toBe(200);
    const lose = async (): Promise<void> => {
      // Within 300 ms the guard has read the role. If a slow machine has not, the request is refused earlier, and the test passes too.
      await sleep(300);
      await test.pool.query('DELETE FROM graph_members WHERE user_id = $1', [member.id]);
      await sleep(1_200);
    };
    expect(await answerTo(lose)).toBe(403);
  });

  it('let one of two password changes win', async () => {
    const user = await newUser();
    const answers = await Promise.all([change(user), change(user)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 401]);
    const { token } = answers.find(({ status }) => status === 200)!.body;
    await client(test.url, token).get('/api/auth/me').expect(200);
  });

  it('let one of two rotations of a key win, and its key works', async () => {
    const user = await newUser();
    const graph = (await user.post('/api/graphs').send({ name: 'g' }).expect(201)).body;
    const key = await newKey(user, graph.id);
    const answer = await overtake(
      () => user.post(`/api/api-keys/${key.id}/rotate`),
      client => client.query("UPDATE api_keys SET secret_hash = '\\x00' WHERE id = $1", [key.id]),
    );
    expect(answer.status).toBe(409);
    expect(answer.body.code).toBe('api_key_rotated');
  });

  it('answer 409 when a record that they refer to is deleted meanwhile', async () => {
    const owner = await newUser();
    const member = await newUser();
    const requests: ((graphId: number) => PromiseLike<Response>)[] = [
      graphId => owner.post(`/api/permissions/graphs/${graphId}/members`).send({ username: member.username }),
      graphId => owner.post('/api/api-keys').send({ name: 'k', graph_ids: [graphId] }),
      graphId => owner.post('/api/metrics').send({ graph_id: graphId, name: 'm', formula: 'SUM(a.b)' }),
    ];
    for (const request of requests) {
      const graph = (await owner.post('/api/graphs').send({ name: 'g' }).expect(201)).body;
      const answer = await overtake(
        () => request(graph.id),
        client => client.query('DELETE FROM graphs WHERE id = $1', [graph.id]),
      );
      expect([answer.status, answer.body.code]).toEqual([409, 'changed_meanwhile']);
    }
  });

  it('answer 409 to a grant whose user or connection is deleted meanwhile, and leave none behind', async () => {
    for (const table of ['users', 'warehouse_connections']) {
      const user = await newUser();
      const connection = (await test.admin.post('/api/warehouse/connections').send({ name: `to ${user.id}`, type: 'pg_mirror' })).body;
      const answer = await overtake(
        () => test.admin.post(`/api/permissions/connections/${connection.id}/users`).send({ user_id: user.id, right: 'read' }),
        client => client.query(`DELETE FROM ${table} WHERE id = $1`, [table === 'users' ? user.id : connection.id]),
      );
      expect([answer.status, answer.body.code]).toEqual([409, 'changed_meanwhile']);
      expect((await test.pool.query('SELECT FROM connection_grants WHERE connection_id = $1', [connection.id])).rowCount).toBe(0);
    }
  });

  it('make one grant of two, and revoke one once', async () => {
    const user = await newUser();
    const grants = '/api/permissions/connections/1/users';
    const grant = (right: string) => test.admin.post(grants).send({ user_id: user.id, right });
    const made = await Promise.all([grant('read'), grant('write')]);
    expect(made.map(({ status }) => status).sort()).toEqual([200, 201]);
    const taken = await Promise.all([test.admin.delete(`${grants}/${user.id}`), test.admin.delete(`${grants}/${user.id}`)]);
    expect(taken.map(({ status }) => status).sort()).toEqual([204, 404]);
  });

  it('delete a connection and a copy once', async () => {
    const { body } = await test.admin.post('/api/warehouse/connections').send({ name: 'to go', type: 'pg_mirror' }).expect(201);
    const { rows } = await test.pool.query(
      `INSERT INTO mirror_copies (connection_id, saved_by, status) SELECT 1, id, 'cancelled' FROM users WHERE username = 'admin' RETURNING id`,
    );
    for (const path of [`connections/${body.id}`, `mirror-copies/${rows[0].id}`]) {
      const answers = await Promise.all([1, 2, 3].map(() => test.admin.delete(`/api/warehouse/${path}`)));
      expect(answers.map(({ status }) => status).sort()).toEqual([204, 404, 404]);
    }
    const gone = `SELECT FROM audit_events WHERE action = 'connection.deleted' AND target_id = $1`;
    expect((await test.pool.query(gone, [body.id])).rowCount).toBe(1);
  });

  it('keep a user who comes to own a graph while being deleted', async () => {
    const user = await newUser();
    const answer = await overtake(
      () => test.admin.delete(`/api/users/${user.id}`),
      client => client.query("INSERT INTO graphs (name, owner_id) VALUES ('g', $1)", [user.id]),
    );
    expect([answer.status, answer.body.code]).toEqual([409, 'changed_meanwhile']);
    await user.get('/api/auth/me').expect(200);
  });
});

describe('a change of access', () => {
  it('is not made when it cannot be recorded', async () => {
    const user = await test.asUser('unrecorded');
    const { body: me } = await user.get('/api/auth/me').expect(200);
    const graph = (await user.post('/api/graphs').send({ name: 'g' }).expect(201)).body;
    const key = await newKey(user, graph.id);
    const grants = '/api/permissions/connections/1/users';
    await test.admin.post(grants).send({ user_id: 'everyone', right: 'read' }).expect(201);
    const state = async () => {
      const tables = ['users', 'api_keys', 'graph_members', 'graphs', 'connection_grants'].map(
        table => `(SELECT json_agg(t ORDER BY t) FROM ${table} t)`,
      );
      return (await test.pool.query(`SELECT ${tables.map((table, index) => `${table} AS "${index}"`).join(', ')}`)).rows;
    };
    const before = await state();
    await asSuperuser(test.databaseUrl, "ALTER TABLE audit_events ADD CONSTRAINT closed CHECK (action = '') NOT VALID");
    try {
      const changes = [
        test.anonymous.post('/api/auth/register').send({ username: 'nobody', password: userPassword }),
        test.admin.post('/api/users').send({ username: 'nobody' }),
        test.admin.patch(`/api/users/${me.user_id}`).send({ is_admin: true }),
        test.admin.post(`/api/users/${me.user_id}/reset-password`),
        user.put('/api/auth/password').send({ old_password: userPassword, new_password: newPassword }),
        user.post('/api/auth/logout'),
        user.post('/api/graphs').send({ name: 'h' }),
        user.delete(`/api/graphs/${graph.id}`),
        user.post('/api/api-keys').send({ name: 'l', graph_ids: [graph.id] }),
        user.post(`/api/api-keys/${key.id}/rotate`),
        user.delete(`/api/api-keys/${key.id}`),
        user.post(`/api/permissions/graphs/${graph.id}/members`).send({ username: 'admin', role: 'viewer' }),
        test.admin.post(grants).send({ user_id: me.user_id, right: 'read' }),
        test.admin.post(grants).send({ user_id: 'everyone', right: 'write' }),
        test.admin.delete(`${grants}/everyone`),
      ];
      for (const request of changes) expect([(await request).status, request.url]).toEqual([500, request.url]);
    } finally {
      await asSuperuser(test.databaseUrl, 'ALTER TABLE audit_events DROP CONSTRAINT closed');
    }
    expect(await state()).toEqual(before);
  });
});

/** The limits of a user and of a graph. Requests come at once: if a count missed the concurrent ones, all of them would be let in. */
describe('quotas', () => {
  let user: Client;
  let graphId: number;
  beforeAll(async () => {
    user = await test.asUser('many');
    await grantConnection(test, 'many');
    await upload(test, 'staff', 'id\n1\n');
    graphId = (await user.post('/api/graphs').send({ name: '一' }).expect(201)).body.id;
  });

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

  it('bound the members of a graph, and let their roles change', async () => {
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
