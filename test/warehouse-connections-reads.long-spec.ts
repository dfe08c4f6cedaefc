import { execFile } from 'node:child_process';
import { once } from 'node:events';
import net, { type AddressInfo } from 'node:net';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { type Client, startTestApp, type TestApp } from './support/app.js';
import { ForeignPostgres } from './support/foreign-postgres.js';
import { certificateFolder, TlsFront } from './support/tls-front.js';

const connections = '/api/warehouse/connections';

describe('reads through connections to other databases', () => {
  let test: TestApp;
  let foreign: ForeignPostgres;
  let user: Client;

  beforeAll(async () => {
    [test, foreign] = await Promise.all([startTestApp(), ForeignPostgres.start()]);
    user = await test.asUser('reader');
    await foreign.run(`
      CREATE SCHEMA "销售"; GRANT USAGE ON SCHEMA "销售" TO reader; ALTER DEFAULT PRIVILEGES IN SCHEMA "销售" GRANT SELECT ON TABLES TO reader;
      CREATE SCHEMA hidden; CREATE TABLE hidden.t (a int);
      CREATE TYPE mood AS ENUM ('glad', 'sad'); CREATE DOMAIN price AS numeric(10,2); CREATE DOMAIN fair AS price;
      CREATE TABLE regions (id int PRIMARY KEY, name text);
      CREATE TABLE customers (id int PRIMARY KEY, name text NOT NULL, region_id int REFERENCES regions, mood mood, moods mood[], due fair, at inet, cash money);
      COMMENT ON TABLE customers IS '客户'; COMMENT ON COLUMN customers.name IS '名称';
      INSERT INTO regions VALUES (1, '华东'); INSERT INTO customers VALUES (1, '华为', 1, 'glad', '{sad,glad}', 12.5, '10.0.0.1', 3);
      CREATE TABLE "销售".orders (id int, customer_id int REFERENCES customers, amount numeric);
      INSERT INTO "销售".orders SELECT n, 1, n * 1.5 FROM generate_series(1, 4) n;
      CREATE VIEW big AS SELECT * FROM customers;
      CREATE TABLE secret (a int); REVOKE ALL ON secret FROM reader;
      CREATE TABLE "hidden.t" (a int); CREATE TABLE "销售.orders" (a int); ANALYZE`);
  });
  afterAll(async () => {
    await test.close();
    await foreign.remove();
  });

  let made = 0;
  async function create(body: Record<string, unknown>): Promise<{ id: number; [field: string]: unknown }> {
    const { body: created } = await test.admin
      .post(connections)
      .send({ name: `c${++made}`, type: 'postgres', ...body })
      .expect(201);
    return created;
  }
  const tested = async (body: Record<string, unknown>) => {
    const { id } = await create(body);
    return (await test.admin.post(`${connections}/${id}/test`).expect(200)).body;
  };

  describe('a test', () => {
    it('says who reads, and that nothing can be written', async () => {
      expect(await tested({ dsn: foreign.dsn() })).toEqual({
        ok: true,
        latency_ms: expect.any(Number),
        server_version: expect.stringMatching(/^18/),
        current_user: 'reader',
        read_only_enforced: true,
        can_write: false,
        warnings: [expect.stringContaining('lacks SELECT on them: 1')],
      });
    });

    it('warns of a user who could write, and of schemas that cannot be read', async () => {
      const body = await tested({
        dsn: foreign.dsn({ user: 'writer:writes' }),
        options: { schema_allowlist: ['public', 'hidden', 'nowhere'] },
      });
      expect(body).toMatchObject({ ok: true, read_only_enforced: true, can_write: true });
      expect(body.warnings.join()).toMatch(/writer could write.*lacks USAGE on them: hidden, nowhere/);
    });

    it.each<[string, string, string, () => Record<string, unknown>]>([
      ['a name that nobody has', 'address', 'DNS_FAILED', () => ({ dsn: foreign.dsn({ host: 'nowhere.invalid' }) })],
      ['an address of this machine', 'address', 'BLOCKED_ADDRESS', () => ({ dsn: foreign.dsn({ host: '127.0.0.2' }) })],
      ['the metadata of a cloud', 'address', 'BLOCKED_ADDRESS', () => ({ dsn: foreign.dsn({ host: '169.254.169.254' }) })],
      ['a hidden address', 'address', 'BLOCKED_ADDRESS', () => ({ dsn: foreign.dsn({ host: '[::ffff:127.0.0.9]' }) })],
      ['a closed port', 'tcp', 'REFUSED', () => ({ dsn: 'postgres://u@127.0.0.1:1/d?sslmode=disable' })],
      ['a server without TLS', 'tls', 'TLS_MISSING', () => ({ dsn: foreign.dsn({ query: '' }) })],
      ['a wrong password', 'login', 'AUTH_FAILED', () => ({ dsn: foreign.dsn({ user: 'reader:wrong' }) })],
      ['no password', 'login', 'AUTH_FAILED', () => ({ dsn: foreign.dsn({ user: 'reader' }) })],
      ['an unknown user', 'login', 'AUTH_FAILED', () => ({ dsn: foreign.dsn({ user: 'nobody:x' }) })],
      ['an unknown database', 'login', 'DATABASE_MISSING', () => ({ dsn: foreign.dsn({ database: 'nothing' }) })],
    ])('of %s fails at the stage %s with %s', async (_, stage, code, body) => {
      const answer = await tested(body());
      expect(answer).toEqual({ ok: false, latency_ms: expect.any(Number), stage, code, message: expect.any(String) });
    });

    it('tries without TLS if that is allowed', async () => {
      expect(await tested({ dsn: foreign.dsn({ query: '' }), options: { ssl_mode: 'prefer' } })).toMatchObject({ ok: true });
      expect(await tested({ dsn: foreign.dsn({ query: '' }), options: { ssl_mode: 'disable' } })).toMatchObject({ ok: true });
    });

    it('never repeats what the other side says, and ends within its budget', async () => {
      const banner = 'SSH-2.0-OpenSSH_9.2 a banner that names a version\r\n';
      const answer = (speak: (socket: net.Socket) => void) =>
        net.createServer(socket => speak(socket.on('error', () => undefined).resume()));
      const servers = [answer(socket => socket.end(banner)), answer(socket => socket.write(banner)), answer(() => undefined)];
      for (const server of servers) {
        await once(server.listen(0, '127.0.0.1'), 'listening');
        const { port } = server.address() as AddressInfo;
        for (const mode of ['disable', 'require']) {
          const started = performance.now();
          const failed = await tested({ dsn: `postgres://u:p@127.0.0.1:${port}/d?sslmode=${mode}` });
          expect(failed).toMatchObject({ ok: false, code: expect.stringMatching(/^(PROTOCOL|TIMEOUT)$/) });
          // A connection begins with the request for TLS, so a test with `require` fails at `tls` if that is not answered.
          expect(failed.stage).toBe(failed.code === 'TIMEOUT' && mode === 'require' ? 'tls' : 'login');
          expect(JSON.stringify(failed)).not.toMatch(/SSH|banner/);
          expect(performance.now() - started).toBeLessThan(20_000);
        }
        // The client must close its sockets itself: those that the other side never closes would accumulate.
        const open = () =>
          new Promise<number>((resolve, reject) => server.getConnections((error, n) => (error ? reject(error) : resolve(n))));
        for (const deadline = Date.now() + 30_000; (await open()) > 0; await sleep(50)) expect(Date.now()).toBeLessThan(deadline);
        server.close();
      }
    });
  });

  describe('tables', () => {
    let id: number;
    beforeAll(async () => {
      ({ id } = await create({ dsn: foreign.dsn(), options: { schema_allowlist: ['public', '销售', 'hidden'] } }));
    });
    const table = (name: string) => `${connections}/${id}/tables/${encodeURIComponent(name)}`;

    it('go by bare names in the first schema and by schema.table in the others', async () => {
      const { body } = await test.admin.get(`${connections}/${id}/tables`).expect(200);
      expect(body.items.map((item: { name: string }) => item.name)).toEqual([
        'big',
        'customers',
        'public.hidden.t',
        'public.销售.orders',
        'regions',
        '销售.orders',
      ]);
      expect((await test.admin.get(table('public.customers')).expect(200)).body.name).toBe('customers');
      expect((await test.admin.get(table('销售.orders')).expect(200)).body.sample).toHaveLength(4);
      await test.admin.get(table('public.销售.orders')).expect(200);
      for (const name of ['hidden.t', 'secret', 'pg_catalog.pg_roles', 'pg_roles', 'orders']) await test.admin.get(table(name)).expect(404);
    });

    it('are described with their native types, keys and comments', async () => {
      const { body } = await test.admin.get(table('customers')).expect(200);
      expect(body).toMatchObject({
        name: 'customers',
        row_estimate: 1,
        comment: '客户',
        keys: [{ kind: 'primary', columns: ['id'] }],
        foreign_keys: [{ columns: ['region_id'], table: 'regions', references: ['id'] }],
      });
      expect(body.columns.map((column: Record<string, unknown>) => [column.name, column.type, column.native_type, column.comment])).toEqual(
        [
          ['id', 'integer', 'integer', null],
          ['name', 'text', 'text', '名称'],
          ['region_id', 'integer', 'integer', null],
          ['mood', 'text', 'mood', null],
          ['moods', 'text[]', 'mood[]', null],
          ['due', 'numeric(10,2)', 'fair', null],
          ['at', 'inet', 'inet', null],
          ['cash', 'other', 'money', null],
        ],
      );
      expect(body.sample[0]).toMatchObject({ id: 1, name: '华为', mood: 'glad', due: '12.50' });
      const { body: orders } = await test.admin.get(table('销售.orders')).expect(200);
      expect(orders.foreign_keys).toEqual([{ columns: ['customer_id'], table: 'customers', references: ['id'] }]);
    });

    it('are neither loaded nor dropped', async () => {
      const put = await test.admin.put(table('customers')).set('Content-Type', 'text/csv').send('a\n1\n').expect(422);
      expect(put.body.code).toBe('connection_read_only');
      expect((await test.admin.delete(table('customers')).expect(422)).body.code).toBe('connection_read_only');
    });

    it('are read by those who were granted the connection', async () => {
      await user.get(`${connections}/${id}/tables`).expect(403);
      await test.admin.post(`/api/permissions/connections/${id}/users`).send({ username: 'reader', right: 'read' }).expect(201);
      await user.get(`${connections}/${id}/tables`).expect(200);
      expect((await user.get(`${connections}/${id}`).expect(200)).body.dsn_masked).toContain('***');
      await user.post(`${connections}/${id}/test`).expect(403);
      await user.patch(`${connections}/${id}`).send({ name: 'mine' }).expect(403);
    });

    it('are read by metrics', async () => {
      const { body: graph } = await test.admin.post('/api/graphs').send({ name: 'g' }).expect(201);
      const binding = { connection_id: id, relation: { table: '销售.orders' }, columns: { amount: 'amount' } };
      const metric = { graph_id: graph.id, name: 'total', formula: 'sum(amount)', binding };
      const { body } = await test.admin.post('/api/metrics').send(metric).expect(201);
      const { body: result } = await test.admin.post(`/api/metrics/${body.id}/execute`).send({}).expect(200);
      expect(JSON.stringify(result)).toContain('15.0');
      expect((await test.admin.delete(`${connections}/${id}`).expect(422)).body.context).toEqual({
        jobs: [],
        metrics: [body.id],
        mirror_copies: [],
      });
    });
  });

  it('is encrypted, and checked against the certificate unless that is waived', async () => {
    const front = await TlsFront.start(foreign.port);
    const dsn = foreign.dsn({ query: '' }).replace(`:${foreign.port}`, `:${front.port}`);
    try {
      expect(await tested({ dsn })).toMatchObject({ ok: false, stage: 'tls', code: 'TLS_FAILED' });
      expect(await tested({ dsn, options: { ssl_mode: 'require' } })).toMatchObject({ ok: true, current_user: 'reader' });
      expect(front.protocols.at(-1)).toBe('TLSv1.3');
      // A process reads the authorities that it trusts at its start, so a new process is started with them.
      const verified = async (host: string): Promise<string> => {
        const script = `
          import { Socket } from 'node:net';
          import { postgresKind } from ${JSON.stringify(path.resolve('dist/src/warehouse/clients/postgres/postgres-kind.js'))};
          const egress = { socket: () => new Socket() };
          const client = await postgresKind.open({ dsn: process.argv[1], options: {}, egress, answerMaxBytes: 1e6 });
          process.stdout.write(await client.test({ caller: 1 }).then(found => found.user, error => error.failure));`;
        const env = { ...process.env, NODE_EXTRA_CA_CERTS: path.join(certificateFolder, 'cert.pem') };
        const run = promisify(execFile);
        return (await run(process.execPath, ['--input-type=module', '-e', script, dsn.replace('127.0.0.1', host)], { env })).stdout;
      };
      // The certificate is for localhost and 127.0.0.1. The host 127.1 leads to the same server, but is not in the certificate.
      expect([await verified('localhost'), await verified('127.0.0.1'), await verified('127.1')]).toEqual([
        'reader',
        'reader',
        'TLS_FAILED',
      ]);
    } finally {
      front.close();
    }
  });
});
