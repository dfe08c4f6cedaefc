import { type WarehouseClient } from '../src/warehouse/clients/warehouse.client.js';
import { MirrorClient } from '../src/warehouse/mirror/mirror.client.js';
import { startTestApp, type TestApp } from './support/app.js';
import { asSuperuser } from './support/database.js';
import { postgresTables } from './support/postgres-contract-tables.js';
import { describePostgresSql } from './support/postgres-sql.contract.js';
import { allowAnyStatement } from './support/statement-check.js';
import { describeWarehouseTables } from './support/warehouse-tables.contract.js';

allowAnyStatement();

let test: TestApp;
beforeAll(async () => {
  test = await startTestApp();
});
afterAll(() => test.close());

describePostgresSql('the mirror', () => ({ client: test.app.get(MirrorClient), change: sql => test.pool.query(sql) }));

describeWarehouseTables('the mirror', () => ({
  ...postgresTables,
  client: test.app.get(MirrorClient),
  pool: test.pool,
  change: sql =>
    test.pool.transaction(async client => {
      await client.query('SET LOCAL search_path = mirror');
      return client.query(sql);
    }),
}));

describe('the mirror', () => {
  let mirror: WarehouseClient;
  beforeAll(async () => {
    mirror = test.app.get(MirrorClient);
    await test.pool.query('CREATE TABLE mirror.things (id int); INSERT INTO mirror.things VALUES (1)');
  });

  const query = (sql: string) => mirror.query({ claim: { caller: 1 }, sql, parameters: [], timeoutMs: 500, maxRows: 100 });

  it.each([
    ['CREATE TABLE mirror.evil (a int)', '25006'],
    ['INSERT INTO things (id) VALUES (3)', '25006'],
    ['SELECT * FROM public.users', '42501'],
    ['SELECT 1; SELECT 2', '42601'],
    ['SELECT 1 / (id - id) FROM things', '22012'],
    ['SELECT * FROM nothing', '42P01'],
  ])('refuses %s', async (sql, sqlstate) => {
    await expect(query(sql)).rejects.toMatchObject({ status: 400, code: 'warehouse_query_failed', context: { sqlstate } });
  });

  it('runs SQL as its reader, with the settings of that role', async () => {
    await expect(query(`SELECT set_config('work_mem', '1GB', false)`)).rejects.toMatchObject({ status: 400 });
    const { rows } = await query(`SELECT current_user::text, session_user::text, current_setting('work_mem')`);
    expect(rows).toEqual([['graph_test_template_mirror', 'graph_test_template_mirror', '8MB']]);
  });

  it('names the role that a run stages as, which reads its tables and nothing else', async () => {
    const role = mirror.local!.role;
    expect(role).toBe('graph_test_template_mirror');
    const asRole = (sql: string) =>
      test.pool.transaction(async client => {
        await client.query(`SET LOCAL ROLE "${role}"`);
        return (await client.query(sql)).rowCount;
      });
    expect(await asRole(`SELECT FROM "${mirror.schema}".things`)).toBe(1);
    await expect(asRole('SELECT FROM public.users')).rejects.toMatchObject({ code: '42501' });
  });

  it('describes a table that another session has locked', async () => {
    await test.pool.transaction(async client => {
      await client.query('LOCK TABLE mirror.things IN ACCESS EXCLUSIVE MODE');
      expect(await mirror.catalog({ caller: 1 }).describe('things')).toMatchObject({ columns: [{ name: 'id', type: 'integer' }] });
      expect(await mirror.catalog({ caller: 1 }).listNames()).toContain('things');
    });
  });

  it('has no table that SQL would mistake for one of the catalogue', () => {
    expect(mirror.nameProblem('pg_roles')).toMatchObject({ type: 'reserved_name' });
  });

  it('reads on after its connections are cut', async () => {
    await asSuperuser(
      test.databaseUrl,
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'graph-service mirror reader' AND datname = current_database()`,
    );
    const answers = async (): Promise<boolean> => query('SELECT 1').then(() => true, () => false); // prettier-ignore
    for (const deadline = Date.now() + 30_000; !(await answers());) expect(Date.now()).toBeLessThan(deadline);
  });
});
