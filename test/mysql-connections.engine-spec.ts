import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { once } from 'node:events';
import { Socket } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import mysql2 from 'mysql2';
import { type Egress } from '../src/egress/egress.js';
import { knownDsn } from '../src/warehouse/clients/dsn.js';
import { MysqlConnection } from '../src/warehouse/clients/mysql/mysql-connection.js';
import { mysqlDsn, mysqlKind } from '../src/warehouse/clients/mysql/mysql-kind.js';
import { type QueryRequest, type WarehouseClient } from '../src/warehouse/clients/warehouse.client.js';
import { type ConnectionOptions } from '../src/warehouse/clients/warehouse-kind.js';
import { startTestApp, type TestApp } from './support/app.js';
import { hasMariaDb, MariaDb } from './support/mariadb.js';
import { describeWarehouseTables, notes, type TablesWorld } from './support/warehouse-tables.contract.js';

/** The notes as MySQL literals. Backslashes are doubled, because MySQL reads them as escapes. */
const literals = notes.map(note => (note === null ? 'NULL' : `'${note.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`));

/** The tables of `warehouse-tables.contract.ts`, in MariaDB's SQL. */
const mysqlTables: Pick<TablesWorld, 'setUp' | 'types' | 'guarantee' | 'slow'> = {
  guarantee: 'snapshot',
  slow: 'SELECT SLEEP(60)',
  types: [
    ['integer', 'int(11)'],
    ['text', 'text'],
    ['numeric(12,2)', 'decimal(12,2)'],
    ['date', 'date'],
    ['timestamp', 'datetime(6)'],
    ['double precision', 'double'],
  ],
  setUp: [
    `CREATE TABLE contract_orders (id int PRIMARY KEY, name text, amount decimal(12,2) COMMENT '金额（元）', day date, seen datetime(6), ratio double)
     COMMENT '订单'`,
    `INSERT INTO contract_orders VALUES (1, '华为', 12.5, '2024-02-29', '2024-02-29 10:00:00.123', 0.1), (2, NULL, NULL, NULL, NULL, NULL)`,
    `CREATE TABLE contract_lines (order_id int, line int, note text, PRIMARY KEY (order_id, line),
       FOREIGN KEY (order_id) REFERENCES contract_orders (id))`,
    `INSERT INTO contract_lines VALUES ${literals.map((note, index) => `(1, ${index + 1}, ${note})`).join(', ')}`,
    'CREATE TABLE contract_odd (id int, odd point)',
    "INSERT INTO contract_odd VALUES (1, ST_GeomFromText('POINT(1 2)'))",
  ],
};

const describeIfThere = hasMariaDb() ? describe : describe.skip;
/** An `Egress` without rules for addresses. They have tests of their own, and would refuse 127.0.0.1 by default. */
const anywhere = { socket: () => new Socket() } as Egress;
const claim = { caller: 1 };

