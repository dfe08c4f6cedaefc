import { findMisspelt } from './misspelt-names.js';
import { describeSettings, readSettings } from './settings.js';
import { startWarnings } from './start-warnings.js';

const settings = describeSettings().map(({ name }) => name);
const meant = (...names: string[]) => findMisspelt(names, settings).map(found => found.meant);

describe('misspelt settings', () => {
  it.each([
    ['RATE_LIMITT_SCALE', 'RATE_LIMIT_SCALE'],
    ['RATE_LIMIT_SCLAE', 'RATE_LIMIT_SCALE'],
    ['rate_limit_scale', 'RATE_LIMIT_SCALE'],
    ['PORTT', 'PORT'],
    ['DATABSE_URL', 'DATABASE_URL'],
    ['JWT_SECRET', 'JWT_SECRET_KEY'],
    ['ADMIN_PASSWORD', 'ADMIN_INITIAL_PASSWORD'],
    ['RATE_LIMIT_QUERIES', 'RATE_LIMIT_QUERY'],
    ['DATADIR', 'DATA_DIR'],
  ])('%s is taken for %s', (name, setting) => {
    expect(meant(name)).toEqual([setting]);
  });

  it('are none among the settings themselves, and among variables of other programs', () => {
    expect(meant(...settings)).toEqual([]);
    const others = 'PATH HOME HOSTNAME USER SHELL LANG TERM PWD NODE_VERSION NODE_OPTIONS NODE_PATH DATABASE_USER DATABASE_HOST API_KEY';
    const more = 'OPENAI_API_KEY POSTGRES_PASSWORD PGHOST KUBERNETES_SERVICE_HOST GRAPH_PORT_8080_TCP npm_config_cache S3_BUCKET TZ';
    const similar = 'SECRET_KEY ENCRYPTION_KEY SECRET_ENCRYPTION RATE_LIMIT_WINDOW_MS RATE_LIMIT_MAX_REQUESTS PORTS PORT0 WORKERS LOGLEVEL';
    expect(meant(...others.split(' '), ...more.split(' '), ...similar.split(' '))).toEqual([]);
  });

  it('are at most 20', () => {
    expect(meant(...Array.from({ length: 50 }, (_, n) => `RATE_LIMIT_X${n}`))).toHaveLength(20);
  });

  it('are told at the start, even without a value, and the value is not repeated', () => {
    const warnings = startWarnings(readSettings({ RATE_LIMITT_SCALE: '', JWT_SECRET: 'hunter2' }));
    expect(warnings.map(({ en }) => en)).toEqual([
      "RATE_LIMITT_SCALE is not a setting of this service and has no effect; did you mean 'RATE_LIMIT_SCALE'?",
      "JWT_SECRET is not a setting of this service and has no effect; did you mean 'JWT_SECRET_KEY'?",
    ]);
    expect(JSON.stringify(warnings)).not.toContain('hunter2');
  });
});
