import { readFileSync } from 'node:fs';
import path from 'node:path';
import { InvalidSettingsError } from './settings-reader.js';
import { describeSettings, readSettings } from './settings.js';

function problemsOf(environment: Record<string, string>): string[] {
  try {
    readSettings(environment);
    return [];
  } catch (error) {
    return (error as InvalidSettingsError).problems;
  }
}

describe('settings', () => {
  it('are all optional', () => {
    expect(problemsOf({})).toEqual([]);
    expect(readSettings({})).toMatchObject({ port: 8080, metricsPort: 0, shutdownSeconds: 10, corsOrigins: [], isProduction: false });
  });

  it('lists every problem at once, each with the name of its variable', () => {
    const problems = problemsOf({
      PORT: '99999',
      JWT_SECRET_KEY: 'short',
      JWT_EXPIRE_SECONDS: '7d',
      REGISTRATION_ENABLED: 'yes',
      WORKER: 'maybe',
      CORS_ORIGINS: 'https://app.example.com/',
      TRUST_PROXY: 'everyone',
      DATABASE_URL: 'mysql://root:pa55word@db/x',
      REDIS_URL: 'localhost',
      METRICS_PORT: '-1',
      SHUTDOWN_SECONDS: 'soon',
    });
    expect(problems.map(problem => problem.split(':')[0]).sort()).toEqual([
      'CORS_ORIGINS',
      'DATABASE_URL',
      'JWT_EXPIRE_SECONDS',
      'JWT_SECRET_KEY',
      'METRICS_PORT',
      'PORT',
      'REDIS_URL',
      'REGISTRATION_ENABLED',
      'SHUTDOWN_SECONDS',
      'TRUST_PROXY',
      'WORKER',
    ]);
  });

  it('prints the list in one piece and repeats no secret', () => {
    const error = (() => {
      try {
        readSettings({ JWT_SECRET_KEY: 'hunter2', DATABASE_URL: 'mysql://root:hunter2@db/x', REDIS_URL: 'hunter2', PORT: 'x' });
      } catch (thrown) {
        return thrown as Error;
      }
      throw new Error('nothing was refused');
    })();
    expect(error).toBeInstanceOf(InvalidSettingsError);
    expect(error.message.split('\n')).toHaveLength(5);
    expect(error.message).not.toContain('hunter2');
  });

  it.each([
    ['JWT_SECRET_KEY', 'change-me-change-me-change-me-change-me'],
    ['JWT_SECRET_KEY', 'your-256-bit-secret-goes-into-this-place'],
    ['JWT_SECRET_KEY', '<generate with openssl rand -hex 32, please>'],
    ['JWT_SECRET_KEY', 'a'.repeat(32)],
    ['JWT_SECRET_KEY', ''],
    ['ADMIN_INITIAL_PASSWORD', 'changeme'],
    ['ADMIN_INITIAL_PASSWORD', 'password'],
    ['LICENSE_KEY', 'xxxxxxxx-xxxx'],
    ['DATABASE_URL', 'postgresql://app:postgres@db.internal/app'],
    ['DATABASE_URL', ''],
    ['REDIS_URL', 'redis://:changeme@cache.internal:6379'],
  ])('refuses the placeholder %s=%s in production, and takes it elsewhere', (name, value) => {
    const problems = problemsOf({ NODE_ENV: 'production', [name]: value });
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatch(new RegExp(`^${name}: `));
    expect(problemsOf({ [name]: value })).toEqual([]);
  });

  it('takes real secrets in production, also where a host is called example', () => {
    expect(
      problemsOf({
        NODE_ENV: 'production',
        JWT_SECRET_KEY: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
        DATABASE_URL: 'postgresql://app@db.example.com/app?host=/run/postgresql',
        ADMIN_INITIAL_PASSWORD: 'Tr0ub4dor&3',
      }),
    ).toEqual([]);
  });

  it('collects what no log may show: secrets, and the passwords inside of URLs', () => {
    const { secrets } = readSettings({
      JWT_SECRET_KEY: 'k'.repeat(16) + 'x'.repeat(16),
      DATABASE_URL: 'postgresql://app:p%40ss@db/app',
      PORT: '8081',
    });
    expect(secrets).toEqual(['postgresql://app:p%40ss@db/app', 'p@ss', 'k'.repeat(16) + 'x'.repeat(16)]);
  });

  it('are described in the README and in .env.example, word for word', () => {
    const root = path.resolve(__dirname, '..', '..');
    const readme = readFileSync(path.join(root, 'README.md'), 'utf8');
    const example = readFileSync(path.join(root, '.env.example'), 'utf8');
    for (const { name, meaning } of describeSettings()) {
      expect(readme).toContain(`| \`${name}\` |`);
      expect(readme).toContain(meaning);
      expect(example).toContain(`# ${meaning} (`);
    }
  });
});

describe('CORS_ORIGINS', () => {
  it('takes origins as browsers send them', () => {
    expect(readSettings({ CORS_ORIGINS: 'https://a.example, http://localhost:3000,' }).corsOrigins).toEqual([
      'https://a.example',
      'http://localhost:3000',
    ]);
  });

  it.each(['*', 'null', 'https://a.example/', 'https://A.example', 'https://a.example:443', 'a.example', 'https://*.example', 'file:///x'])(
    'refuses %s, which no browser sends',
    origin => {
      expect(problemsOf({ CORS_ORIGINS: origin })).toHaveLength(1);
    },
  );
});
