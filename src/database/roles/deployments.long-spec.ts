import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { asSuperuser, emptyDatabase, type TestDatabase } from '../../../test/support/database.js';
import { prepareDatabase } from '../prepare-database.js';
import { type DatabaseAccess, deriveUrl, loginOf, roleName, roles } from './database-access.js';
import { prepareServer } from './prepare-server.js';
import { RolesMissingError } from './roles.errors.js';

/** Tests databases on one server whose owners have different rights, as operators set them up. */
describe('preparing a database', () => {
  const databases: TestDatabase[] = [];
  afterAll(() => Promise.all(databases.map(database => database.drop())));

  interface Deployment {
    superuserUrl: string;
    ownerUrl: string;
    owner: string;
    database: string;
  }

  /** Makes an empty database with an owner of its own, who has the given rights. */
  async function aDeployment(rights: string): Promise<Deployment> {
    const made = await emptyDatabase();
    databases.push(made);
    const { database } = loginOf(made.url);
    const owner = `owner_${randomBytes(6).toString('hex')}`;
    const password = randomBytes(12).toString('hex');
    await asSuperuser(made.url, `CREATE ROLE ${owner} LOGIN ${rights} PASSWORD '${password}'`);
    await asSuperuser(made.url, `ALTER DATABASE ${database} OWNER TO ${owner}`);
    return { superuserUrl: made.url, ownerUrl: withLogin(made.url, owner, password), owner, database };
  }

  const withLogin = (url: string, name: string, password: string): string => url.replace(/\/\/[^@]*@/, `//${name}:${password}@`);

  /** Expects that every login can do its own work and none of the others'. */
  async function expectSeparation(access: DatabaseAccess): Promise<void> {
    const found: Record<string, unknown> = {};
    await asSuperuser(access.records, 'CREATE TABLE IF NOT EXISTS mirror.things AS SELECT 7 AS id');
    for (const role of roles) {
      const client = new pg.Client(access[role]);
      await client.connect();
      const may = async (sql: string): Promise<boolean | string> =>
        client.query(sql).then(
          () => true,
          (error: { code: string }) => error.code,
        );
      const isSuper = (await client.query('SELECT rolsuper OR rolcreaterole AS is FROM pg_roles WHERE rolname = current_user')).rows[0].is;
      found[role] = [
        await may('SELECT * FROM public.users'),
        await may('SELECT version FROM public.graphs'),
        await may('SELECT * FROM mirror.things'),
        isSuper,
      ];
      await client.end();
    }
    expect(found).toEqual({
      records: [true, true, true, false],
      retrieval: ['42501', true, '42501', false],
      mirror: ['42501', '42501', true, false],
    });
  }

  it.each(['SUPERUSER', 'CREATEROLE'])('works for an owner with %s, and again', async rights => {
    const { ownerUrl } = await aDeployment(rights);
    await expectSeparation(await prepareDatabase(ownerUrl));
    await expectSeparation(await prepareDatabase(ownerUrl));
  });

  it('works for two owners on one server, each with databases that the other cannot use', async () => {
    const [one, two] = [await aDeployment('CREATEROLE'), await aDeployment('CREATEROLE')];
    const [first, second] = await Promise.all([prepareDatabase(one.ownerUrl), prepareDatabase(two.ownerUrl)]);
    await expectSeparation(first);
    await expectSeparation(second);
    const stranger = new pg.Client(first.on(two.database).mirror);
    await stranger.connect();
    await expect(stranger.query('SELECT * FROM mirror.things')).rejects.toMatchObject({ code: '42501' });
    await stranger.end();
  });

  it('works for several processes that start at once', async () => {
    const { ownerUrl } = await aDeployment('CREATEROLE');
    const [access] = await Promise.all([1, 2, 3, 4].map(() => prepareDatabase(ownerUrl)));
    await expectSeparation(access!);
  });

  it('tells a plain owner the SQL to run, which holds no password, and works after it was run', async () => {
    const { ownerUrl, owner, superuserUrl } = await aDeployment('');
    const refused = (await prepareDatabase(ownerUrl).catch((error: unknown) => error)) as RolesMissingError;
    expect(refused).toBeInstanceOf(RolesMissingError);
    expect(refused.message).toMatch(/无权创建[\s\S]*may not create the roles/);
    for (const role of roles) expect(refused.message).not.toContain(loginOf(deriveUrl(ownerUrl, role)).password);
    const printed = refused.message.slice(refused.message.indexOf('\n\n'));
    expect(printed).toContain(`TO "${owner}"`);
    await asSuperuser(superuserUrl, printed);
    await expectSeparation(await prepareDatabase(ownerUrl));
    await expectSeparation(await prepareDatabase(ownerUrl));
  });

  it('takes URLs of roles that an administrator has made under other names', async () => {
    const { ownerUrl, owner, superuserUrl, database } = await aDeployment('');
    const given = Object.fromEntries(roles.map(role => [role, withLogin(ownerUrl, `${owner}_${role}`, 'given-by-hand')]));
    for (const role of roles) await asSuperuser(superuserUrl, `CREATE ROLE ${owner}_${role} LOGIN PASSWORD 'given-by-hand'`);
    await asSuperuser(
      superuserUrl,
      `GRANT ${owner}_records TO ${owner}; GRANT ${owner}_mirror TO ${owner}_records WITH INHERIT FALSE, SET TRUE`,
    );
    const access = await prepareDatabase(ownerUrl, undefined, given);
    expect(access.nameOf('mirror')).toBe(`${owner}_mirror`);
    await expectSeparation(access);
    const derived = await query(superuserUrl, 'SELECT count(*)::int AS n FROM pg_roles WHERE rolname = ANY ($1)', [
      roles.map(role => roleName(database, role)),
    ]);
    expect(derived).toEqual([{ n: 0 }]);
  });

  it('gives the roles new passwords when the owner has a new one', async () => {
    const { ownerUrl, owner, superuserUrl } = await aDeployment('CREATEROLE');
    await prepareDatabase(ownerUrl);
    await asSuperuser(superuserUrl, `ALTER ROLE ${owner} PASSWORD 'another one'`);
    await expectSeparation(await prepareDatabase(withLogin(ownerUrl, owner, encodeURIComponent('another one'))));
  });

  it.each(['SUPERUSER', 'CREATEROLE', 'CREATEDB', 'BYPASSRLS'])('refuses a role with %s', async power => {
    const { ownerUrl, owner, superuserUrl } = await aDeployment('CREATEROLE');
    await asSuperuser(superuserUrl, `CREATE ROLE ${owner}_strong LOGIN ${power} PASSWORD 'x'`);
    const mirror = withLogin(ownerUrl, `${owner}_strong`, 'x');
    await expect(prepareDatabase(ownerUrl, undefined, { mirror })).rejects.toThrow(new RegExp(`权限过大（${power}）.*too powerful`));
  });

  it('refuses the owner, and members of pg_read_all_data, as a role', async () => {
    const { ownerUrl, owner, superuserUrl } = await aDeployment('');
    await expect(prepareDatabase(ownerUrl, undefined, { mirror: ownerUrl })).rejects.toThrow('too powerful');
    await asSuperuser(superuserUrl, `CREATE ROLE ${owner}_reader LOGIN PASSWORD 'x'; GRANT pg_read_all_data TO ${owner}_reader`);
    const retrieval = withLogin(ownerUrl, `${owner}_reader`, 'x');
    await expect(prepareDatabase(ownerUrl, undefined, { retrieval })).rejects.toThrow('pg_read_all_data');
  });

  it('upgrades a data directory of the release before', async () => {
    const made = await emptyDatabase();
    databases.push(made);
    // The state that the earlier release left: one owner, a superuser, and one role for user SQL.
    await prepareDatabase(made.url);
    const { database } = loginOf(made.url);
    await asSuperuser(
      made.url,
      `CREATE TABLE mirror.old (id int); INSERT INTO mirror.old VALUES (1); INSERT INTO users (username, password_hash) VALUES ('kept', 'x')`,
    );
    for (const role of roles.map(each => roleName(database, each))) await asSuperuser(made.url, `DROP OWNED BY ${role}; DROP ROLE ${role}`);
    await asSuperuser(
      made.url,
      `CREATE ROLE graph_mirror_reader NOLOGIN; GRANT graph_mirror_reader TO CURRENT_USER; GRANT USAGE ON SCHEMA mirror TO graph_mirror_reader;
       GRANT SELECT ON ALL TABLES IN SCHEMA mirror TO graph_mirror_reader;
       ALTER DEFAULT PRIVILEGES IN SCHEMA mirror GRANT SELECT ON TABLES TO graph_mirror_reader`,
    );
    const start = async (): Promise<DatabaseAccess> =>
      prepareDatabase(await prepareServer({ createDatabase: () => Promise.resolve(made.url) }, database));
    const access = await start();
    await expectSeparation(access);
    expect(await query(access.mirror, 'SELECT id FROM old')).toEqual([{ id: 1 }]);
    expect(await query(access.records, `SELECT username FROM users WHERE username = 'kept'`)).toEqual([{ username: 'kept' }]);
    await asSuperuser(access.records, 'ALTER TABLE mirror.old ADD name text; ANALYZE mirror.old; DROP TABLE mirror.old');
    const dangling = await query(
      made.url,
      `SELECT rolname AS name FROM pg_roles WHERE rolname = 'graph_mirror_reader'
       UNION ALL SELECT c.oid::regclass::text FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
         WHERE c.relowner = current_user::regrole AND c.relkind IN ('r', 'p', 'S') AND n.nspname !~ '^pg_' AND n.nspname <> 'information_schema'`,
    );
    expect(dangling).toEqual([]);
    await expectSeparation(await start());
  });
});

