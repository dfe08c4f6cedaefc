import { setTimeout as sleep } from 'node:timers/promises';
import { type PoolClient } from 'pg';
import { type Response } from 'supertest';
import { type Client, client, startTestApp, type TestApp, userPassword } from './support/app.js';
import { asSuperuser } from './support/database.js';

const newPassword = 'correct-horse-9';

async function newKey(user: Client, graphId: number): Promise<{ id: number }> {
  const { body } = await user.post('/api/api-keys').send({ name: 'k', graph_ids: [graphId] }).expect(201); // prettier-ignore
  return body;
}

/**
 * A lock decides each race. A transaction of the test holds a row while a request runs up to it, and commits once the request
 * waits. The request has then seen the state before and meets the state after.
 */
describe('requests that overtake each other', () => {
  let test: TestApp;
  let users = 0;
  beforeAll(async () => {
    test = await startTestApp({ WORKER: 'off' });
  });
  afterAll(() => test.close());

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
  let test: TestApp;
  beforeAll(async () => {
    test = await startTestApp({ WORKER: 'off', LOG_LEVEL: 'silent' });
  });
  afterAll(() => test.close());

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
