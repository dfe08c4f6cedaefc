import { randomUUID } from 'node:crypto';
import { JwtService } from '@nestjs/jwt';
import { client, keyClient, startTestApp, type Client, type TestApp } from './support/app.js';

describe('a good credential that cannot be looked up', () => {
  let test: TestApp;
  let key: string;
  beforeAll(async () => {
    test = await startTestApp({ LOG_LEVEL: 'silent' });
    const { body: graph } = await test.admin.post('/api/graphs').send({ name: '图' }).expect(201);
    const { body } = await test.admin
      .post('/api/api-keys')
      .send({ name: 'k', graph_ids: [graph.id] })
      .expect(201);
    key = body.raw_key;
  });
  afterAll(() => test.close());

  /** A token that this process has never seen, so that passport verifies it. */
  const freshToken = (): Client => {
    const tokens = test.app.get(JwtService);
    const { sub, tv } = tokens.decode(test.admin.token!);
    return client(test.url, tokens.sign({ sub, tv, jti: randomUUID() }));
  };

  it.each<[string, () => Client]>([
    ['a token that was never used', freshToken],
    ['a token that was used before', () => test.admin],
    ['an API key', () => keyClient(test.url, key)],
  ])('is answered with 500 and not called bad: %s', async (_, as) => {
    await test.pool.query('ALTER TABLE users RENAME TO away');
    try {
      const { body } = await as().get('/api/auth/me').expect(500);
      expect(body).toEqual({ detail: expect.stringContaining(' / '), code: 'internal_error' });
    } finally {
      await test.pool.query('ALTER TABLE away RENAME TO users');
    }
    await as().get('/api/auth/me').expect(200);
  });
});
