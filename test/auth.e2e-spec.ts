import { setTimeout as sleep } from 'node:timers/promises';
import { createHmac, generateKeyPairSync, randomUUID } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { JwtService } from '@nestjs/jwt';
import pg from 'pg';
import { TokenPrincipals } from '../src/auth/token-principals.js';
import { readSettings } from '../src/config/settings.js';
import { startTestApp, type TestApp, client, adminPassword, keyClient, type Client, userPassword } from './support/app.js';
import { sendRaw } from './support/raw-http.js';
import { asSuperuser } from './support/database.js';
import { itLong } from './support/tier.js';

// The secret looks like a private key on purpose: given as text, jsonwebtoken would take it for one and refuse HS256 at the first login.
const secret = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();

let test: TestApp;
beforeAll(async () => {
  test = await startTestApp({ JWT_SECRET_KEY: secret, JWT_EXPIRE_SECONDS: '3600', BCRYPT_COST: '9', LOG_LEVEL: 'silent', WORKER: 'off' });
});
afterAll(() => test.close());

describe('accounts', () => {
  it('answers the login of the contract', async () => {
    const { body } = await test.anonymous.post('/api/auth/login').send({ username: 'admin', password: adminPassword }).expect(200);
    expect(body).toEqual({
      user_id: 1,
      username: 'admin',
      is_admin: true,
      must_change_password: false,
      token: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/),
    });
  });

  it('gives a token the lifetime of the setting, in seconds, and every claim that is checked later', () => {
    const payload = JSON.parse(Buffer.from(test.admin.token!.split('.')[1]!, 'base64url').toString());
    expect(payload).toEqual({
      sub: '1', tv: 2, jti: expect.any(String), iat: expect.any(Number), exp: payload.iat + 3600, iss: 'graph-service', aud: 'graph-service',
    }); // prettier-ignore
  });

  it('gives one answer for a wrong password and an unknown user', async () => {
    const wrong = await test.anonymous.post('/api/auth/login').send({ username: 'admin', password: 'nope-nope' }).expect(401);
    const unknown = await test.anonymous.post('/api/auth/login').send({ username: 'nobody', password: 'nope-nope' }).expect(401);
    expect(wrong.body).toEqual(unknown.body);
  });

  it('serves both path prefixes alike', async () => {
    const { body } = await test.admin.get('/api/auth/me').expect(200);
    const bare = await test.admin.get('/auth/me').expect(200);
    expect(bare.body).toEqual(body);
    expect(body).toEqual({ user_id: 1, username: 'admin', is_admin: true, must_change_password: false });
  });

  it('closes everything but the password route and me until the first password is changed', async () => {
    await test.asUser('pending');
    await test.pool.query("UPDATE users SET must_change_password = true WHERE username = 'pending'");
    const { body } = await test.anonymous.post('/api/auth/login').send({ username: 'pending', password: 'correct-horse-8' }).expect(200);
    expect(body.must_change_password).toBe(true);
    const pending = client(test.url, body.token);
    const refused = await pending.get('/api/graphs').expect(403);
    expect(refused.body.code).toBe('password_change_required');
    await pending.get('/api/auth/me').expect(200);
    const changed = await pending
      .put('/api/auth/password')
      .send({ old_password: 'correct-horse-8', new_password: 'correct-horse-9' })
      .expect(200);
    await client(test.url, changed.body.token).get('/api/graphs').expect(200);
  });

  it('ends every earlier token with a password change, also one of the same second', async () => {
    const before = await test.asUser('rotating');
    const { body } = await before
      .put('/api/auth/password')
      .send({ old_password: 'correct-horse-8', new_password: 'battery-staple-1' })
      .expect(200);
    await before.get('/api/auth/me').expect(401);
    await client(test.url, body.token).get('/api/auth/me').expect(200);
  });

  it('refuses a token after its expiry, also one that was good a moment before', async () => {
    const tokens = test.app.get(JwtService);
    const { sub, tv } = tokens.decode(test.admin.token!);
    const token = tokens.sign({ sub, tv, jti: 'short' }, { expiresIn: 60 });
    const short = client(test.url, token);
    await short.get('/api/auth/me').expect(200);
    // From now on the token is in the cache, and its signature is not verified again.
    expect(test.app.get(TokenPrincipals).recall(token)).not.toBeNull();
    await short.get('/api/auth/me').expect(200);
    const { exp } = tokens.decode(token);
    const clock = jest.spyOn(Date, 'now').mockReturnValue(exp * 1000);
    try {
      await short.get('/api/auth/me').expect(401);
    } finally {
      clock.mockRestore();
    }
  });

  it('ends the tokens at logout', async () => {
    const user = await test.asUser('leaving');
    await user.post('/api/auth/logout').expect(204);
    await user.get('/api/auth/me').expect(401);
  });

  it.each([
    ['no header', undefined],
    ['another scheme', 'Basic abc'],
    ['a scheme with nothing behind it', 'Bearer'],
    ['two spaces', 'Bearer  TOKEN'],
    ['a tab', 'Bearer\tTOKEN'],
    ['something behind the token', 'Bearer TOKEN x'],
    ['a broken token', 'Bearer abc.def.ghi'],
  ])('refuses %s', async (_, header) => {
    const request = test.anonymous.get('/api/auth/me');
    if (header !== undefined) void request.set('Authorization', header.replace('TOKEN', test.admin.token!));
    const { body } = await request.expect(401);
    expect(body.code).toBe('not_authenticated');
    expect(body.detail.match(/POST \/api\/auth\/login/g)).toHaveLength(2);
  });

  // RFC 9110, section 11.1: upper and lower case make no difference in the name of a scheme.
  it.each(['bearer', 'BEARER'])('takes a token behind the scheme %s', async scheme => {
    await test.anonymous.get('/api/auth/me').set('Authorization', `${scheme} ${test.admin.token}`).expect(200);
  });

  it('refuses two Authorization headers, whichever of them is good', async () => {
    const { host } = new URL(test.url);
    const user = await test.asUser('twofold');
    for (const tokens of [
      [test.admin.token, user.token],
      ['junk', user.token],
      [user.token, user.token],
    ]) {
      const lines = tokens.map(token => `Authorization: Bearer ${token}\r\n`).join('');
      const { responses } = await sendRaw(test.url, `GET /api/auth/me HTTP/1.1\r\nHost: ${host}\r\n${lines}\r\n`);
      expect(responses.map(({ status, body }) => [status, JSON.parse(body).code])).toEqual([[401, 'two_credentials']]);
    }
  });

  it.each([
    ['a variation selector', 'admin\uFE0F'],
    ['a Hangul filler', 'admin\u3164'],
    ['a combining grapheme joiner', 'ad\u034Fmin'],
    ['a zero-width joiner', 'ad\u200Dmin'],
    ['a blank', 'ad min'],
    ['a mark first', '\u0301admin'],
  ])('refuses a username with %s', async (_, username) => {
    const { body } = await test.anonymous.post('/api/auth/register').send({ username, password: 'correct-horse-7' }).expect(422);
    expect(body.detail.errors).toMatchObject([
      {
        loc: ['body', 'username'],
        type: 'string_pattern',
        msg: expect.stringMatching(/^任何语言的字母[^\/]* \/ letters of any language[^\/]*$/),
      },
    ]);
  });

  it.each([
    ['аdmin', 'username_scripts', /^不可混用.* \/ letters of scripts that look alike/],
    ['Everyone', 'username_reserved', /^不可用保留字：everyone.* \/ these words are reserved: everyone/],
    ['null', 'username_reserved', /null/],
  ])('refuses the username %s, which could be taken for another', async (username, type, msg) => {
    for (const [path, who] of [['/api/auth/register', test.anonymous], ['/api/users', test.admin]] as const) {
      const { body } = await who.post(path).send({ username, ...(path.endsWith('register') && { password: 'correct-horse-7' }) }).expect(422);
      expect(body.detail.errors).toEqual([{ loc: ['body', 'username'], type, msg: expect.stringMatching(msg) }]);
    }
  }); // prettier-ignore

  it('lets accounts log in whose names would be refused today', async () => {
    await test.asUser('earlier');
    for (const username of ['аdmin', 'everyone']) {
      await test.pool.query(
        "INSERT INTO users (username, normal_name, password_hash) SELECT $1, $1, password_hash FROM users WHERE username = 'earlier'",
        [username],
      );
      const { body } = await test.anonymous.post('/api/auth/login').send({ username, password: userPassword }).expect(200);
      expect(body.username).toBe(username);
    }
  });

  it.each(['Admin', 'ADMIN', '\uFF41dmin'])('refuses the username %s, which is another spelling of a taken one', async username => {
    const { body } = await test.anonymous.post('/api/auth/register').send({ username, password: 'correct-horse-7' }).expect(400);
    expect(body.code).toBe('username_taken');
  });

  it('takes usernames in the letters of many languages', async () => {
    for (const username of ['李雷', 'हिन्दी', 'Ünal', 'บุญ', 'نور', 'e\u0301lan']) {
      const { body } = await test.anonymous.post('/api/auth/register').send({ username, password: 'correct-horse-7' }).expect(201);
      expect(body.username).toBe(username.normalize('NFKC'));
    }
  });

  it.each([
    ['short7!', 'too short'],
    ['strong', 'too short'],
    ['weakling', 'same as the username'],
    ['weakling@Graph123', 'the default password'],
    ['WEAKLING@graph123', 'the default password in another case'],
    [' '.repeat(8), 'blanks'],
    ['password123', 'common'],
    ['x'.repeat(129), 'too long'],
  ])('refuses the new password %s (%s)', async password => {
    const { body } = await test.anonymous.post('/api/auth/register').send({ username: 'weakling', password }).expect(422);
    expect(body.detail.errors[0]).toMatchObject({ loc: ['body', 'password'], type: 'weak_password' });
    expect(JSON.stringify(body)).not.toContain(password);
  });

  it('refuses a name of very many marks, which a normal form would sort for minutes', async () => {
    const username = `a${'\u0315'.repeat(100_000)}${'\u0327'.repeat(100_000)}`;
    const { body } = await test.anonymous.post('/api/auth/register').send({ username, password: 'long enough 1' }).expect(422);
    expect(body.detail.errors.map(({ loc }: { loc: string[] }) => loc)).toContainEqual(['body', 'username']);
  });

  it('distinguishes passwords beyond 72 bytes', async () => {
    const long = '密'.repeat(40);
    await test.anonymous
      .post('/api/auth/register')
      .send({ username: 'long', password: `${long}甲` })
      .expect(201);
    await test.anonymous
      .post('/api/auth/login')
      .send({ username: 'long', password: `${long}乙` })
      .expect(401);
    await test.anonymous
      .post('/api/auth/login')
      .send({ username: 'long', password: `${long}甲` })
      .expect(200);
  });
});

