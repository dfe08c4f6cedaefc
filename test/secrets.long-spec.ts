import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { type Answer, Canaries, keepAnswers } from './support/canaries.js';
import { OwnPostgres } from './support/own-postgres.js';
import { secretFlows, sendBrokenBodies, sendStrayCredentials } from './support/secret-flows.js';
import { freePort } from './support/free-port.js';
import { ServiceProcess } from './support/service-process.js';

const isGood = ({ status }: Answer) => status >= 200 && status < 300;

describe('secrets', () => {
  const canaries = new Canaries();
  const sending = keepAnswers(() => service.url);
  const { answers, send } = sending;
  let postgres: OwnPostgres;
  let database: pg.Client;
  let service: ServiceProcess;
  let metricsPort: number;

  const initialPassword = canaries.secret('ADMIN_INITIAL_PASSWORD');
  const jwtKey = canaries.secret('JWT_SECRET_KEY', 'Zq7canary-jwt-secret-key-of-48-characters-0123456');
  const pattern = canaries.secret('DEFAULT_PASSWORD_PATTERN');

  beforeAll(async () => {
    postgres = await OwnPostgres.start();
    database = new pg.Client(postgres.url);
    database.on('error', () => undefined);
    await database.connect();
    canaries.secret('password of DATABASE_URL', /\/\/[^:]+:([^@]+)@/.exec(postgres.url)![1]);
    metricsPort = await freePort();
    service = await ServiceProcess.start({
      environment: {
        DATABASE_URL: postgres.url,
        JWT_SECRET_KEY: jwtKey,
        ADMIN_INITIAL_PASSWORD: initialPassword,
        DEFAULT_PASSWORD_PATTERN: `{username}-${pattern}`,
        LICENSE_KEY: canaries.secret('LICENSE_KEY'),
        METRICS_PORT: String(metricsPort),
        CORS_ORIGINS: 'https://app.example.com',
        MAX_BODY_BYTES: '20000',
        LOG_LEVEL: 'debug',
      },
    });
  });
  afterAll(async () => {
    await service?.kill();
    await database?.end();
    await postgres?.remove();
  });

  const login = (username: string, password: unknown) => send('POST', '/api/auth/login', { body: { username, password } });
  const parse = (answer: Answer): any => JSON.parse(answer.text);

  it('go through every flow', async () => {
    // Accounts.
    const first = parse(await login('admin', initialPassword));
    const newPassword = canaries.secret('new password');
    const admin: string = parse(
      await send('PUT', '/api/auth/password', { token: first.token, body: { old_password: initialPassword, new_password: newPassword } }),
    ).token;
    canaries.secret('signature of a token', admin.split('.')[2]);
    const weak = (password: string) =>
      send('PUT', '/api/auth/password', { token: admin, body: { old_password: newPassword, new_password: password } });
    await weak(canaries.secret('new password that is too long') + 'x'.repeat(128));
    await weak(`admin-${pattern}`);
    await send('PUT', '/api/auth/password', {
      token: admin,
      body: { old_password: canaries.secret('wrong old password'), new_password: canaries.secret('new password beside a wrong one') },
    });
    await login('admin', canaries.secret('wrong password of a known user'));
    await login(canaries.secret('password in the field of the username'), 'x');
    await login('nobody.here', canaries.secret('password of an unknown user'));
    await send('POST', '/api/auth/register', { body: { username: 'li.lei', password: canaries.secret('password at registration') } });
    await send('POST', '/api/auth/register', {
      body: { username: 'li.lei', password: canaries.secret('password at a second registration') },
    });
    await send('POST', '/api/auth/register', { body: { username: 'x', password: canaries.secret('password beside a broken username') } });
    const created = parse(await send('POST', '/api/users', { token: admin, body: { username: 'han.meimei' } }));
    await send('POST', `/api/users/${created.id}/reset-password`, { token: admin });
    await login('han.meimei', `han.meimei-${pattern}`);

    await sendBrokenBodies(sending, canaries);
    await sendStrayCredentials(sending, canaries, admin);

    // API keys.
    const graph = parse(await send('POST', '/api/graphs', { token: admin, body: { name: '员工' } }));
    const key = parse(
      await send('POST', '/api/api-keys', { token: admin, body: { name: 'k', graph_ids: [graph.id], expires_at: '2099-01-01T00:00:00Z' } }),
    );
    if (typeof key.raw_key !== 'string') throw new Error(JSON.stringify(key));
    canaries.secret('secret of an API key', key.raw_key.slice(key.raw_key.lastIndexOf('_') + 1));
    await send('GET', `/api/graphs/${graph.id}`, { headers: { 'X-API-Key': key.raw_key } });
    await send('GET', `/api/graphs/${graph.id}`, { headers: { 'X-API-Key': key.raw_key.slice(0, -1) } });
    await send('GET', `/api/users`, { headers: { 'X-API-Key': key.raw_key } });
    await send('GET', `/api/graphs/${graph.id}`, { token: admin, headers: { 'X-API-Key': key.raw_key } });
    await send('GET', '/api/api-keys', { token: admin });
    const rotated = parse(await send('POST', `/api/api-keys/${key.id}/rotate`, { token: admin }));
    canaries.secret('secret of a rotated API key', rotated.raw_key.slice(rotated.raw_key.lastIndexOf('_') + 1));
    await send('GET', `/api/graphs/${graph.id}`, { headers: { 'X-API-Key': rotated.raw_key } });
    await send('GET', '/api/api-keys', { token: admin });
    await send('DELETE', `/api/api-keys/${key.id}`, { token: admin });
    await send('GET', `/api/graphs/${graph.id}`, { headers: { 'X-API-Key': key.raw_key } });

    // The warehouse.
    const dsn = (what: string) => `postgresql://reader:${canaries.secret(what)}@warehouse.internal/db`;
    await send('POST', '/api/warehouse/connections', {
      token: admin,
      body: { name: 'w', type: 'postgres', dsn: dsn('DSN of a host that does not exist') },
    });
    await send('POST', '/api/warehouse/connections/2/test', { token: admin });
    await send('GET', '/api/warehouse/connections/2/tables', { token: admin });
    await send('PATCH', '/api/warehouse/connections/2', { token: admin, body: { dsn: dsn('changed DSN') } });
    await send('PATCH', '/api/warehouse/connections/2', {
      token: admin,
      body: { dsn: `${dsn('DSN with a wrong parameter')}?sslrootcert=x` },
    });
    await send('GET', '/api/warehouse/connections', { token: admin });
    await send('POST', '/api/warehouse/connections', {
      token: admin,
      body: { name: 'later', type: 'snowflake', dsn: dsn('DSN of a type that is not built') },
    });
    await send('POST', '/api/warehouse/connections', { token: admin, body: { name: 'w', type: 'pg_mirror', dsn: dsn('DSN of a mirror') } });
    await send('POST', '/api/warehouse/connections', { token: admin, body: { name: 'w', type: 'pg_mirror', dsn: [dsn('DSN in a list')] } });
    await send('POST', '/api/warehouse/connections', {
      token: admin,
      body: { name: 'w', type: 'pg_mirror', options: { password: canaries.secret('password in options') } },
    });
    const csv = { 'Content-Type': 'text/csv' };
    const put = (table: string, body: string, query = '') =>
      send('PUT', `/api/warehouse/connections/1/tables/${table}${query}`, { token: admin, headers: csv, body });
    const cell = canaries.text('cell of a sensitive column');
    await put('staff', `id,name,pay\n1,张三,${cell}\n2,李四,20\n`);
    await put('typed', `id,pay\n1,${canaries.quoted('cell that does not fit its type')}\n`, '?types=pay:int');
    await put('broken', `id,pay\n1,"${canaries.text('cell with a broken quote')}\n`);
    await put('short', `id,pay\n1,2,${canaries.text('cell too many')}\n`);

    // Mappings, runs, metrics and queries on it.
    const job = (yaml: string) =>
      send('POST', '/api/ingestion/jobs', { token: admin, body: { graph_id: graph.id, name: 'j', mapping_yaml: yaml } });
    await job(`version: 1\npassword: "${canaries.secret('password in a mapping')}\n`);
    await job(`version: 1\nsource: {password: ${canaries.secret('password under an unknown key of a mapping')}}\nnodes: []\n`);
    const mapping =
      'version: 1\nnodes:\n  - {id: s, label: 员工, table: staff, key: [id], columns: [{column: id}, {column: name}, {column: pay, type: int}]}\n';
    const made = parse(await job(mapping));
    await send('POST', `/api/ingestion/jobs/${made.id}/run`, { token: admin, headers: { Prefer: 'wait=20' } });
    const failing = parse(
      await job(
        "version: 1\nnodes:\n  - {id: s, label: 员工, query: 'SELECT id, pay::int AS pay FROM staff', key: [id], columns: [{column: id}, {column: pay}]}\n",
      ),
    );
    await send('POST', `/api/ingestion/jobs/${failing.id}/run`, { token: admin, headers: { Prefer: 'wait=20' } });
    const metric = parse(
      await send('POST', '/api/metrics', {
        token: admin,
        body: {
          graph_id: graph.id,
          name: '人数',
          formula: 'COUNT(*)',
          binding: { relation: { table: 'staff' }, grain: ['id'], dimensions: [{ name: '薪酬', column: 'pay' }] },
        },
      }),
    );
    const execute = (body: object) => send('POST', `/api/metrics/${metric.id}/execute`, { token: admin, body });
    await execute({ filter_clause: `CAST('${canaries.quoted('literal that a cast refuses')}' AS int) = 1` });
    await execute({ filter_clause: `pay = '${canaries.quoted('literal of an unfinished clause')}` });
    await execute({ filter_clause: `pg_read_file('${canaries.quoted('literal of a refused function')}') = ''` });
    await execute({ filters: [{ field: '薪酬', op: '>', value: canaries.text('value of a filter') }] });
    const ask = (body: object) => send('POST', `/api/graphs/${graph.id}/query`, { token: admin, body });
    await ask({ search: canaries.text('text of a search') });
    await ask({ question: `${canaries.text('text of a question')}是谁？` });
    await ask({ cypher: `MATCH (n:员工) WHERE n.name = '${canaries.quoted('literal in Cypher')}' RETURN n.x.y(` });
    await ask({
      cypher: 'MATCH (n:员工) WHERE toInteger($secret) = 1 RETURN n',
      parameters: { secret: canaries.text('parameter of Cypher') },
    });

    // Faults of the database during requests.
    await database.query('ALTER TABLE users RENAME TO users_away');
    await login('admin', canaries.secret('password at a login that fails inside'));
    await send('POST', '/api/auth/register', {
      body: { username: 'wang.wu', password: canaries.secret('password at a registration that fails inside') },
    });
    await database.query('ALTER TABLE users_away RENAME TO users');
    await database.query('ALTER TABLE users ADD CONSTRAINT no_more CHECK (username !~ $$^zhao$$) NOT VALID');
    await send('POST', '/api/auth/register', {
      body: { username: 'zhao.liu', password: canaries.secret('password in a row that is refused') },
    });
    await database.query('ALTER TABLE users DROP CONSTRAINT no_more');
    await database.query('ALTER TABLE api_keys RENAME COLUMN secret_hash TO away');
    await send('POST', '/api/api-keys', { token: admin, body: { name: 'k', graph_ids: [graph.id], expires_at: '2099-01-01T00:00:00Z' } });
    await database.query('ALTER TABLE api_keys RENAME COLUMN away TO secret_hash');
    const cutAt = answers.length;
    const cut = login('admin', canaries.secret('password while the database is cut'));
    await database.query(
      'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
    );
    await cut;
    // All connections to the database were cut, so wait until the service is ready before the next login.
    for (;;) {
      await sleep(300);
      if ((await fetch(`${service.url}/health/ready`)).ok) break;
    }
    await send('POST', '/api/auth/logout', { token: parse(await login('admin', newPassword)).token });
    await sleep(300);

    const seen = answers.map(({ what, answer }) => `${answer.status} ${what}`);
    // The login may have been answered with 401 before its connection was cut.
    expect(seen.splice(cutAt, 1)).toEqual([expect.stringMatching(/^(401|500) POST \/api\/auth\/login$/)]);
    expect(seen).toEqual(secretFlows);
    expect(canaries.all.size).toBeGreaterThanOrEqual(60);
  });

  it('are in no line of the log, neither of the service nor of its database', () => {
    const { log } = service;
    const levels = new Set(log.map(({ level }) => level));
    expect(levels).toEqual(new Set([20, 30, 40, 50]));
    expect(log.some(({ msg }) => msg === 'statement')).toBe(true);
    expect(log.filter(({ request_id }) => request_id !== undefined).length).toBeGreaterThan(answers.length / 2);
    const leaks = `${service.stdout}\n${service.stderr}`
      .split('\n')
      .flatMap(line => canaries.foundIn(line).map(what => `${what}: ${line}`));
    expect(leaks).toEqual([]);
    // The last filter of the log would write `[secret]`. Nothing had to be filtered there.
    expect(service.stdout).not.toContain('[secret]');
    expect(service.stderr).toBe('');
    expect(canaries.foundIn(postgres.log)).toEqual([]);
  });

  it('are in no error, header or metric', async () => {
    const unquotable = new Set([...canaries.all.keys()].filter(what => !canaries.quotable.has(what)));
    const leaks = answers
      .filter(({ answer }) => !isGood(answer))
      .flatMap(({ what, answer }) =>
        canaries.foundIn(`${JSON.stringify(answer.headers)}\n${answer.text}`, unquotable).map(leak => `${leak}: ${what}: ${answer.text}`),
      );
    expect(leaks).toEqual([]);
    const metrics = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
    expect(metrics).toContain('http_requests_total');
    expect(canaries.foundIn(metrics)).toEqual([]);
  });

  it('are in no good answer except those that hand them out or repeat them to their sender', () => {
    const found = answers
      .filter(({ answer }) => isGood(answer))
      .flatMap(({ what, answer }) => canaries.foundIn(`${JSON.stringify(answer.headers)}\n${answer.text}`).map(of => `${what}: ${of}`));
    expect(found).toEqual([
      'PUT /api/auth/password: signature of a token',
      'POST /api/api-keys: secret of an API key',
      'POST /api/api-keys/1/rotate: secret of a rotated API key',
      // These three repeat data to their sender: the sample of a rejected row, the notice of a filter, and the terms of a search.
      'POST /api/ingestion/jobs/1/run: cell of a sensitive column',
      'POST /api/metrics/1/execute: value of a filter',
      'POST /api/graphs/1/query: text of a search',
    ]);
  });

  it('are in no row of the database', async () => {
    const { rows: tables } = await database.query<{ name: string }>(
      `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables WHERE schemaname NOT IN ('pg_catalog', 'information_schema')`,
    );
    const leaks: string[] = [];
    let scanned = 0;
    for (const { name } of tables) {
      const { rows } = await database.query<{ text: string }>(`SELECT t::text AS text FROM ${name} t`);
      scanned += rows.length;
      for (const { text } of rows) leaks.push(...canaries.foundIn(text, canaries.credentials).map(what => `${what}: ${name}: ${text}`));
    }
    expect(leaks).toEqual([]);
    expect(scanned).toBeGreaterThan(30);
    process.stdout.write(
      `${canaries.all.size} canaries, ${answers.length} requests, ${service.log.length} log lines (${service.stdout.length} bytes), ${scanned} rows of ${tables.length} tables: 0 hits\n`,
    );
  });
});
