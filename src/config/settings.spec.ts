import { readFileSync } from 'node:fs';
import path from 'node:path';
import { findListenConflicts } from './retrieval-conflicts.js';
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

  it('counts addresses, places and licence settings among the problems, whether or not the licence is checked', () => {
    const wrong = {
      PORT: 'x',
      HOST: 'not a host',
      METRICS_HOST: '[::1]',
      RETRIEVAL_URL: 'garbage',
      RETRIEVAL_LISTEN: 'garbage',
      LICENSE_URL: 'ftp://x',
      LICENSE_PUBLIC_KEY: 'zz',
      DEFAULT_PASSWORD_PATTERN: 'Welcome2Graph',
    };
    const names = (problems: string[]) => problems.map(problem => problem.split(':')[0]).sort();
    expect(names(problemsOf(wrong))).toEqual(Object.keys(wrong).sort());
    expect(names(problemsOf({ ...wrong, LICENSE_CHECK_ENABLED: 'true', LICENSE_KEY: 'K' }))).toEqual(Object.keys(wrong).sort());
  });

  it('reports a single problem in a single line', () => {
    expect(() => readSettings({ PORT: 'x' })).toThrow(/^PORT: [^\n]+$/);
  });

  it.each([
    [
      'HOST',
      ['0.0.0.0', '::', '::1', 'localhost', 'graph.internal', 'my_host', '10.0.0.7'],
      ['a b', '[::]', '300.0.0.1', '127.1', 'a:80', 'http://a', '-a', '*'],
    ],
    [
      'RETRIEVAL_URL',
      ['http://127.0.0.1:8090', 'http://localhost:8090/', 'http://[::1]:8090', 'http://localhost'],
      ['retrieval:8090', 'ftp://retrieval:8090', 'http://u:p@retrieval', 'http://retrieval/v1', 'http://', 'http://a?b', '//a'],
    ],
    [
      'RETRIEVAL_URLS',
      ['http://127.0.0.1:8090', 'http://localhost:8090/, http://127.0.0.2:8090'],
      ['http://127.0.0.1:8090,', 'http://localhost:8090 http://127.0.0.2:8090', 'http://localhost:80,http://localhost/'],
    ],
    [
      'RETRIEVAL_LISTEN',
      ['127.0.0.1:8090', '[::]:8090', 'localhost:0', '/run/graph/retrieval.sock', './r.sock'],
      ['8090', ':8090', 'localhost', '::1', 'a:99999', 'a b:1'],
    ],
    [
      'LICENSE_URL',
      ['https://api.keygen.sh/v1/x', 'http://127.0.0.1:8000/validate', 'http://[::1]/'],
      ['http://api.keygen.sh', 'https://me:word@api.keygen.sh', 'https://a/#b', 'api.keygen.sh'],
    ],
    ['LICENSE_PUBLIC_KEY', ['ab'.repeat(32), 'AB'.repeat(32)], ['ab'.repeat(31), 'zz'.repeat(32), '-----BEGIN PUBLIC KEY-----']],
    ['DEFAULT_PASSWORD_PATTERN', ['{username}!2026', 'x{username}'], ['{user}!2026', 'username']],
  ])('%s is checked', (name, good, bad) => {
    for (const value of good) expect([value, problemsOf({ [name]: value })]).toEqual([value, []]);
    for (const value of bad)
      expect([value, problemsOf({ [name]: value })]).toEqual([value, [expect.stringMatching(new RegExp(`^${name}: .+ / .+`))]]);
  });

  describe('the check of retrieval processes deployed apart', () => {
    const key = { RETRIEVAL_KEY: 'k7'.repeat(16) };
    const pair = { RETRIEVAL_TLS_CERT: '/c.pem', RETRIEVAL_TLS_KEY: '/k.pem' };

    it.each<[string, Record<string, string>, string[]]>([
      ['a plain URL of another machine', { RETRIEVAL_URL: 'http://10.0.0.7:8090' }, ['RETRIEVAL_URL']],
      ['one such URL among others', { RETRIEVAL_URLS: 'http://127.0.0.1:1,http://retrieval:2' }, ['RETRIEVAL_URLS']],
      ['the same with a key', { RETRIEVAL_URLS: 'http://retrieval:2', ...key }, []],
      ['a short key', { RETRIEVAL_URLS: 'http://retrieval:2', RETRIEVAL_KEY: 'short' }, ['RETRIEVAL_KEY']],
      ['TLS without credentials', { RETRIEVAL_URL: 'https://retrieval:2' }, ['RETRIEVAL_URL']],
      ['TLS with a key', { RETRIEVAL_URL: 'https://retrieval:2', ...key }, []],
      ['TLS with a certificate', { RETRIEVAL_URL: 'https://retrieval:2', ...pair }, []],
      ['a certificate without its key', { RETRIEVAL_TLS_CERT: '/c.pem' }, ['RETRIEVAL_TLS_CERT']],
      ['a URL that shows no host', { RETRIEVAL_URL: 'http:///127.0.0.1:1' }, ['RETRIEVAL_URL']],
      ['one with a line break', { LLM_BASE_URL: 'http://127.0.0.1:1/v\n1', LLM_MODEL: 'm' }, ['LLM_BASE_URL']],
      ['both ways to name processes', { RETRIEVAL_URL: 'http://[::1]:1', RETRIEVAL_URLS: 'http://[::1]:1' }, ['RETRIEVAL_URL']],
    ])('judges %s', (_, environment, names) => {
      expect(problemsOf(environment).map(problem => problem.split(':')[0])).toEqual(names);
    });

    it.each<[string, Record<string, string>, string[]]>([
      ['127.0.0.1:8090', {}, []],
      ['localhost:8090', {}, []],
      ['[::1]:8090', {}, []],
      ['/run/retrieval.sock', {}, []],
      ['0.0.0.0:8090', {}, ['RETRIEVAL_LISTEN']],
      ['[::]:8090', {}, ['RETRIEVAL_LISTEN']],
      ['127.example.com:8090', {}, ['RETRIEVAL_LISTEN']],
      ['0.0.0.0:8090', key, []],
      ['0.0.0.0:8090', pair, ['RETRIEVAL_LISTEN']],
      ['0.0.0.0:8090', { ...pair, RETRIEVAL_TLS_CA: '/ca.pem' }, []],
      ['127.0.0.1:8090', { RETRIEVAL_TLS_CA: '/ca.pem' }, ['RETRIEVAL_TLS_CA']],
    ])('judges a process that listens on %s with %j', (listen, environment, names) => {
      const problems = findListenConflicts(listen, readSettings(environment));
      expect(problems.map(problem => problem.split(':')[0])).toEqual(names);
    });
  });

  it('refuses one port for two servers', () => {
    expect(problemsOf({ PORT: '9000', METRICS_PORT: '9000' })).toEqual([expect.stringMatching(/^METRICS_PORT: .*PORT.*9000$/)]);
    expect(problemsOf({ PORT: '0', METRICS_PORT: '0' })).toEqual([]);
    expect(problemsOf({ METRICS_PORT: '8080' })).toHaveLength(1);
  });

  it.each<[string, Record<string, string>, string[]]>([
    ['nothing', {}, ['nothing_configured', 'public_key_missing']],
    [
      'both ways, no public key, no such file',
      { LICENSE_FILE: '/nowhere/x.lic', LICENSE_URL: 'https://a/' },
      ['mode_ambiguous', 'public_key_missing', 'file_missing'],
    ],
    ['a key alone', { LICENSE_KEY: 'K' }, ['url_missing', 'public_key_missing']],
    ['a URL alone', { LICENSE_URL: 'https://a/', LICENSE_PUBLIC_KEY: 'ab'.repeat(32) }, ['key_missing']],
    ['a file that is there', { LICENSE_FILE: __filename, LICENSE_PUBLIC_KEY: 'ab'.repeat(32) }, []],
  ])('lists what the licence check is missing, in the words of the gate: %s', (_what, environment, expected) => {
    const reasons = problemsOf({ LICENSE_CHECK_ENABLED: 'true', ...environment }).map(
      problem => /^许可证未通过：.+ \/ Licence refused \[(\w+)\]: /.exec(problem)?.[1],
    );
    expect(reasons).toEqual(expected);
    expect(problemsOf(environment)).toEqual([]);
  });

  it('prints the whole list at once and repeats no secret', () => {
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

  it('collects the values that no log may show: secrets, and passwords inside URLs', () => {
    const { secrets } = readSettings({
      JWT_SECRET_KEY: 'k'.repeat(16) + 'x'.repeat(16),
      DATABASE_URL: 'postgresql://app:p%40ss@db/app',
      PORT: '8081',
    });
    expect(secrets).toEqual(['postgresql://app:p%40ss@db/app', 'p@ss', 'k'.repeat(16) + 'x'.repeat(16)]);
  });

  it('are described in docs/settings.md and in .env.example, word for word', () => {
    const root = path.resolve(__dirname, '..', '..');
    const page = readFileSync(path.join(root, 'docs', 'settings.md'), 'utf8');
    const example = readFileSync(path.join(root, '.env.example'), 'utf8');
    for (const { name, meaning } of describeSettings()) {
      expect(page).toContain(`| \`${name}\` |`);
      expect(page).toContain(meaning);
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
