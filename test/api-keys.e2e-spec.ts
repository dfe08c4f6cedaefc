import { startTestApp, type TestApp, keyClient, type Client } from './support/app.js';
import { sendRaw } from './support/raw-http.js';

let test: TestApp;
beforeAll(async () => {
  test = await startTestApp();
});
afterAll(() => test.close());

describe('API keys', () => {
  let owner: Client;
  let graphId: number;
  let otherId: number;
  beforeAll(async () => {
    owner = await test.asUser('keeper');
    graphId = (await owner.post('/api/graphs').send({ name: 'mine' }).expect(201)).body.id;
    otherId = (await owner.post('/api/graphs').send({ name: 'other' }).expect(201)).body.id;
  });

  const create = async (more: object = {}) =>
    (
      await owner
        .post('/api/api-keys')
        .send({ name: 'k', graph_ids: [graphId], ...more })
        .expect(201)
    ).body;

  it('are kept after they have ended, up to a thousand, and those of the last hour', async () => {
    const user = await test.asUser('keeper');
    const graph = (await user.post('/api/graphs').send({ name: 'kept' }).expect(201)).body.id;
    const create = () =>
      user
        .post('/api/api-keys')
        .send({ name: 'k', graph_ids: [graph] })
        .expect(201);
    await create();
    const ended = (count: number, ago: string) =>
      test.pool.query(
        `INSERT INTO api_keys (user_id, name, public_id, secret_hash, rate_limit, expires_at, permissions)
         SELECT user_id, name, substr(md5(random()::text), 1, length(public_id)), secret_hash, rate_limit, now() - $2::interval, permissions
         FROM (SELECT * FROM api_keys WHERE user_id = (SELECT id FROM users WHERE username = 'keeper') LIMIT 1) AS k, generate_series(1, $1)`,
        [count, ago],
      );
    await ended(1_200, '2 hours');
    await ended(50, '5 minutes');
    await create();
    const { rows } = await test.pool.query(
      `SELECT count(*) FILTER (WHERE expires_at > now())::int AS good, count(*) FILTER (WHERE expires_at < now())::int AS ended
       FROM api_keys WHERE user_id = (SELECT id FROM users WHERE username = 'keeper')`,
    );
    expect(rows).toEqual([{ good: 2, ended: 1_050 }]);
  });

  it('shows the raw key once and keeps only a hash', async () => {
    const key = await create();
    expect(key.raw_key).toMatch(/^gsk_[0-9A-Za-z]{8}_[0-9A-Za-z]{49}$/);
    const { body } = await owner.get('/api/api-keys').expect(200);
    expect(JSON.stringify(body)).not.toContain(key.raw_key.slice(13));
    const { rows } = await test.pool.query('SELECT * FROM api_keys WHERE id = $1', [key.id]);
    expect(JSON.stringify(rows[0])).not.toContain(key.raw_key.slice(13));
    const events = await test.admin.get('/api/audit-events').expect(200);
    expect(JSON.stringify(events.body)).not.toContain(key.raw_key.slice(13));
  });

  it('opens its graphs and no other, also in lists', async () => {
    const key = keyClient(test.url, (await create()).raw_key);
    await key.get(`/api/graphs/${graphId}`).expect(200);
    expect((await key.get(`/api/graphs/${otherId}`).expect(403)).body.code).toBe('graph_not_in_key');
    const { body } = await key.get('/api/graphs').expect(200);
    expect(body.items.map((graph: { id: number }) => graph.id)).toEqual([graphId]);
    expect((await key.get('/api/auth/me').expect(200)).body.username).toBe('keeper');
  });

  it('gives an admin’s key only the graphs of that key', async () => {
    const { body } = await test.admin
      .post('/api/api-keys')
      .send({ name: 'k', graph_ids: [graphId] })
      .expect(201);
    const key = keyClient(test.url, body.raw_key);
    await key.get(`/api/graphs/${graphId}`).expect(200);
    await key.get(`/api/graphs/${otherId}`).expect(403);
    expect((await key.get('/api/users').expect(403)).body.code).toBe('api_key_not_allowed');
  });

  it('is never enough for accounts, keys, permissions and warehouse connections', async () => {
    const key = keyClient(test.url, (await create()).raw_key);
    for (const refused of [
      key.put('/api/auth/password').send({ old_password: 'correct-horse-8', new_password: 'correct-horse-9' }),
      key.post('/api/auth/logout'),
      key.get('/api/api-keys'),
      key.post('/api/api-keys').send({ name: 'child', graph_ids: [graphId] }),
      key.get(`/api/permissions/graphs/${graphId}/members`),
      key.get('/api/warehouse/connections'),
      key.post('/api/graphs').send({ name: 'x' }),
    ]) {
      expect((await refused.expect(403)).body.code).toBe('api_key_not_allowed');
    }
  });

  it('fails when revoked, expired or rotated, and when its user is disabled or must change the password', async () => {
    const key = await create();
    const use = () => keyClient(test.url, key.raw_key).get('/api/auth/me');
    const { body: rotated } = await owner.post(`/api/api-keys/${key.id}/rotate`).expect(200);
    await use().expect(401);
    const again = () => keyClient(test.url, rotated.raw_key).get('/api/auth/me');
    await again().expect(200);
    for (const state of ['disabled_at = now()', 'must_change_password = true']) {
      await test.pool.query(`UPDATE users SET ${state} WHERE username = 'keeper'`);
      await again().expect(401);
      await test.pool.query("UPDATE users SET disabled_at = NULL, must_change_password = false WHERE username = 'keeper'");
      await again().expect(200);
    }
    await owner.delete(`/api/api-keys/${key.id}`).expect(204);
    await again().expect(401);
    const expiring = await create({ expires_at: new Date(Date.now() + 60_000).toISOString() });
    await keyClient(test.url, expiring.raw_key).get('/api/auth/me').expect(200);
    await test.pool.query("UPDATE api_keys SET expires_at = now() - interval '1 second' WHERE id = $1", [expiring.id]);
    const refused = await keyClient(test.url, expiring.raw_key).get('/api/auth/me').expect(401);
    expect(refused.body.detail).toContain('POST /api/api-keys');
    expect((await owner.post(`/api/api-keys/${expiring.id}/rotate`).expect(400)).body.code).toBe('api_key_expired');
  });

  it('survives a password change of its user', async () => {
    const mover = await test.asUser('mover');
    const { body: graph } = await mover.post('/api/graphs').send({ name: 'g' }).expect(201);
    const { body: key } = await mover
      .post('/api/api-keys')
      .send({ name: 'k', graph_ids: [graph.id] })
      .expect(201);
    await mover.put('/api/auth/password').send({ old_password: 'correct-horse-8', new_password: 'correct-horse-9' }).expect(200);
    await keyClient(test.url, key.raw_key).get(`/api/graphs/${graph.id}`).expect(200);
  });

  it('refuses both credentials at once, even two good ones of one user', async () => {
    const key = await create();
    const { body } = await owner.get('/api/auth/me').set('X-API-Key', key.raw_key).expect(401);
    expect(body.code).toBe('two_credentials');
  });

  it('refuses a key that is sent twice, also the same one', async () => {
    const line = `X-API-Key: ${(await create()).raw_key}\r\n`;
    const ask = async (lines: string) =>
      (await sendRaw(test.url, `GET /api/auth/me HTTP/1.1\r\nHost: x\r\n${lines}\r\n`)).responses.map(({ status }) => status);
    expect(await ask(line)).toEqual([200]);
    expect(await ask(line + line)).toEqual([401]);
  });

  it('refuses junk without asking the database', async () => {
    const key = (await create()).raw_key as string;
    const flipped = key.slice(0, -1) + (key.endsWith('a') ? 'b' : 'a');
    const query = jest.spyOn(test.pool, 'query');
    for (const junk of ['x', 'gsk_', flipped, key.toUpperCase(), `${key}x`, key.slice(0, -1), `${key} `.padEnd(200, 'x')]) {
      await keyClient(test.url, junk).get('/api/auth/me').expect(401);
    }
    // Other parts of the process, such as the webhooks, still query the database.
    const ofKeys = query.mock.calls.filter(([asked]) => JSON.stringify(asked).includes('api_keys'));
    expect(ofKeys).toEqual([]);
    query.mockRestore();
  });

  it('refuses graphs the caller may not use, a past expiry and a rate limit above the maximum', async () => {
    const stranger = await test.asUser('stranger');
    await stranger
      .post('/api/api-keys')
      .send({ name: 'k', graph_ids: [graphId] })
      .expect(403);
    await owner
      .post('/api/api-keys')
      .send({ name: 'k', graph_ids: [999_999] })
      .expect(404);
    const { body } = await owner
      .post('/api/api-keys')
      .send({ name: 'k', graph_ids: [graphId], rate_limit: 601, expires_at: '2020-01-01T00:00:00Z' })
      .expect(422);
    expect(body.detail.errors.map((problem: { loc: string[] }) => problem.loc[1])).toEqual(['rate_limit', 'expires_at']);
  });

  it('bounds the requests of all keys of a user, among them keys that ended within a minute', async () => {
    const many = await test.asUser('many-keys');
    const { body: graph } = await many.post('/api/graphs').send({ name: 'g' }).expect(201);
    const ask = async (rate_limit: number) =>
      (await many.post('/api/api-keys').send({ name: 'k', graph_ids: [graph.id], rate_limit })).body;
    await ask(600);
    const second = await ask(599);
    const refused = { code: 'quota_reached', context: { most: 1_200 } };
    expect(await ask(2)).toMatchObject(refused);
    expect(await ask(1)).toMatchObject({ rate_limit: 1 });
    await many.delete(`/api/api-keys/${second.id}`).expect(204);
    expect(await ask(599)).toMatchObject(refused);
    await test.pool.query(`UPDATE api_keys SET revoked_at = revoked_at - interval '61 s' WHERE id = $1`, [second.id]);
    expect(await ask(599)).toMatchObject({ rate_limit: 599 });
  });

  it('hides keys of others, which only an admin may revoke', async () => {
    const key = await create();
    const stranger = await test.asUser('stranger');
    await stranger.delete(`/api/api-keys/${key.id}`).expect(404);
    await test.admin.post(`/api/api-keys/${key.id}/rotate`).expect(404);
    await test.admin.delete(`/api/api-keys/${key.id}`).expect(204);
    await keyClient(test.url, key.raw_key).get('/api/auth/me').expect(401);
  });
});
