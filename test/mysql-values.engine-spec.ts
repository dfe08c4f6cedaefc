import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import fc from 'fast-check';
import { from as copyFrom } from 'pg-copy-streams';
import { Egress } from '../src/egress/egress.js';
import { quoteIdentifier } from '../src/sql/quote-identifier.js';
import { mysqlKind } from '../src/warehouse/clients/mysql/mysql-kind.js';
import { type Reading, type WarehouseClient } from '../src/warehouse/clients/warehouse.client.js';
import { startTestApp, type TestApp } from './support/app.js';
import { hasMariaDb, MariaDb } from './support/mariadb.js';

interface Case {
  native: string;
  type: string;
  /** Generates SQL expressions, each of one value. */
  values: fc.Arbitrary<string>;
  /** Converts MySQL's text and PostgreSQL's before they are compared. Without it the texts are compared as they are. */
  as?: (value: string) => unknown;
  /** SQL for MySQL's own text of the column, for types whose text differs from the value that is copied. */
  read?: (column: string) => string;
}

const hex = (value: string | Uint8Array): string => (value.length === 0 ? "''" : `0x${Buffer.from(value as string).toString('hex')}`);
const sqlText = (value: string, charset = 'utf8mb4'): string => (value === '' ? "''" : `CONVERT(_utf8mb4 ${hex(value)} USING ${charset})`);
const oddPieces = fc.constantFrom(
  '\\',
  '\\N',
  '\\.',
  '\t',
  '\n',
  '\r\n',
  "'",
  '"',
  '`',
  '%',
  ' ',
  '😀',
  '华为',
  '\u{10FFFF}',
  '\u007f',
  '\b',
);
const texts = fc
  .array(
    fc.oneof(
      oddPieces,
      fc.string({ unit: 'binary' }).map(value => value.replaceAll('\0', '')),
    ),
    { maxLength: 6 },
  )
  .map(pieces => pieces.join('').slice(0, 60).toWellFormed());
const integers = (least: bigint, most: bigint): fc.Arbitrary<string> =>
  fc.oneof(fc.constantFrom(least, most, 0n), fc.bigInt({ min: least, max: most })).map(String);

const withoutZeros = (value: string): string => value.replace(/(\.\d*?)0+$/, '$1').replace(/\.$/, '');
const moments = (least: string, most: string): fc.Arbitrary<string> =>
  fc
    .tuple(fc.date({ min: new Date(least), max: new Date(most), noInvalidDate: true }), fc.integer({ min: 0, max: 999 }))
    .map(([date, micros]) => `'${date.toISOString().replace('T', ' ').replace('Z', String(micros).padStart(3, '0'))}'`);

