import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { JwtService } from '@nestjs/jwt';
import pg from 'pg';
import { client, keyClient, startTestApp, type Client, type TestApp } from './support/app.js';
import { asSuperuser } from './support/database.js';

describe('accounts, while the database fails', () => {
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

  /** A token that is new to this process, so that passport verifies it. */
  const freshToken = (): Client => {
    const tokens = test.app.get(JwtService);
    const { sub, tv } = tokens.decode(test.admin.token!);
    return client(test.url, tokens.sign({ sub, tv, jti: randomUUID() }));
  };

  it.each<[string, () => Client]>([
    ['a token that was never used', freshToken],
    ['a token that was used before', () => test.admin],
    ['an API key', () => keyClient(test.url, key)],
  ])('answer %s with 500 and do not call it bad', async (_, as) => {
    await asSuperuser(test.databaseUrl, 'ALTER TABLE users RENAME TO away');
    try {
      const { body } = await as().get('/api/auth/me').expect(500);
      expect(body).toEqual({ detail: expect.stringContaining(' / '), code: 'internal_error' });
    } finally {
      await asSuperuser(test.databaseUrl, 'ALTER TABLE away RENAME TO users');
    }
    await as().get('/api/auth/me').expect(200);
  });

  it('answer a registration whose connection is cut on the way, and take it afterwards', async () => {
    const other = new pg.Client(test.databaseUrl);
    await other.connect();
    const register = () => test.anonymous.post('/api/auth/register').send({ username: 'late', password: 'correct-horse-8' });
    try {
      // Readers go on; the new account waits for the lock in its transaction.
      await other.query('BEGIN; LOCK TABLE users IN SHARE MODE');
      const answer = register().then(({ status, body }) => ({ status, code: body.code }));
      const cut = async () =>
        (
          await other.query(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
          )
        ).rowCount;
      while ((await cut()) === 0) await sleep(10);
      expect(await answer).toEqual({ status: 500, code: 'database_unavailable' });
      await other.query('ROLLBACK');
    } finally {
      await other.end();
    }
    await register().expect(201);
  });
});