describe('the secret that signs tokens', () => {
  it('is a key of bytes, also when it looks like a private key', () => {
    const [header, payload, signature] = test.admin.token!.split('.');
    expect(JSON.parse(Buffer.from(header!, 'base64url').toString())).toEqual({ alg: 'HS256', typ: 'JWT' });
    expect(signature).toBe(createHmac('sha256', secret.trim()).update(`${header}.${payload}`).digest('base64url'));
  });

  it.each([
    ['32 bytes', 'b3f1c7a9d2e84f6a90c1b2d3e4f5a6b7'],
    ['16 letters of two bytes', 'абвгдежзийклмноп'],
  ])('may have %s', (_, secret) => {
    expect(readSettings({ JWT_SECRET_KEY: secret }).jwtSecretKey).toBe(secret);
  });

  it.each([
    ['31 bytes', 'b3f1c7a9d2e84f6a90c1b2d3e4f5a6b'],
    ['one byte', 'a'],
  ])('must not have %s', (_, secret) => {
    expect(() => readSettings({ JWT_SECRET_KEY: secret })).toThrow(/^JWT_SECRET_KEY: .*32/);
  });
});

describe('accounts, while the database fails', () => {
  let key: string;
  beforeAll(async () => {
    const { body: graph } = await test.admin.post('/api/graphs').send({ name: '图' }).expect(201);
    const { body } = await test.admin
      .post('/api/api-keys')
      .send({ name: 'k', graph_ids: [graph.id] })
      .expect(201);
    key = body.raw_key;
  });

  /** Makes a token that this process has not seen yet, so that its signature is verified. */
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
    const holder = new pg.Client(test.databaseUrl);
    await holder.connect();
    const register = () => test.anonymous.post('/api/auth/register').send({ username: 'late', password: 'correct-horse-8' });
    try {
      // Readers continue. The transaction of the new account waits for the lock.
      await holder.query('BEGIN; LOCK TABLE users IN SHARE MODE');
      const answer = register().then(({ status, headers, body }) => ({ status, code: body.code, retryAfter: headers['retry-after'] }));
      // pg_stat_activity shows a transaction only the sessions at its first query, so each look needs another session.
      const cut = async () =>
        (
          await asSuperuser(
            test.databaseUrl,
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
          )
        ).rowCount;
      while ((await cut()) === 0) await sleep(10);
      expect(await answer).toEqual({ status: 500, code: 'database_unavailable', retryAfter: '5' });
      await holder.query('ROLLBACK');
    } finally {
      await holder.end();
    }
    await register().expect(201);
  });
});

