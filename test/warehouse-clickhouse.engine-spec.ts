import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Egress } from '../src/egress/egress.js';
import { clickHouseKind } from '../src/warehouse/clients/clickhouse/clickhouse-kind.js';
import { sqlstates } from '../src/sql/sqlstate.js';
import { type QueryRequest, type WarehouseClient } from '../src/warehouse/clients/warehouse.client.js';
import { type ConnectionOptions } from '../src/warehouse/clients/warehouse-kind.js';
import { startTestApp, type TestApp } from './support/app.js';
import { clickHouseTables } from './support/clickhouse-contract-tables.js';
import { describeOnClickHouse, type Fault, ForeignClickHouse } from './support/foreign-clickhouse.js';
import { connectTo, copyAgain, copyToEnd, mirroredTable, startCopy } from './support/mirror-copies.js';
import { expectWorkOnlyAfterChange } from './support/unchanged-rows.js';
import { describeWarehouseTables, notes } from './support/warehouse-tables.contract.js';

let test: TestApp;
let foreign: ForeignClickHouse;
const clients: WarehouseClient[] = [];
const claim = { caller: 1 };

async function connect(dsn: string, options: ConnectionOptions = {}): Promise<WarehouseClient> {
  const client = await clickHouseKind.open({ dsn, options, egress: test.app.get(Egress), answerMaxBytes: 16_777_216 });
  clients.push(client);
  return client;
}

