import { availableParallelism } from 'node:os';
import { startTestApp, type TestApp } from './support/app.js';

/** More than may run and wait; see `PasswordHasher`. */
const logins = 50 + 33 * Math.min(3, Math.max(1, availableParallelism() - 1));

describe('more logins than can be hashed', () => {
  let test: TestApp;
  beforeAll(async () => {
    test = await startTestApp({ BCRYPT_COST: '11', WORKER: 'off' });
  });
  afterAll(() => test.close());

  it('are refused with a time to come back, while other requests are answered in between', async () => {
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