const cases: Case[] = [
  { native: 'tinyint(1)', type: 'smallint', values: integers(-128n, 127n) },
  { native: 'tinyint(3) unsigned', type: 'smallint', values: integers(0n, 255n) },
  { native: 'smallint(6)', type: 'smallint', values: integers(-32768n, 32767n) },
  { native: 'smallint(5) unsigned', type: 'integer', values: integers(0n, 65535n) },
  { native: 'mediumint(9)', type: 'integer', values: integers(-8388608n, 8388607n) },
  { native: 'mediumint(8) unsigned', type: 'integer', values: integers(0n, 16777215n) },
  { native: 'int(11)', type: 'integer', values: integers(-2147483648n, 2147483647n) },
  { native: 'int(10) unsigned', type: 'bigint', values: integers(0n, 4294967295n) },
  { native: 'int(10) unsigned zerofill', type: 'bigint', values: integers(0n, 4294967295n), as: Number },
  { native: 'bigint(20)', type: 'bigint', values: integers(-(2n ** 63n), 2n ** 63n - 1n) },
  { native: 'bigint(20) unsigned', type: 'numeric(20)', values: integers(0n, 2n ** 64n - 1n) },
  {
    native: 'decimal(20,6)',
    type: 'numeric(20,6)',
    values: integers(-(10n ** 14n) + 1n, 10n ** 14n - 1n).chain(whole =>
      fc.nat(999999).map(part => `${whole}.${String(part).padStart(6, '0')}`),
    ),
    as: value => value.replace(/^-(?=[0.]*$)/, ''),
  },
  { native: 'decimal(65,0)', type: 'numeric(65,0)', values: integers(-(10n ** 65n) + 1n, 10n ** 65n - 1n) },
  {
    native: 'float',
    type: 'real',
    values: fc.float({ noNaN: true, noDefaultInfinity: true }).map(value => value.toExponential()),
    as: value => Math.fround(Number(value)),
    read: column => `${column} * 1e0`,
  },
  {
    native: 'double',
    type: 'double precision',
    values: fc.double({ noNaN: true, noDefaultInfinity: true }).map(value => value.toExponential()),
    as: Number,
  },
  { native: 'bit(1)', type: 'bit(1)', values: integers(0n, 1n), read: column => `BIN(${column} + 0)` },
  {
    native: 'bit(64)',
    type: 'bit(64)',
    values: integers(0n, 2n ** 64n - 1n),
    as: value => BigInt(`0b${value}`),
    read: column => `BIN(${column} + 0)`,
  },
  { native: 'year(4)', type: 'integer', values: integers(1901n, 2155n), as: Number },
  { native: 'date', type: 'date', values: moments('0001-01-01', '9999-12-31').map(value => `${value.slice(0, 11)}'`) },
  { native: 'datetime(6)', type: 'timestamp', values: moments('0001-01-01', '9999-12-31'), as: withoutZeros },
  { native: 'datetime', type: 'timestamp', values: moments('1000-01-01', '9998-12-31'), as: withoutZeros },
  {
    native: 'timestamp(6)',
    type: 'timestamptz',
    values: moments('1970-01-02', '2038-01-18'),
    as: value => withoutZeros(value.replace('+00', '')),
  },
  {
    native: 'time(6)',
    type: 'interval',
    values: fc
      .tuple(fc.constantFrom('', '-'), fc.nat(838), fc.nat(59), fc.nat(59), fc.nat(999998))
      .map(
        ([sign, h, m, s, micros]) =>
          `'${sign}${[h, m, s].map(part => String(part).padStart(2, '0')).join(':')}.${String(micros).padStart(6, '0')}'`,
      ),
    as: value => withoutZeros(value).replace(/^-(?=[0:]*$)/, ''),
  },
  { native: 'varchar(400)', type: 'text', values: texts.map(value => sqlText(value)) },
  { native: 'longtext', type: 'text', values: texts.map(value => sqlText(value)) },
  {
    native: 'text CHARACTER SET gbk',
    type: 'text',
    values: fc.constantFrom('华为\\技术', '\t', 'ab', '誠').map(value => sqlText(value, 'gbk')),
  },
  {
    native: 'varchar(20) CHARACTER SET latin1',
    type: 'text',
    values: fc.constantFrom('é\\', 'ÿ', '€').map(value => sqlText(value, 'latin1')),
  },
  { native: 'varchar(20) COLLATE utf8mb4_bin', type: 'text', values: fc.constantFrom('é\\', '😀', '').map(value => sqlText(value)) },
  { native: "enum('a','b\\\\c','unsigned')", type: 'text', values: fc.constantFrom('1', '2', '3') },
  { native: "set('x','y z')", type: 'text', values: fc.constantFrom('0', '1') },
  {
    native: 'varbinary(100)',
    type: 'bytea',
    values: fc.uint8Array({ maxLength: 100 }).map(hex),
    as: value => value.replace('\\x', '').toLowerCase(),
    read: column => `HEX(${column})`,
  },
  {
    native: 'longblob',
    type: 'bytea',
    values: fc.uint8Array({ maxLength: 100 }).map(hex),
    as: value => value.replace('\\x', '').toLowerCase(),
    read: column => `HEX(${column})`,
  },
  { native: 'uuid', type: 'uuid', values: fc.uuid().map(value => `'${value}'`) },
  {
    native: 'inet6',
    type: 'inet',
    values: fc
      .ipV6()
      .filter(value => !value.includes('.'))
      .map(value => `'${value}'`),
    as: value => value.includes(':'),
  },
];

