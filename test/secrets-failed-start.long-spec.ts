import { cloneDatabase, type TestDatabase } from './support/database.js';
import { ServiceProcess } from './support/service-process.js';

describe('a start that fails', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await cloneDatabase();
  });
  afterAll(() => database.drop());

  it.each([
    ['an unreachable Redis', { REDIS_URL: 'redis://:Zq7canaryRedis@127.0.0.1:1/0' }],
    [
      'a licence that is refused',
      {
        LICENSE_CHECK_ENABLED: 'true',
        LICENSE_KEY: 'Zq7canaryLicence',
        LICENSE_URL: 'https://127.0.0.1:1/validate',
        LICENSE_PUBLIC_KEY: 'a'.repeat(64),
      },
    ],
    [
      'settings that are refused',
      { JWT_SECRET_KEY: 'Zq7canaryShort', DATABASE_URL: 'http://u:Zq7canaryDatabase@h/d', REDIS_URL: 'Zq7canaryRedis' },
    ],
  ])('repeats no secret because of %s', async (_, environment) => {
    const settings = { DATABASE_URL: database.url, LOG_LEVEL: 'debug', ...(environment as Record<string, string>) };
    const service = await ServiceProcess.spawn({ environment: settings });
    try {
      expect((await service.ended).code).not.toBe(0);
      expect(service.stderr).not.toBe('');
      expect(service.stdout + service.stderr).not.toContain('Zq7canary');
    } finally {
      await service.kill();
    }
  });
});
