import { type Client, startTestApp, type TestApp } from './support/app.js';

describe('members of a graph', () => {
  let test: TestApp;
  let owner: Client;
  let members: string;
  beforeAll(async () => {
    test = await startTestApp();
    owner = await test.asUser('owner');
    const { body } = await owner.post('/api/graphs').send({ name: 'g' }).expect(201);
    members = `/api/permissions/graphs/${body.id}/members`;
  });
  afterAll(() => test.close());

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
    // The routes that name a member do not show either whether another user exists.
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