/** More logins than may run and wait; see `PasswordHasher`. */
const logins = 50 + 33 * Math.min(3, Math.max(1, availableParallelism() - 1));

describe('more logins than can be hashed', () => {
  itLong('are refused with a time to come back, while other requests are answered in between', async () => {
    const order: (number | string)[] = [];
    const flood = Array.from({ length: logins }, async () => {
      const { status, headers, body } = await test.anonymous.post('/api/auth/login').send({ username: 'admin', password: 'wrong' });
      order.push(status);
      return { status, code: body.code, retryAfter: headers['retry-after'] };
    });
    const other = test.admin.get('/api/auth/me').then(({ status }) => order.push(`me ${status}`));
    const answers = await Promise.all(flood);
    await other;
    const refused = answers.filter(({ status }) => status === 503);
    const served = answers.filter(({ status }) => status === 401);
    expect(refused.length + served.length).toBe(logins);
    expect(served.length).toBeGreaterThan(0);
    expect(refused.length).toBeGreaterThan(0);
    for (const answer of refused)
      expect(answer).toEqual({ status: 503, code: 'login_busy', retryAfter: expect.stringMatching(/^[1-9]\d*$/) });
    expect(order.indexOf('me 200')).toBeGreaterThanOrEqual(0);
    expect(order.indexOf('me 200')).toBeLessThan(order.lastIndexOf(401));
  });
});
