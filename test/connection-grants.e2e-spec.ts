import { type Client, grantConnection, keyClient, startTestApp, type TestApp } from './support/app.js';
import { connections, connectionUsers, grants, load, loadSecrets, loadStaff, mapping, postJob, run } from './support/connection-users.js';

describe('grants of a warehouse connection', () => {
  let test: TestApp;
  beforeAll(async () => {
    test = await startTestApp();
    await loadStaff(test.admin);
    await loadSecrets(test.admin);
  });
  afterAll(() => test.close());

  const { someone, revoke } = connectionUsers(() => test);

  describe('grants', () => {
    it('are made for a user by name or id, or for everyone, changed by granting again, listed and revoked', async () => {
      const { user, id } = await someone('grantee');
      const made = await test.admin.post(grants).send({ username: 'grantee', right: 'read' }).expect(201);
      expect(made.body).toMatchObject({ user_id: id, username: 'grantee', right: 'read', granted_by: 'admin' });
      expect((await user.get(connections).expect(200)).body.items).toMatchObject([{ id: 1, right: 'read' }]);
      expect((await test.admin.post(grants).send({ user_id: id, right: 'write' }).expect(200)).body.right).toBe('write');
      expect((await user.get(`${connections}/1`).expect(200)).body.right).toBe('write');
      const all = await test.admin.post(grants).send({ user_id: 'everyone', right: 'read' }).expect(201);
      expect(all.body).toMatchObject({ user_id: 'everyone', username: null, right: 'read' });
      const first = (await test.admin.get(`${grants}?limit=1`).expect(200)).body;
      const second = (await test.admin.get(`${grants}?cursor=${first.next_cursor}`).expect(200)).body;
      expect([...first.items, ...second.items].map(each => each.user_id)).toEqual([id, 'everyone']);
      // The user has a right of their own and that of everyone; the higher one counts.
      expect((await user.get(`${connections}/1`).expect(200)).body.right).toBe('write');
      await revoke(id).expect(204);
      expect((await user.get(`${connections}/1`).expect(200)).body.right).toBe('read');
      await revoke('everyone').expect(204);
      await user.get(`${connections}/1`).expect(403);
      expect((await revoke('everyone').expect(404)).body.code).toBe('connection_grant_not_found');
    });

    it('name the mistakes in a request', async () => {
      expect((await test.admin.post(grants).send({ right: 'read' }).expect(400)).body.code).toBe('one_user_expected');
      const both = { user_id: 'everyone', username: 'admin', right: 'read' };
      expect((await test.admin.post(grants).send(both).expect(400)).body.code).toBe('one_user_expected');
      await test.admin.post(grants).send({ user_id: 'everyone' }).expect(400);
      expect((await test.admin.post(grants).send({ username: 'ghost', right: 'read' }).expect(404)).body.code).toBe('user_not_found');
      for (const user_id of ['all', 0, -1, 1.5, true, [1], { id: 1 }, 2 ** 31]) {
        const { body } = await test.admin.post(grants).send({ user_id, right: 'read' }).expect(422);
        expect(body.detail.errors[0]).toMatchObject({
          loc: ['body', 'user_id'],
          type: 'grantee_type',
          msg: '应为用户 id 或 "everyone" / user_id must be the id of a user, or "everyone"',
        });
      }
      const { body } = await test.admin.post(grants).send({ username: 'admin', right: 'own' }).expect(422);
      expect(body.detail.errors[0]).toMatchObject({ loc: ['body', 'right'], type: 'not_one_of', msg: expect.stringContaining('read') });
      await revoke('all').expect(422);
      const nowhere = '/api/permissions/connections/999/users';
      await test.admin.post(nowhere).send({ user_id: 'everyone', right: 'read' }).expect(404);
      await test.admin.get(nowhere).expect(404);
    });

    it('are recorded with the people who made and received them', async () => {
      const { id } = await someone('recorded');
      await grantConnection(test, 'recorded');
      await grantConnection(test, 'recorded', 'write');
      await revoke(id).expect(204);
      const { body } = await test.admin.get('/api/audit-events?limit=3').expect(200);
      expect(body.items.map(({ action, actor, target, target_id, context }: any) => [action, actor, target, target_id, context])).toEqual([
        ['connection.revoked', 'admin', 'connection', 1, { user: 'recorded' }],
        ['connection.grant_changed', 'admin', 'connection', 1, { user: 'recorded', right: 'write' }],
        ['connection.granted', 'admin', 'connection', 1, { user: 'recorded', right: 'read' }],
      ]);
    });

    it('go with their user and their connection', async () => {
      const { user, id, graphId } = await someone('going', 'read');
      const { body: second } = await test.admin.post(connections).send({ name: 'second', type: 'pg_mirror' }).expect(201);
      await test.admin.post(`/api/permissions/connections/${second.id}/users`).send({ user_id: id, right: 'read' }).expect(201);
      expect((await user.get(connections).expect(200)).body.items).toHaveLength(2);
      await test.admin.delete(`${connections}/${second.id}`).expect(204);
      await user.delete(`/api/graphs/${graphId}`).expect(204);
      await test.admin.delete(`/api/users/${id}`).expect(204);
      expect((await test.pool.query('SELECT FROM connection_grants WHERE user_id = $1', [id])).rowCount).toBe(0);
    });
  });

  describe('without a grant', () => {
    let stranger: Client;
    let graphId: number;
    beforeAll(async () => ({ user: stranger, graphId } = await someone('stranger')));

    it('the lists are empty, and tables are neither shown, loaded nor dropped, with a sentence that says whom to ask', async () => {
      expect((await stranger.get(connections).expect(200)).body.items).toEqual([]);
      for (const request of [
        stranger.get(`${connections}/1`),
        stranger.get(`${connections}/1/tables`),
        stranger.get(`${connections}/1/tables/secrets`),
        stranger.get(`${connections}/1/tables/nothing`),
        load(stranger, 'a\n1\n'),
        stranger.delete(`${connections}/1/tables/staff`),
      ]) {
        const { body } = await request.expect(403);
        expect([body.code, body.detail]).toEqual(['connection_forbidden', expect.stringContaining('ask an admin')]);
      }
    });

    it('nothing is mapped or bound, and no error tells the name of a table or a column', async () => {
      const metric = (await stranger.post('/api/metrics').send({ graph_id: graphId, name: 'm', formula: 'COUNT(*)' }).expect(201)).body.id;
      const sql = { relation: { sql: 'SELECT * FROM secret' } };
      const answers = [
        await stranger.post('/api/ingestion/mappings/validate').send({ mapping_yaml: mapping('secret') }),
        await stranger.post('/api/ingestion/mappings/validate').send({ mapping_yaml: mapping('secrets', 'secret_colum') }),
        await postJob(stranger, graphId, mapping('secret')),
        await stranger.put(`/api/metrics/${metric}/binding`).send({ relation: { table: 'secret' } }),
        await stranger.put(`/api/metrics/${metric}/binding`).send({ relation: { table: 'secrets' }, columns: { a: 'secret_colum' } }),
        await stranger.put(`/api/metrics/${metric}/binding`).send(sql),
        await stranger.post('/api/metrics').send({ graph_id: graphId, name: 'n', formula: 'COUNT(*)', binding: sql }),
      ];
      expect(answers.map(({ status, body }) => [status, body.code])).toEqual(answers.map(() => [403, 'connection_forbidden']));
      expect(JSON.stringify(answers.map(({ body }) => body))).not.toMatch(/secret/);
    });

    it('a right to read does not include the right to write', async () => {
      const { user } = await someone('only-reader', 'read');
      await user.get(`${connections}/1/tables/staff`).expect(200);
      const { body } = await load(user, 'a\n1\n').expect(403);
      expect(body.context).toEqual({ required_right: 'write' });
      await user.delete(`${connections}/1/tables/staff`).expect(403);
    });
  });

  describe('a key with tables:write', () => {
    const newKey = (user: Client, graphId: number, more: object = { permissions: ['tables:write'] }) =>
      user.post('/api/api-keys').send({ name: 'nightly', graph_ids: [graphId], ...more });

    it('is made by a user who may write a connection, and listed with its permissions', async () => {
      const { user: reader, graphId: readers } = await someone('key-reader', 'read');
      expect((await newKey(reader, readers).expect(403)).body.code).toBe('permission_not_held');
      const { user, graphId } = await someone('key-writer', 'write');
      const { body: key } = await newKey(user, graphId).expect(201);
      expect(key.permissions).toEqual(['tables:write']);
      expect((await newKey(user, graphId, {}).expect(201)).body.permissions).toEqual([]);
      expect((await user.get('/api/api-keys').expect(200)).body.items.map((each: any) => each.permissions)).toEqual([['tables:write'], []]);
      const { body } = await newKey(user, graphId, { permissions: ['tables:write', 'tables:all'] }).expect(422);
      expect(body.detail.errors[0]).toMatchObject({ loc: ['body', 'permissions'], type: 'not_one_of', msg: expect.stringContaining('tables:write') });
      const { body: audit } = await test.admin.get('/api/audit-events?limit=2').expect(200);
      expect(audit.items[1].context).toMatchObject({ permissions: ['tables:write'] });
    }); // prettier-ignore

    it('loads tables and runs a job without a password, until its user may no longer write', async () => {
      const { user, id, graphId } = await someone('night-loader', 'write');
      const { body: job } = await postJob(user, graphId).expect(201);
      const key = keyClient(test.url, (await newKey(user, graphId).expect(201)).body.raw_key);
      await load(key, 'id,name,wage\n1,甲,10\n2,乙,20\n').expect(200);
      expect((await run(key, job.id)).status).toBe('succeeded');
      expect((await key.get(`${connections}/1/tables`).expect(200)).body.items.length).toBeGreaterThan(0);
      await key.get(`${connections}/1/tables/staff`).expect(200);
      await load(key, 'a\n1\n', 'nightly').expect(201);
      await key.delete(`${connections}/1/tables/nightly`).expect(204);
      await grantConnection(test, 'night-loader', 'read');
      // The user may still read. The key was made for writing, so it sees only tables that its user may write.
      await user.get(`${connections}/1/tables/staff`).expect(200);
      for (const request of [load(key, 'a\n1\n', 'nightly'), key.get(`${connections}/1/tables/staff`)])
        expect((await request.expect(403)).body.code).toBe('connection_forbidden');
      await revoke(id).expect(204);
    });

    it('does nothing else that a key without it may not', async () => {
      const { user, graphId } = await someone('curious', 'write');
      const key = keyClient(test.url, (await newKey(user, graphId).expect(201)).body.raw_key);
      for (const request of [
        key.get(connections),
        key.get(`${connections}/1`),
        key.post('/api/ingestion/mappings/validate').send({ mapping_yaml: mapping() }),
        key.get('/api/api-keys'),
        key.get(grants),
      ])
        expect((await request.expect(403)).body.code).toBe('api_key_not_allowed');
      const plain = keyClient(test.url, (await newKey(user, graphId, {}).expect(201)).body.raw_key);
      const { body } = await load(plain, 'a\n1\n').expect(403);
      expect([body.code, body.detail]).toEqual(['api_key_permission', expect.stringContaining('tables:write')]);
    });
  });
});
