import { client, startTestApp, type TestApp, userPassword } from './support/app.js';

interface AuditEvent {
  id: number;
  action: string;
  actor: string | null;
  target: string;
  target_id: number | null;
}

describe('audit events', () => {
  let test: TestApp;
  beforeAll(async () => {
    test = await startTestApp();
  });
  afterAll(() => test.close());

  /** The events of one actor, in order: `api_key.created api_key 3`. */
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
