import { createHash } from 'node:crypto';
import { hash } from 'bcrypt';
import { normalName } from '../src/users/username.js';
import { UsersRepository } from '../src/users/users.repository.js';
import { client, startTestApp, type TestApp, userPassword, type Client } from './support/app.js';

let test: TestApp;
beforeAll(async () => {
  test = await startTestApp();
});
afterAll(() => test.close());

describe('users, for admins', () => {
  const idOf = async (username: string): Promise<number> =>
    (await test.pool.query('SELECT id FROM users WHERE username = $1', [username])).rows[0].id;

  it('creates a user with the default password, which must be changed first', async () => {
    const { body } = await test.admin.post('/api/users').send({ username: '韩梅梅' }).expect(201);
    expect(body).toMatchObject({ username: '韩梅梅', is_admin: false, must_change_password: true, disabled: false });
    const login = await test.anonymous.post('/api/auth/login').send({ username: '韩梅梅', password: '韩梅梅@Graph123' }).expect(200);
    expect(login.body.must_change_password).toBe(true);
    await client(test.url, login.body.token).get('/api/graphs').expect(403);
  });

  it('refuses a second user of the same name', async () => {
    await test.admin.post('/api/users').send({ username: 'twice' }).expect(201);
    const { body } = await test.admin.post('/api/users').send({ username: 'twice' }).expect(400);
    expect(body.code).toBe('username_taken');
  });

  it('takes two spellings that look the same as one name', async () => {
    await test.asUser('caf\u00e9');
    await test.admin.post('/api/users').send({ username: 'cafe\u0301' }).expect(400);
    await test.anonymous.post('/api/auth/login').send({ username: 'cafe\u0301', password: userPassword }).expect(200);
  });

  it('lets the database refuse a second name that differs in case or spelling only', async () => {
    await test.asUser('Ångström');
    const insert = (username: string) =>
      test.pool.query("INSERT INTO users (username, normal_name, password_hash) VALUES ($1, $2, '')", [username, normalName(username)]);
    for (const username of ['ångström', 'ÅNGSTRÖM', 'Ångström', 'Ångström'.normalize('NFD')]) {
      expect(await insert(username).catch((error: { code: string }) => error.code)).toBe('23505');
      await test.anonymous.post('/api/auth/register').send({ username, password: userPassword }).expect(400);
    }
    const twins = Array.from({ length: 8 }, (_, index) => ['Racer', 'racer', 'RACER', 'ｒacer'][index % 4]!);
    const answers = await Promise.all(twins.map(username => test.anonymous.post('/api/auth/register').send({ username, password: userPassword })));
    expect(answers.map(({ status }) => status).sort((a, b) => a - b)).toEqual([201, ...Array<number>(7).fill(400)]);
  }); // prettier-ignore

  it('keeps users whose names were alike before, and their logins', async () => {
    await test.asUser('einzig');
    const { password_hash: passwordHash } = (await test.pool.query("SELECT password_hash FROM users WHERE username = 'einzig'")).rows[0];
    const names = ['Zwilling', 'zwilling', 'ZWILLING', 'einzeln'];
    // Rows as a release without the column `normal_name` wrote them.
    for (const name of names) await test.pool.query('INSERT INTO users (username, password_hash) VALUES ($1, $2)', [name, passwordHash]);
    const repository = test.app.get(UsersRepository);
    expect(await repository.fillNormalNames()).toEqual(['ZWILLING', 'zwilling']);
    expect(await repository.fillNormalNames()).toEqual([]);
    for (const username of names) {
      const { body } = await test.anonymous.post('/api/auth/login').send({ username, password: userPassword }).expect(200);
      expect(body.username).toBe(username);
    }
    const register = () => test.anonymous.post('/api/auth/register').send({ username: 'zWilling', password: userPassword });
    await register().expect(400);
    for (const name of names.slice(0, 2)) await test.admin.delete(`/api/users/${await idOf(name)}`).expect(204);
    await register().expect(400);
    await test.admin.delete(`/api/users/${await idOf('ZWILLING')}`).expect(204);
    await register().expect(201);
  });

  it('leaves tokens alone when nothing changes', async () => {
    const { body: me } = await test.admin.get('/api/auth/me').expect(200);
    const events = async () =>
      (await test.pool.query("SELECT count(*)::int AS n FROM audit_events WHERE action = 'user.changed'")).rows[0].n;
    const before = await events();
    for (const changes of [{}, { is_admin: true }, { disabled: false }, { is_admin: true, disabled: false }]) {
      const { body } = await test.admin.patch(`/api/users/${me.user_id}`).send(changes).expect(200);
      expect(body).toMatchObject({ id: me.user_id, is_admin: true, disabled: false });
    }
    await test.admin.get('/api/auth/me').expect(200);
    expect(await events()).toBe(before);
  });

  it('ends tokens at once when a user is disabled, and lets nobody log in', async () => {
    const user = await test.asUser('leaver');
    const id = await idOf('leaver');
    await test.admin.patch(`/api/users/${id}`).send({ disabled: true }).expect(200);
    await user.get('/api/auth/me').expect(401);
    const refused = await test.anonymous.post('/api/auth/login').send({ username: 'leaver', password: userPassword }).expect(401);
    expect(refused.body.code).toBe('wrong_login');
    await test.admin.patch(`/api/users/${id}`).send({ disabled: false }).expect(200);
    await user.get('/api/auth/me').expect(401);
    await test.anonymous.post('/api/auth/login').send({ username: 'leaver', password: userPassword }).expect(200);
  });

  it('ends tokens at once when a password is reset', async () => {
    const user = await test.asUser('forgetful');
    const { body } = await test.admin.post(`/api/users/${await idOf('forgetful')}/reset-password`).expect(200);
    expect(body.must_change_password).toBe(true);
    await user.get('/api/auth/me').expect(401);
    await test.anonymous.post('/api/auth/login').send({ username: 'forgetful', password: 'forgetful@Graph123' }).expect(200);
  });

  it('never loses the last admin', async () => {
    for (const change of [{ is_admin: false }, { disabled: true }]) {
      const { body } = await test.admin.patch('/api/users/1').send(change).expect(400);
      expect(body.code).toBe('last_admin');
    }
    await test.admin.delete('/api/users/1').expect(400);
    await test.asUser('deputy');
    const deputy = await idOf('deputy');
    await test.admin.patch(`/api/users/${deputy}`).send({ is_admin: true }).expect(200);
    const attempts = await Promise.all([1, deputy].map(id => test.admin.patch(`/api/users/${id}`).send({ is_admin: false })));
    // Both were admins at first. One request took effect; the other was refused, or its sender had lost the right meanwhile.
    const admins = await test.pool.query('SELECT count(*)::int AS n FROM users WHERE is_admin AND disabled_at IS NULL');
    expect(admins.rows[0].n).toBeGreaterThanOrEqual(1);
    expect(attempts.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(1);
    await test.pool.query('UPDATE users SET is_admin = true, token_version = 2 WHERE id = 1');
  });

  it('refuses to delete a user who owns graphs and names them', async () => {
    const owner = await test.asUser('founder');
    const { body: graph } = await owner.post('/api/graphs').send({ name: 'g' }).expect(201);
    const id = await idOf('founder');
    const { body } = await test.admin.delete(`/api/users/${id}`).expect(400);
    expect(body).toMatchObject({ code: 'user_owns_graphs', context: { graph_ids: [graph.id] } });
    await owner.delete(`/api/graphs/${graph.id}`).expect(204);
    await test.admin.delete(`/api/users/${id}`).expect(204);
    await owner.get('/api/auth/me').expect(401);
    await test.admin.get(`/api/users/${id}`).expect(404);
  });

  it('hashes a password again at login when the cost has risen', async () => {
    const weaker = await hash(createHash('sha384').update(userPassword).digest('base64'), 4);
    await test.pool.query("INSERT INTO users (username, password_hash) VALUES ('older', $1)", [weaker]);
    await test.anonymous.post('/api/auth/login').send({ username: 'older', password: userPassword }).expect(200);
    const { rows } = await test.pool.query("SELECT password_hash FROM users WHERE username = 'older'");
    expect(rows[0].password_hash).toMatch(/^\$2b\$05\$/);
    await test.anonymous.post('/api/auth/login').send({ username: 'older', password: userPassword }).expect(200);
  });

  it('records changes of access', async () => {
    const { body } = await test.admin.get('/api/audit-events?limit=200').expect(200);
    const actions = new Set(body.items.map((event: { action: string }) => event.action));
    for (const action of [
      'user.created',
      'user.changed',
      'user.password_reset',
      'user.deleted',
      'auth.login',
      'auth.login_failed',
      'graph.created',
    ]) {
      expect(actions).toContain(action);
    }
    expect(JSON.stringify(body)).not.toMatch(/correct-horse|Graph123|\$2b\$/);
  });
});

describe('members of a graph', () => {
  let owner: Client;
  let members: string;
  beforeAll(async () => {
    owner = await test.asUser('owner');
    const { body } = await owner.post('/api/graphs').send({ name: 'g' }).expect(201);
    members = `/api/permissions/graphs/${body.id}/members`;
  });

  it('are granted by name, as editors by default, and granting again changes the role', async () => {
    const friend = await test.asUser('friend');
    const graph = members.replace(/permissions\/(.*)\/members/, '$1');
    await friend.get(graph).expect(403);
    const { body } = await owner.post(members).send({ username: 'friend' }).expect(201);
    expect(body).toMatchObject({ username: 'friend', role: 'editor', user_id: expect.any(Number) });
    await friend.get(graph).expect(200);
    const again = await owner.post(members).send({ username: 'friend', role: 'viewer' }).expect(200);
    expect(again.body.role).toBe('viewer');
    await owner.delete(`${members}/${body.user_id}`).expect(204);
    await friend.get(graph).expect(403);
    await owner.delete(`${members}/${body.user_id}`).expect(404);
  });

  it('are granted by user id by admins only, whether or not there is such a user', async () => {
    await test.asUser('numbered');
    const { rows } = await test.pool.query("SELECT id FROM users WHERE username = 'numbered'");
    const answers = [];
    for (const user_id of [1, rows[0].id, 999_999]) {
      const { status, body } = await owner.post(members).send({ user_id });
      answers.push(JSON.stringify({ status, body }));
    }
    expect(answers[0]).toMatch(/^\{"status":403,.*"user_id_for_admins"/);
    expect(new Set(answers).size).toBe(1);
    const { body } = await test.admin.post(members).send({ user_id: rows[0].id }).expect(201);
    expect(body.username).toBe('numbered');
    await test.admin.post(members).send({ user_id: 999_999 }).expect(404);
    // The routes that contain a member's id do not show whether another user exists either.
    for (const method of ['patch', 'delete'] as const) {
      const tell = async (id: number) => (await owner[method](`${members}/${id}`).send(method === 'patch' ? { role: 'viewer' } : undefined).expect(404)).body;
      expect(await tell(1)).toEqual(await tell(999_999));
    }
    await owner.delete(`${members}/${rows[0].id}`).expect(204);
  }); // prettier-ignore

  it('are granted by managers, but neither by editors nor viewers', async () => {
    for (const [name, role, status] of [
      ['m', 'manager', 201],
      ['e', 'editor', 403],
      ['v', 'viewer', 403],
    ] as const) {
      const person = await test.asUser(`person-${name}`);
      await test.asUser(`guest-${name}`);
      await owner
        .post(members)
        .send({ username: `person-${name}`, role })
        .expect(201);
      await person
        .post(members)
        .send({ username: `guest-${name}`, role: 'viewer' })
        .expect(status);
    }
  });

  it('see admins among them with the rights of admins', async () => {
    await owner.post(members).send({ username: 'admin', role: 'viewer' }).expect(201);
    const graph = members.replace(/permissions\/(.*)\/members/, '$1');
    expect((await test.admin.get(graph).expect(200)).body.role).toBe('admin');
    expect((await owner.get(graph).expect(200)).body.role).toBe('owner');
  });

  it('get a sentence about what is wrong with a grant', async () => {
    expect((await owner.post(members).send({ role: 'viewer' }).expect(400)).body.code).toBe('one_user_expected');
    expect((await owner.post(members).send({ username: 'ghost' }).expect(404)).body.code).toBe('user_not_found');
    expect((await owner.post(members).send({ username: 'owner' }).expect(400)).body.code).toBe('owner_is_no_member');
    const { body } = await owner.post(members).send({ username: 'friend', role: 'king' }).expect(422);
    expect(body.detail.errors[0]).toMatchObject({ loc: ['body', 'role'], type: 'not_one_of' });
  });
});

interface AuditEvent {
  id: number;
  action: string;
  actor: string | null;
  target: string;
  target_id: number | null;
}

describe('audit events', () => {
  /** The events of one actor, in order, each such as `api_key.created api_key 3`. */
  async function eventsOf(actor: string): Promise<string[]> {
    const { body } = await test.admin.get('/api/audit-events?limit=200').expect(200);
    return (body.items as AuditEvent[])
      .filter(event => event.actor === actor)
      .sort((a, b) => a.id - b.id)
      .map(({ action, target, target_id }) => `${action} ${target} ${target_id}`);
  }

  it('record everything that someone does to their account, graphs, keys and members, once each', async () => {
    await test.asUser('guest');
    const first = await test.asUser('actor');
    const passwords = { old_password: userPassword, new_password: 'battery-staple-1' };
    const { body: account } = await first.put('/api/auth/password').send(passwords).expect(200);
    const actor = client(test.url, account.token);
    const { id: graph } = (await actor.post('/api/graphs').send({ name: 'g' }).expect(201)).body;
    const members = `/api/permissions/graphs/${graph}/members`;
    const { user_id: guest } = (await actor.post(members).send({ username: 'guest', role: 'viewer' }).expect(201)).body;
    await actor.patch(`${members}/${guest}`).send({ role: 'editor' }).expect(200);
    await actor.delete(`${members}/${guest}`).expect(204);
    const { body: created } = await actor.post('/api/api-keys').send({ name: 'k', graph_ids: [graph] }); // prettier-ignore
    await actor.post(`/api/api-keys/${created.id}/rotate`).expect(200);
    await actor.delete(`/api/api-keys/${created.id}`).expect(204);
    await actor.delete(`/api/graphs/${graph}`).expect(204);
    await actor.post('/api/auth/logout').expect(204);
    const user = account.user_id;
    expect(await eventsOf('actor')).toEqual([
      `user.registered user ${user}`,
      `auth.login user ${user}`,
      `auth.password_changed user ${user}`,
      `graph.created graph ${graph}`,
      `member.granted graph ${graph}`,
      `member.changed graph ${graph}`,
      `member.revoked graph ${graph}`,
      `api_key.created api_key ${created.id}`,
      `api_key.rotated api_key ${created.id}`,
      `api_key.revoked api_key ${created.id}`,
      `graph.deleted graph ${graph}`,
      `auth.logout user ${user}`,
    ]);
  });

  it('record the connections that an admin creates and deletes, and no refused attempt', async () => {
    const before = await eventsOf('admin');
    const connections = '/api/warehouse/connections';
    const create = () => test.admin.post(connections).send({ name: 'w', type: 'pg_mirror' });
    const { body } = await create().expect(201);
    await create().expect(400);
    await (await test.asUser('stranger')).delete(`${connections}/${body.id}`).expect(403);
    await test.admin.delete(`${connections}/${body.id}`).expect(204);
    await test.admin.delete(`${connections}/${body.id}`).expect(404);
    expect((await eventsOf('admin')).slice(before.length)).toEqual([
      `connection.created connection ${body.id}`,
      `connection.deleted connection ${body.id}`,
    ]);
  });
});
