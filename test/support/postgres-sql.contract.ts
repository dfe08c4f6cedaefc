import { sqlstates } from '../../src/sql/sqlstate.js';
import { PostgresTables } from '../../src/warehouse/clients/postgres/postgres-tables.js';
import { type QueryRequest, type WarehouseClient } from '../../src/warehouse/clients/warehouse.client.js';

export interface SqlWorld {
  client: WarehouseClient;
  /** Runs statements on the client's tables, as a user who may change them. */
  change: (sql: string) => Promise<unknown>;
}

/** Tests every client that accepts PostgreSQL's SQL. `open` is called once, before the first test. */
export function describePostgresSql(name: string, open: () => SqlWorld): void {
  describe(`${name} takes PostgreSQL's SQL and`, () => {
    let client: WarehouseClient;
    let change: SqlWorld['change'];
    /** The quoted name of a table, for statements of `change`. */
    const table = (bare: string): string => `"${client.schema}"."${bare}"`;

    beforeAll(async () => {
      ({ client, change } = open());
      await change(`
        CREATE TABLE ${table('contract things')} (id integer, big bigint, price numeric, at date, seen timestamp);
        INSERT INTO ${table('contract things')} VALUES
          (1, 9223372036854775807, 1.10, '2024-02-29', '2024-02-29 10:00:00'), (2, 5, 2.2, NULL, NULL);
        CREATE TABLE ${table('contract_keys')} (
          line smallint NOT NULL, code varchar(20) UNIQUE, "单价" numeric(12,2), region char(2), ratio double precision, share real, ok boolean,
          at timestamptz NOT NULL, open time, doc jsonb, PRIMARY KEY (region, line),
          UNIQUE (share, code) INCLUDE (doc));
        CREATE UNIQUE INDEX ON ${table('contract_keys')} (ratio) WHERE ok;
        CREATE UNIQUE INDEX ON ${table('contract_keys')} (open, lower(code));
        CREATE TABLE ${table('contract_empty')} (a integer)`);
    });

    const request = (sql: string, parameters: unknown[] = []): QueryRequest => ({
      claim: { caller: 1 },
      sql,
      parameters,
      timeoutMs: 5_000,
      maxRows: 100,
    });
    const query = (sql: string, parameters?: unknown[]) => client.query(request(sql, parameters));

    it('runs the statements of a snapshot on rows and tables of one moment', async () => {
      if (!(client instanceof PostgresTables)) throw new Error('It speaks PostgreSQL and is no client of it');
      await change(`CREATE TABLE ${table('moments')} (n int); INSERT INTO ${table('moments')} VALUES (1)`);
      const request = { claim: { caller: 7 }, tables: [client.place('moments')], timeoutMs: 10_000, timeZone: 'Asia/Shanghai' };
      const count = {
        sql: `SELECT count(*), '2024-01-31T20:00:00Z'::timestamptz::date FROM ${table('moments')}`,
        parameters: [],
        maxRows: 1,
      };
      const rows = await client.snapshot(request, async query => {
        const [first] = (await query(count)).rows;
        await change(`INSERT INTO ${table('moments')} VALUES (2)`);
        const swap = change(`SET lock_timeout = '200ms'; DROP TABLE ${table('moments')}`);
        await expect(swap).rejects.toMatchObject({ code: sqlstates.lockNotAvailable });
        return [first, (await query(count)).rows[0]];
      });
      expect(rows).toEqual([
        ['1', '2024-02-01'],
        ['1', '2024-02-01'],
      ]);
    });

    it('tests its connection as the role that runs the SQL of users', async () => {
      const { serverVersion, user, isReadOnly, canWrite } = await client.test({ caller: 1 });
      expect([serverVersion, isReadOnly, canWrite]).toEqual([expect.stringMatching(/^\d/), true, false]);
      expect((await query('SELECT current_user::text')).rows).toEqual([[user]]);
    });

    it('lists its tables in the order of the bytes of their names', async () => {
      const names = await client.catalog({ caller: 1 }).listNames();
      expect(names).toEqual([...names].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))));
      expect(names.filter(each => each.startsWith('contract'))).toEqual(['contract things', 'contract_empty', 'contract_keys']);
      expect(names.map(each => client.nameProblem(each))).toEqual(names.map(() => null));
    });

    it('lists them page by page, with their sizes', async () => {
      const all = await client.catalog({ caller: 1 }).list('', 1_000);
      expect(all.map(each => each.name)).toEqual(await client.catalog({ caller: 1 }).listNames());
      expect(await client.catalog({ caller: 1 }).list('contract things', 1)).toEqual([
        { name: 'contract_empty', rowEstimate: expect.any(Number), bytes: expect.any(Number), columnCount: 1, comment: null },
      ]);
      expect(await client.catalog({ caller: 1 }).list(all.at(-1)!.name, 10)).toEqual([]);
    });

    it('describes a table: its columns with their types in short spelling, and its keys, the primary first', async () => {
      const { columns, keys } = (await client.catalog({ caller: 1 }).describe('contract_keys'))!;
      expect(columns.map(column => [column.name, column.type, column.nullable])).toEqual([
        ['line', 'smallint', false],
        ['code', 'varchar(20)', true],
        ['单价', 'numeric(12,2)', true],
        ['region', 'char(2)', false],
        ['ratio', 'double precision', true],
        ['share', 'real', true],
        ['ok', 'boolean', true],
        ['at', 'timestamptz', false],
        ['open', 'time', true],
        ['doc', 'jsonb', true],
      ]);
      expect(keys).toEqual([
        { primary: true, columns: ['region', 'line'] },
        { primary: false, columns: ['code'] },
        { primary: false, columns: ['share', 'code'] },
      ]);
    });

    it('finds one of them', async () => {
      expect([await client.catalog({ caller: 1 }).find('contract_keys')]).toEqual(
        await client.catalog({ caller: 1 }).list('contract_empty', 1),
      );
    });

    it('describes a table as it is now', async () => {
      await change(`ALTER TABLE ${table('contract_empty')} ADD COLUMN b text; ALTER TABLE ${table('contract_empty')} DROP COLUMN a`);
      expect(await client.catalog({ caller: 1 }).describe('contract_empty')).toEqual({
        columns: [{ name: 'b', type: 'text', nativeType: 'text', nullable: true, comment: null }],
        keys: [],
        foreignKeys: [],
      });
      expect(await client.catalog({ caller: 1 }).find('contract_empty')).toMatchObject({ columnCount: 1 });
    });

    it('returns null for a missing table', async () => {
      expect([
        await client.catalog({ caller: 1 }).find('contract_nothing'),
        await client.catalog({ caller: 1 }).describe('contract_nothing'),
      ]).toEqual([null, null]);
      expect(await client.catalog({ caller: 1 }).describe('contract_keys"')).toBeNull();
      await expect(query('SELECT * FROM contract_nothing')).rejects.toMatchObject({
        code: 'warehouse_query_failed',
        sqlstate: sqlstates.undefinedTable,
      });
    });

    it('finds its tables by their bare names and by their schema', async () => {
      const bare = await query('SELECT id FROM "contract things" ORDER BY id');
      const qualified = await query(`SELECT id FROM ${table('contract things')} ORDER BY id`);
      expect([bare.rows, qualified.rows]).toEqual([
        [[1], [2]],
        [[1], [2]],
      ]);
    });

    it('reads exact values', async () => {
      const { columns, rows, truncated, bytes } = await query('SELECT * FROM "contract things" ORDER BY id');
      expect(columns).toEqual([
        { name: 'id', type: 'integer' },
        { name: 'big', type: 'bigint' },
        { name: 'price', type: 'numeric' },
        { name: 'at', type: 'date' },
        { name: 'seen', type: 'timestamp' },
      ]);
      expect(rows).toEqual([
        [1, '9223372036854775807', '1.10', '2024-02-29', '2024-02-29T10:00:00'],
        [2, '5', '2.2', null, null],
      ]);
      expect([truncated, bytes > 0]).toEqual([false, true]);
    });

    it('takes parameters, lists among them, and never reads SQL in them', async () => {
      expect((await query('SELECT big FROM "contract things" WHERE id = $1', [2])).rows).toEqual([['5']]);
      const wanted = query('SELECT w.place, w.key FROM unnest($1::text[]) WITH ORDINALITY AS w (key, place)', [
        ['a', "'; DROP TABLE x; --"],
      ]);
      expect((await wanted).rows).toEqual([['1', 'a'], ['2', "'; DROP TABLE x; --"]]); // prettier-ignore
    });

    it('returns the columns of a statement without rows', async () => {
      const { columns, rows } = await query('SELECT price * 2 AS double, seen::date FROM "contract things" LIMIT 0');
      expect([columns, rows]).toEqual([[{ name: 'double', type: 'numeric' }, { name: 'seen', type: 'date' }], []]); // prettier-ignore
    });

    it('fetches no more rows than asked for, of however many there are', async () => {
      const endless = { ...request('SELECT generate_series(1, 50000000)'), maxRows: 3, timeoutMs: 30_000 };
      expect(await client.query(endless)).toMatchObject({ rows: [[1], [2], [3]], truncated: true });
      const exact = { ...request('SELECT id FROM "contract things" ORDER BY id'), maxRows: 2 };
      expect(await client.query(exact)).toMatchObject({ rows: [[1], [2]], truncated: false });
    });

    it('stops at the given number of bytes', async () => {
      const large = { ...request(`SELECT repeat('x', 1000) FROM generate_series(1, 1000)`), maxRows: 1_000, maxBytes: 100_000 };
      await expect(client.query(large)).rejects.toMatchObject({ code: 'answer_too_large', context: { limit_bytes: 100_000 } });
      const { bytes } = await client.query({ ...large, maxBytes: 2_000_000 });
      expect(bytes).toBeGreaterThan(1_000_000);
    });

    it('stops a statement that runs too long', async () => {
      const started = performance.now();
      const slow = client.query({ ...request('SELECT pg_sleep(60)'), timeoutMs: 300 });
      await expect(slow).rejects.toMatchObject({ code: 'warehouse_timeout', context: { timeout_ms: 300 } });
      expect(performance.now() - started).toBeLessThan(10_000);
    });

    it.each([
      ['a row', 'INSERT INTO "contract things" (id) VALUES (3)'],
      ['a change', 'UPDATE "contract things" SET id = 3'],
      ['a deletion', 'DELETE FROM "contract things"'],
      ['a write inside of a SELECT', 'WITH d AS (DELETE FROM "contract things" RETURNING id) SELECT * FROM d'],
      ['a row lock', 'SELECT * FROM "contract things" FOR UPDATE'],
      ['a table', 'CREATE TABLE contract_evil AS SELECT 1'],
      ['a temporary table', 'CREATE TEMPORARY TABLE contract_evil (a integer)'],
      ['a dropped table', 'DROP TABLE "contract things"'],
      ['an emptied table', 'TRUNCATE "contract things"'],
      ['an index', 'CREATE INDEX ON "contract things" (id)'],
      ['a comment', 'COMMENT ON TABLE "contract things" IS NULL'],
    ])('refuses to write: %s', async (_, sql) => {
      await expect(query(sql)).rejects.toMatchObject({ status: 400, code: 'warehouse_query_failed' });
      expect((await query('SELECT id FROM "contract things" ORDER BY id')).rows).toEqual([[1], [2]]);
      expect(await client.catalog({ caller: 1 }).listNames()).not.toContain('contract_evil');
    });

    it.each(['SELECT 1; SELECT 2', 'SELECT 1; DROP TABLE "contract things"', 'COMMIT; DROP TABLE "contract things"'])(
      'takes one statement only: %s',
      async sql => {
        await expect(query(sql)).rejects.toMatchObject({ code: 'warehouse_query_failed' });
        expect((await query('SELECT count(*) FROM "contract things"')).rows).toEqual([['2']]);
      },
    );

    it('leaves nothing behind that the next query would see', async () => {
      const setting = `SELECT current_setting('work_mem')`;
      const { rows } = await query(setting);
      await query(`SET work_mem = '1GB'`).catch(() => undefined);
      await query('SET TRANSACTION READ WRITE').catch(() => undefined);
      await query(`SELECT set_config('work_mem', '1GB', false)`).catch(() => undefined);
      for (let again = 0; again < 5; again++) expect((await query(setting)).rows).toEqual(rows);
    });

    it('gives the place, in characters, of what does not fit', async () => {
      const sql = `SELECT '😀', price + at FROM "contract things"`;
      await expect(query(sql)).rejects.toMatchObject({ sqlstate: sqlstates.undefinedFunction, position: [...sql].indexOf('+') + 1 });
    });

    it('says in words of its own why a statement failed', async () => {
      await expect(query('SELECT 1 / (id - id) FROM "contract things"')).rejects.toMatchObject({
        status: 400,
        sqlstate: sqlstates.divisionByZero,
        text: {
          zh: '数仓查询失败：除数为零；请把除数写成 NULLIF(…, 0)',
          en: 'The warehouse query failed: a division by zero; write the divisor as NULLIF(…, 0)',
        },
      });
    });
  });
}