describe('deriveUrl', () => {
  it('names a role for each database, and cuts the name where PostgreSQL would', () => {
    expect(roleName('sales', 'mirror')).toBe('graph_sales_mirror');
    const [one, two] = ['数'.repeat(20) + 'a', '数'.repeat(20) + 'b'].map(database => roleName(database, 'retrieval'));
    expect(one).not.toBe(two);
    expect(Buffer.byteLength(one!)).toBeLessThanOrEqual(63);
  });

  it.each([
    ['postgresql://o:p@db:5432/sales?sslmode=disable', 'db'],
    ['postgres://o:p%40x@db/sales', 'db'],
    ['postgresql://o:p@/sales?host=/run/postgresql', '/run/postgresql'],
    ['postgresql://db/sales?user=o&password=p', 'db'],
    ['postgresql://db/sales?user=o&password=p&application_name=x', 'db'],
  ])('keeps the place of %s', (url, host) => {
    const derived = new pg.Client(deriveUrl(url, 'mirror'));
    expect([derived.host, derived.database, derived.user]).toEqual([host, 'sales', 'graph_sales_mirror']);
    expect(derived.password).toHaveLength(43);
  });

  it('gives no password when the owner has none', () => {
    expect(deriveUrl('postgresql://o@db/sales', 'mirror')).toBe('postgresql://graph_sales_mirror@db/sales');
  });
});

async function query(url: string, sql: string, parameters: unknown[] = []): Promise<unknown[]> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    return (await client.query(sql, parameters)).rows;
  } finally {
    await client.end();
  }
}
