import pg from 'pg';
import { DatabaseIsNewerError } from '../src/database/migrations/require-known-migrations.js';
import { prepareDatabase } from '../src/database/prepare-database.js';
import { roleName, roles } from '../src/database/roles/database-access.js';
import { RolesMissingError } from '../src/database/roles/roles.errors.js';
import { PostgresTooOldError } from '../src/database/server-version.js';
import { runDemo } from './support/commands.js';
import { asSuperuser } from './support/database.js';
import { findEngine, PostgresEngine } from './support/postgres-engine.js';
import { ServiceProcess } from './support/service-process.js';
import { tellMissing } from './support/shared-data.js';

const howToGet: Record<number, string> = {
  14: 'npm run test:engines installs it',
  15: 'the Debian package postgresql-15 brings it',
  16: 'npm run test:engines installs it',
  17: 'npm run test:engines installs it',
};

/** Runs a test on a major version of PostgreSQL. Skips it with a message if this machine lacks that version; in CI it fails. */
function onEngine(major: number, work: (engine: PostgresEngine) => Promise<void>): () => Promise<void> {
  return async () => {
    const bin = await findEngine(major);
    if (bin === null) return tellMissing(`PostgreSQL ${major} is not on this machine; ${howToGet[major]}`);
    const engine = await PostgresEngine.start(bin);
    try {
      await work(engine);
    } finally {
      await engine.remove();
    }
  };
}

const values = {
  i: ['int', '7'],
  b: ['bigint', '7000000000'],
  d: ['decimal(5,2)', '1.50'],
  f: ['float', '1e-3'],
  t: ['boolean', 'true'],
  a: ['date', '2026-01-31'],
  m: ['datetime', '2026-01-31T08:00:00Z'],
  c: ['time', '08:00:00'],
  j: ['json', '{"a":1}'],
} as const;

/** Runs a job that converts texts to each type, from one row of valid values and one row of the word `none`. */
async function loadTexts(url: string): Promise<unknown> {
  const send = async (method: string, route: string, body: string, type = 'application/json'): Promise<any> => {
    const headers = { 'Content-Type': type, Prefer: 'wait=60', Authorization: `Bearer ${token}` };
    return (await fetch(`${url}/api${route}`, { method, headers, body })).json();
  };
  let token = '';
  ({ token } = await send('POST', '/auth/login', JSON.stringify({ username: 'admin', password: 'demo-Graph-2026' })));
  const names = Object.keys(values);
  const rows = [names, Object.values(values).map(([, text]) => `"${text.replaceAll('"', '""')}"`), names.map(() => 'none')];
  const types = names.map(name => `${name}:text`).join(',');
  await send('PUT', `/warehouse/connections/1/tables/texts?types=${types}`, rows.map(row => row.join(',')).join('\n'), 'text/csv');
  const columns = Object.entries(values).map(([name, [type]]) => `{column: ${name}, type: '${type}'}`);
  const mapping = `version: 1
defaults: {on_error: quarantine, max_error_rate: 1}
nodes: [{id: a, label: A, table: texts, key: [i], columns: [${columns.join(', ')}]}]`;
  const job = await send('POST', '/ingestion/jobs', JSON.stringify({ graph_id: 1, name: 'texts', mapping_yaml: mapping }));
  return send('POST', `/ingestion/jobs/${job.id}/run`, '{}');
}

describe.each([16, 17, 18])('PostgreSQL %i', major => {
  it('serves an owner who may create roles: migrations, roles, uploads, runs, questions and a metric', async () => {
    await onEngine(major, async engine => {
      const { ownerUrl, superuserUrl } = await engine.createDatabase('service', 'CREATEROLE');
      for (const start of ['first', 'second']) {
        const service = await ServiceProcess.start({ environment: { DATABASE_URL: ownerUrl } });
        try {
          if (start === 'first') {
            expect(await runDemo(service.url)).toMatchObject({ code: 0, stderr: '' });
            expect(await loadTexts(service.url)).toMatchObject({
              status: 'succeeded',
              error: null,
              report: { totals: { inserted: 1, rejected: 1 } },
            });
          }
          expect(service.log.filter(({ level }) => Number(level) >= 50)).toEqual([]);
          expect((await service.stop()).code).toBe(0);
        } finally {
          await service.kill();
        }
      }
      const { rows } = await asSuperuser(
        superuserUrl,
        `SELECT rolname::text AS name FROM pg_roles WHERE rolname LIKE 'graph\\_%' ORDER BY 1`,
      );
      expect(rows.map(({ name }) => name)).toEqual(roles.map(role => roleName('service', role)).sort());
    })();
  }, 240_000);

  it('tells a plain owner the SQL that an administrator runs once', async () => {
    await onEngine(major, async engine => {
      const { ownerUrl, superuserUrl } = await engine.createDatabase('plain');
      const refused = (await prepareDatabase(ownerUrl).catch((error: unknown) => error)) as RolesMissingError;
      expect(refused).toBeInstanceOf(RolesMissingError);
      await asSuperuser(superuserUrl, refused.statements.join(';'));
      const access = await prepareDatabase(ownerUrl);
      const mirror = new pg.Client(access.mirror);
      await mirror.connect();
      await expect(mirror.query('SELECT FROM public.users')).rejects.toMatchObject({ code: '42501' });
      await mirror.end();
    })();
  });
});

describe('the start', () => {
  it.each([14, 15])('refuses a PostgreSQL %i, which is too old, and names the supported ones', async major => {
    await onEngine(major, async engine => {
      const { ownerUrl, superuserUrl } = await engine.createDatabase('service', 'CREATEROLE');
      const service = await ServiceProcess.spawn({ environment: { DATABASE_URL: ownerUrl } });
      expect((await service.ended).code).toBe(1);
      expect(service.stderr).toMatch(
        new RegExp(`^DATABASE_URL 的 PostgreSQL 版本为 ${major}\\.\\d+.*is ${major}\\.\\d+[^,]*, which is too old: 16 to 18 are supported`),
      );
      await service.kill();
      await expect(prepareDatabase(ownerUrl)).rejects.toThrow(PostgresTooOldError);
      expect((await asSuperuser(superuserUrl, `SELECT FROM pg_roles WHERE rolname LIKE 'graph\\_%'`)).rowCount).toBe(0);
    })();
  });

  it('refuses a database that a newer release has upgraded, and changes nothing in it', async () => {
    await onEngine(18, async engine => {
      const { ownerUrl, superuserUrl } = await engine.createDatabase('service', 'CREATEROLE');
      await prepareDatabase(ownerUrl);
      await asSuperuser(
        superuserUrl,
        `INSERT INTO migrations (timestamp, name) VALUES (1800000000001, 'FoldTime1800000000001');
         DELETE FROM migrations WHERE name LIKE 'NameSchemas%'; DROP OWNED BY graph_service_mirror; DROP ROLE graph_service_mirror`,
      );
      const refusal = await prepareDatabase(ownerUrl).catch((error: unknown) => error);
      expect(refusal).toBeInstanceOf(DatabaseIsNewerError);
      expect(String(refusal)).toMatch(/FoldTime1800000000001.*does not know its migrations FoldTime1800000000001/);
      expect((await asSuperuser(superuserUrl, `SELECT FROM migrations WHERE name LIKE 'NameSchemas%'`)).rowCount).toBe(0);
      expect((await asSuperuser(superuserUrl, `SELECT FROM pg_roles WHERE rolname = 'graph_service_mirror'`)).rowCount).toBe(0);
    })();
  });
});
