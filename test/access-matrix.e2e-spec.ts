import { accessTable } from './access/access-table.js';
import { credentialStates, everyHowManyRoutes, expected } from './access/credential-states.js';
import { grantConnection, startTestApp, type TestApp } from './support/app.js';
import { isLong } from './support/tier.js';

interface Layer {
  route?: { path: string; methods: Record<string, boolean> };
}

describe('access', () => {
  let test: TestApp;
  let fixture: Awaited<ReturnType<typeof createFixture>> | null = null;
  beforeAll(async () => {
    test = await startTestApp();
    for (const name of ['disabled', 'pending', 'stranger', 'viewer', 'editor', 'manager', 'owner', 'granted-read', 'granted-write']) {
      await test.anonymous.post('/api/auth/register').send({ username: name, password: 'correct-horse-8' }).expect(201);
    }
    for (const right of ['read', 'write']) await grantConnection(test, `granted-${right}`, right);
    await test.pool.query("UPDATE users SET disabled_at = now() WHERE username = 'disabled'");
    await test.pool.query("UPDATE users SET must_change_password = true WHERE username = 'pending'");
  });
  afterAll(() => test.close());

  /** Every route of the router, except Swagger UI's own files. */
  function routes(): string[] {
    const { router } = test.app.getHttpAdapter().getInstance() as unknown as { router: { stack: Layer[] } };
    return router.stack
      .flatMap(({ route }) => (route ? Object.keys(route.methods).map(method => `${method.toUpperCase()} ${route.path}`) : []))
      .filter(route => !/^GET \/docs\/./.test(route));
  }

  /** Creates two graphs, and one record of each kind that a path can name. */
  async function createFixture(): Promise<{ graphId: number; otherGraphId: number; path: (route: string) => string }> {
    const owner = (await test.pool.query("SELECT id FROM users WHERE username = 'owner'")).rows[0].id;
    const ids = [];
    for (const name of ['this', 'other']) {
      const { rows } = await test.pool.query('INSERT INTO graphs (name, owner_id) VALUES ($1, $2) RETURNING id', [name, owner]);
      ids.push(rows[0].id as number);
    }
    const [graphId, otherGraphId] = ids as [number, number];
    await test.pool.query(
      `INSERT INTO graph_members (graph_id, user_id, role) SELECT g, u.id, u.username FROM users u, unnest($1::int[]) g WHERE u.username IN ('viewer', 'editor', 'manager')`,
      [[graphId, otherGraphId]],
    );
    const one = async (sql: string) => (await test.pool.query(sql, [graphId])).rows[0].id as number;
    const job = await one(
      `INSERT INTO ingestion_jobs (graph_id, connection_id, name, mapping_yaml) VALUES ($1, 1, 'j', 'version: 1') RETURNING id`,
    );
    const { rows } = await test.pool.query(`INSERT INTO ingestion_runs (job_id, status) VALUES ($1, 'succeeded') RETURNING id`, [job]);
    const metric = await one(`INSERT INTO metrics (graph_id, name, formula) VALUES ($1, 'm', 'COUNT(*)') RETURNING id`);
    const idOf = (route: string): number => {
      if (route.includes('/jobs/')) return job;
      if (route.includes('/runs/')) return rows[0].id;
      if (route.includes('/metrics/')) return metric;
      // The connection of the mirror. No request of this test changes it.
      if (route.includes('/connections/')) return 1;
      // No user or key has this id, so the request changes nothing. Only the guards before the route are tested.
      return /\/(users|api-keys)\//.test(route) ? 999_999 : graphId;
    };
    const path = (route: string) =>
      route
        .replace(':node_id', '1')
        .replace(':query_id', '1')
        .replace(':saved_query_id', '999999')
        .replace(':synonym_id', '999999')
        .replace(':user_id', '999999')
        .replace(':webhook_id', '999999')
        .replace(':watch_id', '999999')
        .replace(':delivery_id', '999999')
        .replace(':revision', '1')
        .replace(':table', 't')
        .replace(':id', String(idOf(route)));
    return { graphId, otherGraphId, path };
  }

  it('covers every route of the router, and nothing else', () => {
    expect(new Set(Object.keys(accessTable))).toEqual(new Set(routes()));
  });

  it.each(Object.entries(accessTable))('%s is open to the callers that the table names', async (route, row) => {
    const [method, template] = route.split(' ') as [string, string];
    fixture ??= await createFixture();
    let states = await credentialStates(test, fixture.graphId, fixture.otherGraphId);
    expect(states.length).toBeGreaterThanOrEqual(20);
    const turn = Object.keys(accessTable).indexOf(route);
    const wrong: string[] = [];
    for (let index = 0; index < states.length; index++) {
      if (!isLong && (index + turn) % everyHowManyRoutes(row, states[index]!) !== 0) continue;
      if (!fixture) {
        fixture = await createFixture();
        states = await credentialStates(test, fixture.graphId, fixture.otherGraphId);
      }
      const { name, headers, standing, opensToEveryone } = states[index]!;
      const body =
        template.startsWith('/ingestion/jobs') || template === '/metrics' || template === '/metrics/query'
          ? { graph_id: fixture.graphId }
          : template === '/metrics/bindings/suggest'
            ? { table: 't' }
            : {};
      const response = await fetch(`${test.url}/api${fixture.path(template)}`, {
        method,
        headers: {
          ...(await headers()),
          ...(method === 'GET' ? {} : { 'content-type': 'application/json' }),
        },
        ...(method === 'GET' ? {} : { body: JSON.stringify(body) }),
      });
      const text = await response.text();
      if (opensToEveryone) await test.pool.query('DELETE FROM connection_grants WHERE user_id IS NULL');
      const want = expected(row, standing);
      const got = response.status === 401 || response.status === 403 ? response.status : 'pass';
      // A successful request may have deleted the fixture or ended credentials, so the next request gets a new fixture. A refused request
      // has changed nothing.
      if (method !== 'GET' && response.ok) fixture = null;
      if (want !== got) wrong.push(`${name}: ${response.status} instead of ${want}`);
      if (response.status >= 500 && response.status !== 501) wrong.push(`${name}: ${response.status} ${text}`);
    }
    expect(wrong).toEqual([]);
  });
});
