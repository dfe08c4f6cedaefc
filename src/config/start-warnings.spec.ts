import { readSettings } from './settings.js';
import { startWarnings } from './start-warnings.js';

const secret = '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08';
const careful = {
  NODE_ENV: 'production',
  JWT_SECRET_KEY: secret,
  SECRET_ENCRYPTION_KEY: secret,
  DEFAULT_PASSWORD_PATTERN: '{username}-Kj82',
  REGISTRATION_ENABLED: 'false',
};
const names = (environment: Record<string, string>) =>
  startWarnings(readSettings(environment)).map(({ en }) => /[A-Z]+(_[A-Z]+)+/.exec(en)![0]);

describe('warnings at the start', () => {
  it('are none for a production that was set up with care', () => {
    expect(names(careful)).toEqual([]);
    expect(names({ ...careful, BCRYPT_COST: '10' })).toEqual([]);
  });

  it.each([
    ['DEFAULT_PASSWORD_PATTERN', ''],
    ['DEFAULT_PASSWORD_PATTERN', '{username}@Graph123'],
    ['BCRYPT_COST', '9'],
    ['REGISTRATION_ENABLED', ''],
    ['REGISTRATION_ENABLED', 'true'],
    ['RATE_LIMIT_SCALE', '2'],
    ['JWT_SECRET_KEY', undefined],
    ['SECRET_ENCRYPTION_KEY', undefined],
  ])('report %s=%s in production', (name, value) => {
    const { [name]: _, ...others }: Record<string, string> = careful;
    expect(names({ ...others, ...(value === undefined ? {} : { [name]: value }) })).toEqual([name]);
  });

  it.each<Record<string, string>>([{}, { BCRYPT_COST: '4' }, { RATE_LIMIT_SCALE: '9' }])(
    'end with the lines that they show: %j',
    environment => {
      const shown = startWarnings(readSettings({ NODE_ENV: 'production', ...environment })).map(({ remedy }) => remedy);
      const lines = shown.map(line => line.replace('$(openssl rand -hex 32)', secret).replaceAll("'", '').replace('…', 'Kj82'));
      const settings = Object.fromEntries(lines.map(line => line.split('=') as [string, string]));
      expect(names({ NODE_ENV: 'production', ...environment, ...settings })).toEqual([]);
    },
  );

  it('are none on a first try, and say with a database of its own that tokens end with the process', () => {
    expect(names({ BCRYPT_COST: '4', RATE_LIMIT_SCALE: '1000' })).toEqual([]);
    expect(names({ DATABASE_URL: 'postgresql://owner@db.example.com/graph' })).toEqual(['JWT_SECRET_KEY']);
  });

  it('say in both languages what to do, and repeat no secret', () => {
    for (const { zh, en, remedy } of startWarnings(
      readSettings({ NODE_ENV: 'production', BCRYPT_COST: '4', DEFAULT_PASSWORD_PATTERN: '{username}-Kj82' }),
    )) {
      expect(zh).toMatch(/[一-鿿]/);
      expect(en).toMatch(/^[A-Z_]+ is /);
      expect(zh + en + remedy).not.toContain('Kj82');
    }
  });
});