describeOnClickHouse('ClickHouse', () => {
  beforeAll(async () => {
    [test, foreign] = await Promise.all([startTestApp(), ForeignClickHouse.start()]);
    await connect(foreign.dsn());
  });
  afterAll(async () => {
    await Promise.all(clients.map(client => client.close()));
    await Promise.all([test.close(), foreign.remove()]);
  });

  describeWarehouseTables('a foreign ClickHouse', () => ({
    ...clickHouseTables,
    client: clients[0]!,
    pool: test.pool,
    change: sql => foreign.run(sql),
  }));

  const request = (sql: string, parameters: unknown[] = []): QueryRequest => ({ claim, sql, parameters, timeoutMs: 5_000, maxRows: 100 });
  const query = (sql: string, parameters?: unknown[]) => clients[0]!.query(request(sql, parameters));

  describe('answers statements of its own SQL and', () => {
    it('reads exact values', async () => {
      const { columns, rows, truncated, bytes } = await query(
        `SELECT toUInt64(18446744073709551615) AS big, toDecimal64(1.1, 2) AS price, toDate('2024-02-29') AS day, true AS ok, 0.1 AS ratio,
           toDateTime64('2024-02-29 10:00:00.120', 3, 'UTC') AS seen, NULL AS nothing, 'a\\tb\\\\N' AS said, toInt32(-1) AS small, [1] AS list`,
      );
      expect(columns.map(({ type }) => type)).toEqual(
        ['numeric', 'numeric', 'date', 'boolean', 'double precision', 'timestamptz', 'other', 'text', 'integer', 'other'], // prettier-ignore
      );
      expect(rows).toEqual([
        ['18446744073709551615', '1.10', '2024-02-29', true, 0.1, '2024-02-29T10:00:00.12+00:00', null, 'a\tb\\N', -1, '[1]'],
      ]);
      expect([truncated, bytes > 0]).toEqual([false, true]);
    });

    it('takes parameters, and never reads SQL in them', async () => {
      const said = "'; DROP TABLE contract_lines; --\\";
      expect((await query('SELECT {p1:String} AS said, {p2:Int64} + 1 AS n', [said, 4])).rows).toEqual([[said, '5']]);
    });

    it('fetches no more rows than asked for, of however many there are', async () => {
      expect(await clients[0]!.query({ ...request('SELECT number AS n FROM numbers(1000000000)'), maxRows: 3 })).toMatchObject({
        rows: [['0'], ['1'], ['2']],
        truncated: true,
      });
      expect(await clients[0]!.query({ ...request('SELECT 1 AS n'), maxRows: 1 })).toMatchObject({ truncated: false });
    });

    it('stops at the given number of bytes, and after the given time', async () => {
      const large = { ...request(`SELECT repeat('x', 1000) FROM numbers(100)`), maxBytes: 10_000 };
      await expect(clients[0]!.query(large)).rejects.toMatchObject({ code: 'answer_too_large', context: { limit_bytes: 10_000 } });
      const slow = { ...request('SELECT sleepEachRow(0.5) FROM numbers(20) SETTINGS max_block_size = 1'), timeoutMs: 300 };
      await expect(clients[0]!.query(slow)).rejects.toMatchObject({ code: 'warehouse_timeout', context: { timeout_ms: 300 } });
    });

    it.each([
      ['INSERT INTO contract_lines VALUES (9, 9, NULL)', sqlstates.readOnlyTransaction],
      ['DROP TABLE contract_lines', sqlstates.readOnlyTransaction],
      ['SELECT 1 FROM', sqlstates.syntaxError],
      ['SELECT 1 FROM contract_nothing', sqlstates.undefinedTable],
      ['SELECT nothing FROM contract_lines', sqlstates.undefinedColumn],
      ["SELECT CAST('x' AS Int32)", sqlstates.invalidText],
      ['SELECT intDiv(1, 0)', sqlstates.divisionByZero],
    ])('refuses, and says why in words of its own: %s', async (sql, sqlstate) => {
      await expect(query(sql)).rejects.toMatchObject({ status: 400, code: 'warehouse_query_failed', sqlstate });
      expect((await query('SELECT count() FROM contract_lines')).rows).toEqual([[String(notes.length)]]);
    });
  });

  describe('is tested and', () => {
    const tested = (dsn: string, options?: ConnectionOptions) => connect(dsn, options).then(client => client.test(claim));
    const failure = (code: string, stage: string) => ({ failure: code, stage });

    it('says who reads what, and that nothing can be written', async () => {
      expect(await tested(foreign.dsn())).toEqual({
        serverVersion: expect.stringMatching(/^26\.7\./),
        user: expect.any(String),
        isReadOnly: true,
        canWrite: false,
        warnings: [],
      });
    });

    it('warns of a user who could write', async () => {
      const { isReadOnly, canWrite, warnings } = await tested(foreign.dsn({ user: 'admin:rules' }));
      expect([isReadOnly, canWrite, warnings.map(({ en }) => en)]).toEqual([true, true, [expect.stringContaining('could write')]]);
    });

    it.each([
      ['a wrong password', { user: 'reader:wrong' }, 'AUTH_FAILED', 'login'],
      ['an unknown user', { user: 'nobody' }, 'AUTH_FAILED', 'login'],
      ['a database that is not there', { database: 'nowhere' }, 'DATABASE_MISSING', 'login'],
      ['a profile that lets no setting be set', { user: 'strict:locked' }, 'SETTINGS_REFUSED', 'rights'],
      ['a server without TLS', { query: '' }, 'TLS_MISSING', 'tls'],
      ['a name that is not known', { host: 'no-such-host.invalid' }, 'DNS_FAILED', 'address'],
      ['an address of the machine itself', { host: '[::1]' }, 'BLOCKED_ADDRESS', 'address'],
    ])('tells %s', async (_, parts, code, stage) => {
      await expect(tested(foreign.dsn(parts))).rejects.toMatchObject(failure(code, stage));
    });

    it.each([
      ['nothing', null, 'REFUSED', 'tcp'],
      ['something that never speaks', () => undefined, 'TIMEOUT', 'login'],
      ['another protocol', (socket: Socket) => socket.end('220 mail.example ESMTP ready\r\n'), 'PROTOCOL', 'login'],
      ['something that hangs up', (socket: Socket) => socket.destroy(), 'PROTOCOL', 'login'],
      ['another web server', (socket: Socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi'), 'PROTOCOL', 'login'],
      ['a web server that refuses', (socket: Socket) => socket.end('HTTP/1.1 401 No\r\nContent-Length: 2\r\n\r\nhi'), 'PROTOCOL', 'login'],
    ])('tells what listens: %s', async (_, answer, code, stage) => {
      const server = createServer(answer ?? undefined).listen(0, '127.0.0.1');
      await once(server, 'listening');
      const { port } = server.address() as AddressInfo;
      if (!answer) server.close();
      await expect(tested(`clickhouse://u:p@127.0.0.1:${port}/d?sslmode=disable`)).rejects.toMatchObject(failure(code, stage));
      server.close();
    });
  });

  it('is created, tested and read over the API, and shows no secret', async () => {
    const created = await test.admin
      .post('/api/warehouse/connections')
      .send({ name: 'clicks', type: 'clickhouse', dsn: foreign.dsn() })
      .expect(201);
    expect(created.body.dsn_masked).toBe(`clickhouse://reader:***@127.0.0.1:${foreign.port}/sales?sslmode=disable`);
    const url = `/api/warehouse/connections/${created.body.id}`;
    const { body } = await test.admin.post(`${url}/test`).expect(200);
    expect(body).toMatchObject({ ok: true, read_only_enforced: true, can_write: false, warnings: [] });
    const page = await test.admin.get(`${url}/tables/contract_orders`).expect(200);
    expect(page.body.columns.map((column: { type: string }) => column.type)).toEqual(clickHouseTables.types.map(([type]) => type));
    expect(JSON.stringify([created.body, body, page.body])).not.toContain('p%40ss');
  });

  it.each([
    ['clickhouse://u:p@h:8443/d?database=x', 'dsn_parameter'],
    ['clickhouse://u:p@h:8443/', 'dsn_form'],
    ['https://u:p@h:8443/d', 'dsn_form'],
  ])('refuses the DSN %s', (dsn, type) => {
    expect(clickHouseKind.check(dsn)).toEqual([expect.objectContaining({ type })]);
  });

  it('gives the rows of a large table in the same order each time', async () => {
    await foreign.run('CREATE TABLE spread (id UInt64) ENGINE = MergeTree ORDER BY tuple()');
    for (const part of [0, 1, 2]) await foreign.run(`INSERT INTO spread SELECT number * 3 + ${part} FROM numbers(500000)`);
    const orders = new Set<string>();
    for (let time = 0; time < 4; time++) {
      const reading = await clients[0]!.openReading({ claim, timeoutMs: 20_000 });
      const hash = createHash('sha256');
      for await (const chunk of reading.rows({ table: 'spread', columns: ['id'] })) hash.update(chunk as Buffer);
      orders.add(hash.digest('hex'));
      await reading.close();
    }
    expect(orders.size).toBe(1);
  });

  describe('a reading that fails in the middle of its rows', () => {
    const half = 300_000;

    beforeAll(async () => {
      await foreign.run('CREATE VIEW many AS SELECT number AS id, toString(number) AS said FROM numbers(200000)');
      await foreign.run('CREATE VIEW endless AS SELECT number AS id FROM numbers(100000000000)');
    });

    const readAll = async (table: string, columns: string[], signal?: AbortSignal): Promise<number> => {
      const reading = await clients[0]!.openReading({ claim, timeoutMs: 20_000, ...(signal && { signal }) });
      let bytes = 0;
      try {
        for await (const chunk of reading.rows({ table, columns }) as AsyncIterable<Buffer>) bytes += chunk.length;
        return bytes;
      } finally {
        await reading.close();
      }
    };

    it.each<[Fault['kind'], object]>([
      ['error', { code: 'warehouse_query_failed', sqlstate: sqlstates.outOfMemory }],
      ['tagged', { code: 'warehouse_query_failed', sqlstate: sqlstates.outOfMemory }],
      ['end', { code: 'warehouse_unavailable' }],
      ['cut', { code: 'warehouse_unavailable' }],
    ])('never gives a part of them as the whole: %s', async (kind, error) => {
      const whole = await readAll('many', ['id', 'said']);
      for (const afterBytes of [1, half, whole - 1, whole]) {
        await foreign.break({ kind, afterBytes });
        await expect(readAll('many', ['id', 'said'])).rejects.toMatchObject(error);
      }
      expect(await readAll('many', ['id', 'said'])).toBe(whole);
    });

    it('does not give the text of an error as rows', async () => {
      await foreign.break({ kind: 'error', afterBytes: half });
      const reading = await clients[0]!.openReading({ claim, timeoutMs: 20_000 });
      let text = '';
      const rows = reading.rows({ table: 'many', columns: ['id'] });
      await expect((async () => { for await (const chunk of rows) text += String(chunk); })()).rejects.toThrow(); // prettier-ignore
      await reading.close();
      expect(text.length).toBeGreaterThan(half / 2);
      expect(text).not.toMatch(/[^\d\n]/);
    });

    it('ends its statement once the reading is cancelled or left', async () => {
      const cancelled = new AbortController();
      setTimeout(() => cancelled.abort(new Error('cancelled')), 500);
      await expect(readAll('endless', ['id'], cancelled.signal)).rejects.toThrow('cancelled');
      const left = await clients[0]!.openReading({ claim, timeoutMs: 20_000 });
      const rows = left.rows({ table: 'endless', columns: ['id'] });
      await once(rows, 'data');
      rows.destroy();
      await left.close();
      for (let tries = 0; (await foreign.running()) > 0; tries++) {
        if (tries === 50) throw new Error('A statement still runs');
        await sleep(100);
      }
    });

    it('holds no more rows in memory than are on their way', async () => {
      const reading = await clients[0]!.openReading({ claim, timeoutMs: 20_000 });
      const rows = reading.rows({ table: 'endless', columns: ['id'] });
      rows.on('error', () => undefined);
      await once(rows, 'readable');
      const before = process.memoryUsage().arrayBuffers;
      await sleep(1_000);
      expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(20_000_000);
      await reading.close();
    });

    it('is cut off by a crash of the server, and is unavailable after it', async () => {
      const crashed = readAll('endless', ['id']);
      const gone = sleep(500).then(() => foreign.kill());
      await expect(crashed).rejects.toMatchObject({ code: 'warehouse_unavailable' });
      await gone;
      await expect(query('SELECT 1')).rejects.toMatchObject({ code: 'warehouse_unavailable', context: { failure: 'REFUSED' } });
    });
  });

  describe('a copy of tables of ClickHouse', () => {
    let server: ForeignClickHouse;
    beforeAll(async () => {
      server = await ForeignClickHouse.start();
    });
    afterAll(() => server.remove());

    it('is not needed by runs, which end at once on unchanged rows', async () => {
      await connectTo(test, 'clickhouse', server.dsn(), 'same');
      await server.run('CREATE TABLE same_rows (id Int32, v String) ENGINE = MergeTree ORDER BY id');
      await server.run("INSERT INTO same_rows VALUES (1, 'a'), (2, 'b')");
      await expectWorkOnlyAfterChange(test, {
        connection: 'same',
        table: 'same_rows',
        rewrite: () => server.run('OPTIMIZE TABLE same_rows FINAL'),
        change: () => server.run("ALTER TABLE same_rows UPDATE v = 'c' WHERE id = 2 SETTINGS mutations_sync = 1"),
      });
    });

    it('equals its source, and needs the columns of a key for a cursor', async () => {
      await server.run(
        `CREATE TABLE kinds (id UInt64, n Nullable(Decimal(38, 10)), d Float64, t String COMMENT '文', b Bool, day Date, at DateTime64(3, 'UTC'), ints Array(Nullable(Int32)), m Map(String, Int32)) ENGINE = MergeTree ORDER BY id COMMENT '种类'`,
      );
      await server.run(
        `INSERT INTO kinds VALUES (1, 1234567890123456789.0123456789, 0.1, 'tab\\t\\n\\\\N', true, '2024-02-29', '2024-02-29 12:00:00.123', [1, NULL], {'a': 1}), (18446744073709551615, NULL, inf, '', false, '1970-01-01', '2024-02-29 13:00:00', [], {})`,
      );
      const id = await connectTo(test, 'clickhouse', server.dsn());
      const keyless = await startCopy(test, id, [{ table: 'kinds', as: 'click', mode: 'cursor', cursor: 'at' }]);
      expect(keyless.status).toBe(422);
      expect(keyless.body.detail.errors).toEqual([expect.objectContaining({ loc: ['body', 'tables', 0, 'key'], type: 'key_needed' })]);
      const done = await copyToEnd(test, id, [{ table: 'kinds', as: 'click', mode: 'cursor', cursor: 'at', key: ['id'] }]);
      expect(done.error).toBeNull();
      expect(done).toMatchObject({ guarantee: 'statement', rows: 2 });
      expect(
        (
          await test.pool.query({
            text: `SELECT id::text, n::text, d, t, b, day::text, at = '2024-02-29 12:00:00.123+00', ints, m FROM mirror.click ORDER BY click.id`,
            rowMode: 'array',
          })
        ).rows,
      ).toEqual([
        ['1', '1234567890123456789.0123456789', 0.1, 'tab\t\n\\N', true, '2024-02-29', true, [1, null], { a: 1 }],
        ['18446744073709551615', null, Infinity, '', false, '1970-01-01', false, [], {}],
      ]);
      expect(await mirroredTable(test, 'click')).toMatchObject({ comment: '种类', keys: [{ columns: ['id'] }] });
      await server.run(`INSERT INTO kinds (id, t, at) VALUES (2, 'same moment', '2024-02-29 13:00:00')`);
      expect((await copyAgain(test, done.id)).tables[0]).toMatchObject({ reads: 'since', rows: 2, inserted: 1, updated: 0 });
    });
  });
});