describeIfThere('connections to MySQL', () => {
  let test: TestApp;
  let db: MariaDb;
  let onTables: WarehouseClient;
  const clients: WarehouseClient[] = [];

  const connect = async (dsn: string, options: ConnectionOptions = {}): Promise<WarehouseClient> => {
    const client = await mysqlKind.open({ dsn, options, egress: anywhere, answerMaxBytes: 1_048_576 });
    clients.push(client);
    return client;
  };
  const query = (client: WarehouseClient, sql: string, more: Partial<QueryRequest> = {}) =>
    client.query({ claim, sql, parameters: [], timeoutMs: 5_000, maxRows: 10, ...more });
  const failure = async (dsn: string, options?: ConnectionOptions): Promise<unknown> =>
    (await connect(dsn, options)).test(claim).then(
      () => 'no failure',
      (error: { context: unknown }) => error.context,
    );
  /** The statements that connections of the user `reader` run at the server. */
  const running = async (): Promise<unknown[]> =>
    (await db.run("SELECT info FROM information_schema.processlist WHERE user = 'reader' AND info IS NOT NULL")).flat();

  const untilNothingRuns = async (): Promise<void> => {
    for (let tries = 0; (await running()).length > 0; tries++, await sleep(50)) expect(tries).toBeLessThan(600);
  };

  beforeAll(async () => {
    [test, db] = await Promise.all([startTestApp(), MariaDb.start()]);
    onTables = await connect(db.dsn());
    await db.run('CREATE TABLE logs (id int PRIMARY KEY, note text)');
    await db.run("INSERT INTO logs SELECT seq, REPEAT('x', 1000) FROM seq_1_to_50000");
  });
  afterAll(async () => {
    await Promise.all(clients.map(client => client.close()));
    await Promise.all([test.close(), db.remove()]);
  });

  describeWarehouseTables('a MariaDB', () => ({ ...mysqlTables, client: onTables, pool: test.pool, change: sql => db.run(sql) }));

  it('say who reads, and whether that user could write', async () => {
    const reader = await (await connect(db.dsn())).test(claim);
    expect(reader).toEqual({
      serverVersion: expect.stringContaining('MariaDB'),
      user: 'reader@%',
      isReadOnly: true,
      canWrite: false,
      warnings: [],
    });
    const writer = await (await connect(db.dsn({ user: 'writer:writes' }))).test(claim);
    expect(writer).toMatchObject({ isReadOnly: true, canWrite: true, warnings: [{ en: expect.stringContaining('could write') }] });
    await db.run("CREATE USER filer@'%' IDENTIFIED BY 'files'");
    await db.run("GRANT SELECT, FILE ON *.* TO filer@'%'");
    const filer = await (await connect(db.dsn({ user: 'filer:files' }))).test(claim);
    expect(filer.warnings.map(({ en }) => en)).toEqual([expect.stringContaining('could write'), expect.stringContaining('FILE privilege')]);
  });

  it('say at which stage they fail, and why', async () => {
    const { port } = db;
    expect(await failure(db.dsn({ user: 'reader:wrong' }))).toEqual({ stage: 'login', failure: 'AUTH_FAILED' });
    expect(await failure(db.dsn({ user: 'nobody' }))).toEqual({ stage: 'login', failure: 'AUTH_FAILED' });
    expect(await failure(db.dsn({ database: 'others' }))).toEqual({ stage: 'login', failure: 'DATABASE_FORBIDDEN' });
    expect(await failure(db.dsn({ user: 'writer:writes', database: 'salary' }))).toEqual({ stage: 'login', failure: 'DATABASE_MISSING' });
    expect(await failure('mysql://reader@127.0.0.1:1/sales')).toEqual({ stage: 'tcp', failure: 'REFUSED' });
    expect(await failure(`mysql://reader@no-such-host.invalid:${port}/sales`)).toEqual({ stage: 'address', failure: 'DNS_FAILED' });
    expect(await failure(db.dsn({ query: '' }))).toEqual({ stage: 'tls', failure: 'TLS_MISSING' });
    expect(await failure(db.dsn({ query: '?ssl-mode=preferred' }))).toBe('no failure');
  });

  it('are encrypted, and check the certificate as ssl_mode says', async () => {
    const folder = await mkdtemp(path.join(os.tmpdir(), 'certificate-'));
    const files = { key: path.join(folder, 'key'), cert: path.join(folder, 'cert') };
    const secure = await (async () => {
      const names = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'];
      execFileSync('openssl', ['req', '-x509', '-nodes', '-newkey', 'rsa:2048', '-keyout', files.key, '-out', files.cert, ...names], {
        stdio: 'ignore',
      });
      return MariaDb.start([`--ssl-key=${files.key}`, `--ssl-cert=${files.cert}`]);
    })();
    try {
      const encrypted = await connect(secure.dsn({ query: '?ssl-mode=REQUIRED' }));
      const { rows } = await query(encrypted, "SHOW SESSION STATUS LIKE 'Ssl_version'");
      expect(rows).toEqual([['Ssl_version', expect.stringContaining('TLS')]]);
      expect(await failure(secure.dsn(), { ssl_mode: 'verify-full' })).toEqual({ stage: 'tls', failure: 'TLS_FAILED' });

      /** Trusts the server's own certificate as an authority, so that `verify-full` can succeed. */
      const ca = readFileSync(files.cert);
      const driver: typeof mysql2 = {
        ...mysql2,
        createConnection: options => mysql2.createConnection({ ...options, ssl: { ...(options as { ssl: object }).ssl, ca } } as never),
      };
      const verified = async (host: string): Promise<boolean> => {
        const dsn = knownDsn(secure.dsn({ host }), mysqlDsn);
        const opened = await MysqlConnection.open({ driver, egress: anywhere, dsn, sslMode: 'verify-full', connectTimeoutMs: 5_000 });
        opened.end();
        return opened !== undefined;
      };
      expect(await verified('localhost')).toBe(true);
      await expect(verified('127.0.0.1')).rejects.toMatchObject({ failure: 'TLS_FAILED' });
    } finally {
      await secure.remove();
      await rm(folder, { recursive: true, force: true });
    }
  });

  it('run one statement that may only read', async () => {
    const writer = await connect(db.dsn({ user: 'writer:writes' }));
    const refused = (sql: string) => expect(query(writer, sql)).rejects.toMatchObject({ code: 'warehouse_query_failed' });
    await refused("INSERT INTO logs VALUES (0, '')");
    await refused('CREATE TABLE made (id int)');
    await refused('DROP TABLE logs');
    await refused('SELECT 1; SELECT 2');
    await refused("LOAD DATA LOCAL INFILE '/etc/passwd' INTO TABLE logs");
    await refused('SELECT nothing FROM logs');
    expect((await query(writer, 'SELECT COUNT(*) FROM logs')).rows).toEqual([['50000']]);
  });

  it('give values of JSON, and name their types', async () => {
    const client = await connect(db.dsn());
    const sql = `SELECT ? AS given, CAST(18446744073709551615 AS UNSIGNED) AS big, 1.50 AS price, CAST('2024-02-29' AS DATE) AS day,
      CAST('2024-02-29 10:00:00.5' AS DATETIME(1)) AS seen, CAST('-100:00:00' AS TIME) AS span, 0x00FF AS bytes, 0.5e0 AS ratio, NULL AS none`;
    expect(await query(client, sql, { parameters: ["'; --"] })).toMatchObject({
      columns: [
        ['given', 'text'],
        ['big', 'numeric'],
        ['price', 'numeric'],
        ['day', 'date'],
        ['seen', 'timestamp'],
        ['span', 'interval'],
        ['bytes', 'bytea'],
        ['ratio', 'double precision'],
        ['none', 'bytea'],
      ].map(([name, type]) => ({ name, type })),
      rows: [["'; --", '18446744073709551615', '1.50', '2024-02-29', '2024-02-29T10:00:00.5', '-100:00:00', '\\x00ff', 0.5, null]],
      truncated: false,
    });
  });

  it('read text of a server that heeds no character set of a login', async () => {
    const other = await MariaDb.start(['--character-set-server=gbk', '--skip-character-set-client-handshake']);
    try {
      await other.run('CREATE TABLE names (name text CHARACTER SET gbk)');
      await other.run('INSERT INTO names VALUES (_utf8mb4 0xE4B8AD)');
      const client = await connect(other.dsn());
      expect((await query(client, 'SELECT name FROM names')).rows).toEqual([['中']]);
      await client.close();
    } finally {
      await other.remove();
    }
  });

  it('bound the rows, bytes and time of a result', async () => {
    const client = await connect(db.dsn());
    const few = await query(client, 'SELECT id FROM logs ORDER BY id');
    expect([few.rows.length, few.truncated, few.rows[9]]).toEqual([10, true, [10]]);
    const limited = await query(client, 'SELECT id FROM logs ORDER BY id LIMIT 40000');
    expect([limited.rows.length, limited.truncated]).toEqual([10, true]);
    await expect(query(client, 'SELECT note FROM logs', { maxRows: 100_000 })).rejects.toMatchObject({ code: 'answer_too_large' });
    await expect(query(client, "SELECT REPEAT('x', 5000000)")).rejects.toMatchObject({ code: 'answer_too_large' });
    await expect(query(client, 'SELECT COUNT(*) FROM logs a, logs b, logs c', { timeoutMs: 200 })).rejects.toMatchObject({
      code: 'warehouse_timeout',
    });
    await untilNothingRuns();
    expect((await query(client, 'SELECT 1')).rows).toEqual([[1]]);
  });

  it('end at the server what is left here', async () => {
    await db.run('CREATE VIEW slow AS SELECT a.id, SLEEP(0.01) AS waited FROM logs a');
    const client = await connect(db.dsn());
    const leaving = [
      async (): Promise<void> => {
        const reading = await client.openReading({ claim, timeoutMs: 60_000 });
        const rows = reading.rows({ table: 'slow', columns: ['id', 'waited'] }).on('error', () => undefined);
        rows.resume();
        await sleep(300);
        expect(await running()).toHaveLength(1);
        await reading.close();
      },
      async (): Promise<void> => {
        const cancel = new AbortController();
        const reading = await client.openReading({ claim, timeoutMs: 60_000, signal: cancel.signal });
        const rows = reading.rows({ table: 'slow', columns: ['id', 'waited'] }).resume();
        setTimeout(() => cancel.abort(new Error('cancelled')), 300);
        await expect(once(rows, 'end')).rejects.toThrow('cancelled');
      },
      async (): Promise<void> => {
        const gone = new AbortController();
        setTimeout(() => gone.abort(new Error('gone')), 300);
        const asked = query(client, 'SELECT * FROM slow', { claim: { ...claim, signal: gone.signal }, timeoutMs: 60_000, maxRows: 10_000 });
        await expect(asked).rejects.toThrow('gone');
      },
      async (): Promise<void> => {
        const reading = await client.openReading({ claim, timeoutMs: 400 });
        const rows = reading.rows({ table: 'slow', columns: ['id', 'waited'] }).resume();
        await expect(once(rows, 'end')).rejects.toMatchObject({ code: 'warehouse_timeout' });
        await reading.close();
      },
    ];
    for (const leave of leaving) {
      await leave();
      await untilNothingRuns();
    }
    await db.run('DROP VIEW slow');
  });

  it('hold few rows for a reader that takes none', async () => {
    const client = await connect(db.dsn());
    const reading = await client.openReading({ claim, timeoutMs: 60_000 });
    const rows = reading.rows({ table: 'logs', columns: ['id', 'note'] });
    await sleep(1_000);
    expect(rows.readableLength).toBeLessThan(1_048_576);
    let bytes = 0;
    for await (const chunk of rows) bytes += (chunk as Buffer).length;
    expect(bytes).toBeGreaterThan(50_000_000);
    await reading.close();
  });
});
