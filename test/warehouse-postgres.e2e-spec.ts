import { once } from 'node:events';
import { finished, pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { from as copyFrom } from 'pg-copy-streams';
import { Egress } from '../src/egress/egress.js';
import { quoteIdentifier } from '../src/sql/quote-identifier.js';
import { postgresKind } from '../src/warehouse/clients/postgres/postgres-kind.js';
import { type WarehouseClient } from '../src/warehouse/clients/warehouse.client.js';
import { type ConnectionOptions } from '../src/warehouse/clients/warehouse-kind.js';
import { startTestApp, type TestApp } from './support/app.js';
import { ForeignPostgres } from './support/foreign-postgres.js';
import { describePostgresSql } from './support/postgres-sql.contract.js';
import { TlsFront } from './support/tls-front.js';
import { describeWarehouseTables } from './support/warehouse-tables.contract.js';
import { postgresTables } from './support/postgres-contract-tables.js';
import { allowAnyStatement } from './support/statement-check.js';

allowAnyStatement();

let test: TestApp;
let foreign: ForeignPostgres;
const clients: WarehouseClient[] = [];

async function connect(dsn: string, options: ConnectionOptions = {}): Promise<WarehouseClient> {
  const client = await postgresKind.open({ dsn, options, egress: test.app.get(Egress), answerMaxBytes: 16_777_216 });
  clients.push(client);
  return client;
}

beforeAll(async () => {
  [test, foreign] = await Promise.all([startTestApp(), ForeignPostgres.start()]);
  await connect(foreign.dsn());
});
afterAll(async () => {
  await Promise.all(clients.map(client => client.close()));
  await Promise.all([test.close(), foreign.remove()]);
});

describePostgresSql('a foreign PostgreSQL', () => ({ client: clients[0]!, change: sql => foreign.run(sql) }));

describeWarehouseTables('a foreign PostgreSQL', () => ({
  ...postgresTables,
  client: clients[0]!,
  pool: test.pool,
  change: sql => foreign.run(sql),
}));

describe('a foreign PostgreSQL', () => {
  const claim = { caller: 7 };
  beforeAll(() =>
    foreign.run(`
      CREATE VIEW many AS SELECT n, repeat('x', 100) AS text FROM generate_series(1, 500000) n;
      CREATE VIEW slow AS SELECT n, pg_sleep(0.05)::text AS pause FROM generate_series(1, 200) n;
      CREATE TABLE kinds (
        flag boolean, day date, bytes bytea, uuid uuid, doc jsonb, tags text[], span interval, at timestamptz, real real, float double precision,
        huge numeric, address inet, range int4range, bits bit(4), name name, "odd ""name""" text);
      SET TimeZone = 'Asia/Shanghai';
      INSERT INTO kinds VALUES (true, 'infinity', '\\x00ff', gen_random_uuid(), '{"a": "\\u4e2d"}', '{a,NULL,"b,c"}', '1 year 2 days 03:04:05.6',
        '2024-02-29 10:00:00.123456+08', 0.1, 1e-300, 'NaN', '10.0.0.0/8', '[1,5)', B'1010', 'n', 'quoted'); INSERT INTO kinds (flag) VALUES (false)`),
  );

  it('gives every value as the service reads it, whatever the settings of its user', async () => {
    await foreign.run(`ALTER ROLE reader SET DateStyle = 'German'; ALTER ROLE reader SET TimeZone = 'Asia/Shanghai';
      ALTER ROLE reader SET IntervalStyle = 'sql_standard'; ALTER ROLE reader SET extra_float_digits = -10; ALTER ROLE reader SET bytea_output = 'escape'`);
    const client = await connect(foreign.dsn());
    const { columns } = (await client.catalog({ caller: 1 }).describe('kinds'))!;
    const reading = await client.openReading({ claim, timeoutMs: 10_000 });
    const names = columns.map(({ name }) => name);
    const loaded = await test.pool.transaction(async own => {
      await own.query(
        `CREATE TEMP TABLE loaded (${columns.map(({ name, type }) => `${quoteIdentifier(name)} ${type}`).join(', ')}) ON COMMIT DROP`,
      );
      await pipeline(reading.rows({ table: 'kinds', columns: names }), own.query(copyFrom('COPY loaded FROM STDIN')));
      return (await own.query(`SELECT md5(array_agg(r::text ORDER BY flag)::text) AS sum FROM loaded r`)).rows;
    });
    await reading.close();
    const there = await foreign.run(`SET TimeZone = 'UTC'; SELECT md5(array_agg(r::text ORDER BY flag)::text) AS sum FROM kinds r`);
    expect(loaded).toEqual((there as unknown as { rows: unknown[] }[])[1]!.rows);
  });

  /** Waits until a COPY has ended, or its server waits for the client, which has taken nothing since the last look. */
  async function untilNothingMoves(): Promise<void> {
    const copies = `SELECT wait_event FROM pg_stat_activity WHERE datname = current_database() AND query ~ '^COPY' AND state = 'active'`;
    for (let before = -1; ; before = foreign.sentBytes) {
      const { rows } = await foreign.run(copies);
      if (rows.every(copy => copy.wait_event === 'ClientWrite') && foreign.sentBytes === before) return;
    }
  }

  it('sends no more than is taken', async () => {
    const client = await connect(foreign.dsn());
    const reading = await client.openReading({ claim, timeoutMs: 30_000 });
    const before = process.memoryUsage().rss;
    const rows = reading.rows({ table: 'many', columns: ['n', 'text'] });
    await once(rows, 'readable');
    await untilNothingMoves();
    expect(process.memoryUsage().rss - before).toBeLessThan(20_000_000);
    let bytes = 0;
    for await (const chunk of rows) bytes += (chunk as Buffer).length;
    expect(bytes).toBeGreaterThan(50_000_000);
    await reading.close();
  });

  it('fails with an error of ours when its connection drops, and is read again', async () => {
    const client = await connect(foreign.dsn());
    const reading = await client.openReading({ claim, timeoutMs: 30_000 });
    const rows = reading.rows({ table: 'many', columns: ['n', 'text'] });
    await once(rows, 'readable');
    foreign.cut();
    await expect(finished(rows.resume())).rejects.toMatchObject({ code: 'warehouse_unavailable' });
    await reading.close();
    const again = await client.openReading({ claim, timeoutMs: 30_000 });
    await finished(again.rows({ table: 'many', columns: ['n'] }).resume());
    await again.close();
  });

  it('is not waited for beyond the limit of a reading or of its connection', async () => {
    const client = await connect(foreign.dsn(), { statement_timeout_ms: 300 });
    const slowly = { claim, timeoutMs: 60_000 };
    const reading = await client.openReading(slowly);
    await expect(finished(reading.rows({ table: 'slow', columns: ['n', 'pause'] }).resume())).rejects.toMatchObject({
      code: 'warehouse_timeout',
      context: { timeout_ms: 300 },
    });
    await reading.close();
    await expect(client.query({ ...slowly, sql: 'SELECT pg_sleep(20)', parameters: [], maxRows: 1 })).rejects.toMatchObject({
      context: { timeout_ms: 300 },
    });
  });

  it.each([
    ['without TLS', false],
    ['with TLS', true],
  ])('ends its statement once the reading is left or cancelled before the first row, %s', async (_, isSecured) => {
    await foreign.run('CREATE OR REPLACE VIEW silent AS SELECT pg_sleep(600)::text AS pause');
    const front = isSecured ? await TlsFront.start(foreign.port) : null;
    const running = async () =>
      (await foreign.run(`SELECT FROM pg_stat_activity WHERE datname = current_database() AND query ~ '^COPY' AND state = 'active'`))
        .rowCount;
    const until = async (count: number) => {
      for (let tries = 0; (await running()) !== count; tries++, await sleep(20)) expect(tries).toBeLessThan(1_000);
    };
    try {
      const dsn = front ? foreign.dsn({ query: '' }).replace(`:${foreign.port}/`, `:${front.port}/`) : foreign.dsn();
      const client = await connect(dsn, { ...(front && { ssl_mode: 'require' }) });
      const left = await client.openReading({ claim, timeoutMs: 60_000 });
      const rows = left.rows({ table: 'silent', columns: ['pause'] }).on('error', () => undefined);
      await until(1);
      rows.destroy();
      await left.close();
      await until(0);

      const stop = new AbortController();
      const cancelled = await client.openReading({ claim, timeoutMs: 60_000, signal: stop.signal });
      const ended = finished(cancelled.rows({ table: 'silent', columns: ['pause'] }).resume());
      await until(1);
      stop.abort(new Error('Enough'));
      await expect(ended).rejects.toThrow('Enough');
      await cancelled.close();
      await until(0);
    } finally {
      front?.close();
    }
  });

  it('closes connections that nobody uses, and the others once they are given back', async () => {
    const client = await connect(foreign.dsn());
    const connected = async (): Promise<number[]> =>
      (await foreign.run(`SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND usename = 'reader'`)).rows.map(
        row => row.pid as number,
      );
    const others = new Set(await connected());
    const own = async () => (await connected()).filter(pid => !others.has(pid)).length;
    const reading = await client.openReading({ claim, timeoutMs: 30_000 });
    await client.close();
    expect(await own()).toBe(1);
    await finished(reading.rows({ table: 'many', columns: ['n'] }).resume());
    await reading.close();
    // A call that began before may still run, but leaves no connection behind.
    expect(await client.catalog({ caller: 1 }).listNames()).toContain('many');
    for (let tries = 0; (await own()) > 0; tries++, await sleep(20)) expect(tries).toBeLessThan(500);
  });
});