const describeIfThere = hasMariaDb() ? describe : describe.skip;

describeIfThere('values of MySQL', () => {
  let test: TestApp;
  let db: MariaDb;
  let client: WarehouseClient;
  let reading: Reading | undefined;

  beforeAll(async () => {
    // The connection sets its own session modes, so these modes of the server must not change the values that it reads.
    const settings = [
      '--sql-mode=ANSI_QUOTES,NO_BACKSLASH_ESCAPES,PIPES_AS_CONCAT',
      '--character-set-server=latin1',
      '--default-time-zone=+08:00',
    ];
    [test, db] = await Promise.all([startTestApp({ WORKER: 'off' }), MariaDb.start(settings)]);
    client = await mysqlKind.open({ dsn: db.dsn(), options: {}, egress: test.app.get(Egress), answerMaxBytes: 16_777_216 });
    await db.run("SET time_zone = '+00:00', sql_mode = 'ALLOW_INVALID_DATES'");
  });
  afterEach(() => reading?.close());
  afterAll(async () => {
    await client.close();
    await Promise.all([test.close(), db.remove()]);
  });

  const read = async (table: string, columns: string[], since?: { column: string; value: string }): Promise<string> => {
    await reading?.close();
    reading = await client.openReading({ claim: { caller: 1 }, timeoutMs: 20_000 });
    return text(reading.rows({ table, columns, ...(since && { since }) }));
  };

  it('reach PostgreSQL as they are, of every type', async () => {
    const columns = cases.map((_, index) => `c${index}`);
    await db.run(
      `CREATE TABLE every_type (id int PRIMARY KEY, ${cases.map(({ native }, index) => `c${index} ${native} NULL`).join(', ')})`,
    );
    const described = (await client.catalog({ caller: 1 }).describe('every_type'))!.columns.slice(1);
    expect(described.map(column => column.type)).toEqual(cases.map(({ type }) => type));
    const row = fc.tuple(...cases.map(({ values }) => fc.option(values, { nil: 'NULL', freq: 8 })));
    await fc.assert(
      fc.asyncProperty(fc.array(row, { minLength: 1, maxLength: 20 }), async rows => {
        await db.run('DELETE FROM every_type');
        await db.run(`INSERT INTO every_type VALUES ${rows.map((values, id) => `(${id}, ${values.join(', ')})`).join(', ')}`);
        const own = cases.map(({ read: own }, index) => own?.(`c${index}`) ?? `c${index}`).join(', ');
        const expected = await db.run(`SELECT ${own} FROM every_type ORDER BY id`);
        await reading?.close();
        reading = await client.openReading({ claim: { caller: 1 }, timeoutMs: 20_000 });
        const loaded = await test.pool.transaction(async postgres => {
          const typed = described.map(({ name, type }) => `${quoteIdentifier(name)} ${type}`).join(', ');
          await postgres.query(`SET LOCAL TimeZone = 'UTC'`);
          await postgres.query(`CREATE TEMP TABLE loaded (id int, ${typed}) ON COMMIT DROP`);
          const from = reading!.rows({ table: 'every_type', columns: ['id', ...columns] });
          await pipeline(from, postgres.query(copyFrom('COPY loaded FROM STDIN')));
          const wanted = columns.map(column => `${column}::text`).join(', ');
          return (await postgres.query({ text: `SELECT ${wanted} FROM loaded ORDER BY id`, rowMode: 'array' })).rows as (string | null)[][];
        });
        const compared = (all: (string | null)[][]): unknown[][] =>
          all.map(values => values.map((value, index) => (value === null ? null : (cases[index]!.as?.(value) ?? value))));
        expect(compared(loaded)).toEqual(compared(expected));
      }),
      { numRuns: 40 },
    );
  });

  it('are read as NULL where a date is zero, and refused by name where a date does not exist', async () => {
    await db.run('CREATE TABLE odd_dates (id int, day date NOT NULL, seen datetime, stamp timestamp NOT NULL DEFAULT 0)');
    await db.run(
      "INSERT INTO odd_dates VALUES (1, '0000-00-00', '0000-00-00 00:00:00', 0), (2, '2024-02-29', NULL, '2024-02-29 00:00:00')",
    );
    expect(await read('odd_dates', ['id', 'day', 'seen', 'stamp'])).toBe('1\t\\N\t\\N\t\\N\n2\t2024-02-29\t\\N\t2024-02-29 00:00:00+00\n');
    expect(await read('odd_dates', ['id'], { column: 'day', value: '2025-01-01' })).toBe('1\n');
    for (const day of ['2024-02-00', '2024-00-10', '2023-02-29', '2024-02-30', '0000-05-05']) {
      await db.run(`INSERT INTO odd_dates VALUES (3, '${day}', NULL, 0)`);
      const refused = { code: 'column_value_not_readable', context: { table: 'odd_dates', column: 'day' } };
      await expect(read('odd_dates', ['id', 'day'])).rejects.toMatchObject(refused);
      await db.run('DELETE FROM odd_dates WHERE id = 3');
    }
  });

  it('are refused by the name of their column if they have a zero byte', async () => {
    await db.run('CREATE TABLE zeros (id int, a text, b text)');
    await db.run("INSERT INTO zeros VALUES (1, 'x', 'y'), (2, _utf8mb4 0x0961, _utf8mb4 0x6100)");
    const refused = { code: 'column_value_not_readable', context: { table: 'zeros', column: 'b' } };
    await expect(read('zeros', ['id', 'a', 'b'])).rejects.toMatchObject(refused);
    expect(await read('zeros', ['id', 'a'])).toBe('1\tx\n2\t\\ta\n');
  });

  it('are refused, not read as NULL, if the server cannot write them as one row', async () => {
    await db.run('CREATE TABLE wide (id int, bytes longblob)');
    await db.run("INSERT INTO wide VALUES (1, REPEAT('x', 9000000))");
    await expect(read('wide', ['id', 'bytes'])).rejects.toMatchObject({
      code: 'warehouse_query_failed',
      detail: expect.stringContaining('max_allowed_packet'),
    });
  });

  it('are compared as their own type when a reading starts from one', async () => {
    await db.run(
      'CREATE TABLE cursors (id bigint unsigned, price decimal(10,2), ratio double, stamp timestamp(6) NULL, bits bit(3), name text)',
    );
    await db.run(`INSERT INTO cursors VALUES (18446744073709551614, 9.5, 0.1, '2024-02-29 10:00:00.000001', 1, 'a'),
                                             (18446744073709551615, 10.5, 0.2, '2024-02-29 10:00:00.000002', 2, 'b')`);
    const first = '18446744073709551614\n';
    const last = '18446744073709551615\n';
    expect(await read('cursors', ['id'], { column: 'id', value: '18446744073709551615' })).toBe(last);
    expect(await read('cursors', ['id'], { column: 'id', value: '-5' })).toBe(first + last);
    expect(await read('cursors', ['id'], { column: 'price', value: '10.00' })).toBe(last);
    expect(await read('cursors', ['id'], { column: 'ratio', value: '0.2' })).toBe(last);
    expect(await read('cursors', ['id'], { column: 'stamp', value: '2024-02-29 10:00:00.000002+00' })).toBe(last);
    expect(await read('cursors', ['id'], { column: 'stamp', value: '2024-02-29T18:00:00.000002+08:00' })).toBe(last);
    for (const [column, value] of [
      ['id', "1' OR 1"],
      ['price', 'x'],
      ['stamp', '2024-02-30 00:00:00'],
      ['bits', '001'],
    ])
      // prettier-ignore
      await expect(read('cursors', ['id'], { column: column!, value: value! })).rejects.toMatchObject({ code: 'warehouse_query_failed' });
  });

  it('are promised of one moment only where every table can keep it', async () => {
    const open = () => client.openReading({ claim: { caller: 1 }, timeoutMs: 20_000 });
    reading = await open();
    expect(reading.guarantee).toBe('snapshot');
    await reading.close();
    await db.run('CREATE TABLE plain (id int) ENGINE = MyISAM');
    reading = await open();
    expect(reading.guarantee).toBe('statement');
    await db.run('DROP TABLE plain');
  });
});
