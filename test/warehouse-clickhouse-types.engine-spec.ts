import { pipeline } from 'node:stream/promises';
import { from as copyFrom } from 'pg-copy-streams';
import fc from 'fast-check';
import { Egress } from '../src/egress/egress.js';
import { quoteIdentifier } from '../src/sql/quote-identifier.js';
import { clickHouseKind } from '../src/warehouse/clients/clickhouse/clickhouse-kind.js';
import { type TableColumn, type WarehouseClient } from '../src/warehouse/clients/warehouse.client.js';
import { startTestApp, type TestApp } from './support/app.js';
import { describeOnClickHouse, ForeignClickHouse } from './support/foreign-clickhouse.js';

const rowsOfEach = 300;
const seed = 20_241_122;

/** ClickHouse types, each with the PostgreSQL type that can represent all of its values. */
const types: [native: string, type: string][] = [
  ['Bool', 'boolean'],
  ['Int8', 'smallint'],
  ['UInt8', 'smallint'],
  ['Int16', 'smallint'],
  ['UInt16', 'integer'],
  ['Int32', 'integer'],
  ['UInt32', 'bigint'],
  ['Int64', 'bigint'],
  ['UInt64', 'numeric(20)'],
  ['Int128', 'numeric'],
  ['UInt128', 'numeric'],
  ['Int256', 'numeric'],
  ['UInt256', 'numeric'],
  ['Float32', 'real'],
  ['Float64', 'double precision'],
  ['Decimal(9, 2)', 'numeric(9,2)'],
  ['Decimal(76, 38)', 'numeric(76,38)'],
  ['Date', 'date'],
  ['Date32', 'date'],
  ["DateTime('Asia/Shanghai')", 'timestamptz'],
  ["DateTime64(3, 'UTC')", 'timestamptz'],
  ["DateTime64(6, 'UTC')", 'timestamptz'],
  ["DateTime64(9, 'UTC')", 'text'],
  ['UUID', 'uuid'],
  ['IPv4', 'text'],
  ['IPv6', 'text'],
  ['String', 'text'],
  ["Enum8('it\\'s' = -1, 'a\\\\b' = 2)", 'text'],
  ['LowCardinality(Nullable(String))', 'text'],
  ['Nullable(Int64)', 'bigint'],
  ['Array(String)', 'text[]'],
  ['Array(Nullable(Int64))', 'bigint[]'],
  ['Array(Float64)', 'double precision[]'],
  ['Array(Decimal(18, 4))', 'numeric(18,4)[]'],
  ["Array(DateTime64(3, 'UTC'))", 'timestamptz[]'],
  ["Array(Enum8('NULL' = 1, '\"' = 2))", 'text[]'],
  ['Array(Array(Int32))', 'jsonb'],
  ['Tuple(a Int32, `b c` Array(String))', 'jsonb'],
  ["Tuple(Nullable(Float64), UInt64, DateTime64(3, 'UTC'))", 'jsonb'],
];

describeOnClickHouse('The values of ClickHouse', () => {
  let test: TestApp;
  let foreign: ForeignClickHouse;
  let client: WarehouseClient;

  beforeAll(async () => {
    [test, foreign] = await Promise.all([startTestApp({ WORKER: 'off' }), ForeignClickHouse.start()]);
    client = await clickHouseKind.open({ dsn: foreign.dsn(), options: {}, egress: test.app.get(Egress), answerMaxBytes: 1_000_000 });
  });
  afterAll(async () => {
    await client.close();
    await Promise.all([test.close(), foreign.remove()]);
  });

  /** The rows of a table as PostgreSQL has them after COPY, as text, ordered by id. */
  async function loaded(table: string): Promise<{ columns: TableColumn[]; rows: (string | null)[][] }> {
    const { columns } = (await client.catalog({ caller: 1 }).describe(table))!;
    const reading = await client.openReading({ claim: { caller: 1 }, timeoutMs: 20_000 });
    try {
      const rows = await test.pool.transaction(async own => {
        const typed = columns.map(({ name, type }) => `${quoteIdentifier(name)} ${type}`).join(', ');
        await own.query(`CREATE TEMP TABLE loaded (${typed}) ON COMMIT DROP`);
        const names = columns.map(column => column.name);
        await pipeline(reading.rows({ table, columns: names }), own.query(copyFrom('COPY loaded FROM STDIN')));
        const texts = columns.map(({ name, type, nativeType }) => asText(quoteIdentifier(name), type, nativeType)).join(', ');
        return (await own.query({ text: `SELECT ${texts} FROM loaded ORDER BY loaded.id`, rowMode: 'array' })).rows as (string | null)[][];
      });
      return { columns, rows };
    } finally {
      await reading.close();
    }
  }

  /** The rows as ClickHouse itself writes them in JSON. */
  async function own(table: string): Promise<unknown[][]> {
    const exact = ['64bit_integers', 'decimals', 'denormals'].map(kind => `output_format_json_quote_${kind} = 1`).join(', ');
    const text = await foreign.run(
      `SELECT * FROM ${table} ORDER BY id SETTINGS ${exact}, output_format_decimal_trailing_zeros = 1 FORMAT JSONCompactEachRow`,
    );
    return text.split('\n').slice(0, -1).map(line => JSON.parse(line) as unknown[]); // prettier-ignore
  }

  it.each(types)('%s are all held by %s', async (native, type) => {
    await foreign.run('DROP TABLE IF EXISTS random');
    await foreign.run(`CREATE TABLE random (id Int32, v ${native}) ENGINE = MergeTree ORDER BY id`);
    const literal = native.replace(/[\\']/g, '\\$&');
    await foreign.run(
      `INSERT INTO random SELECT rowNumberInAllBlocks(), v FROM generateRandom('v ${literal}', ${seed}, 20, 4) LIMIT ${rowsOfEach}`,
    );
    const { columns, rows } = await loaded('random');
    expect(columns[1]).toMatchObject({ type, nativeType: native });
    const expected = await own('random');
    expect(expected).toHaveLength(rowsOfEach);
    const form = formOf(type, native);
    expect(rows.map(([, value]) => (value == null ? null : form.postgres(value)))).toEqual(
      expected.map(([, value]) => (value === null ? null : form.clickHouse(value))),
    );
  });

  it('keep the edges of their ranges', async () => {
    const edges = `
      SELECT 1 AS id, nan AS a, toFloat32(1e-45) AS b, toDateTime64('1900-01-01 00:00:00', 6, 'UTC') AS c, toDate32('1900-01-01') AS d, -inf AS e
      UNION ALL SELECT 2, inf, toFloat32(3.4028235e38), toDateTime64('2299-12-31 23:59:59.999999', 6, 'UTC'), toDate32('2299-12-31'), 5e-324`;
    await foreign.run(`CREATE VIEW edges AS ${edges}`);
    expect((await loaded('edges')).rows).toEqual([
      ['1', 'NaN', '1e-45', '1900-01-01 00:00:00', '1900-01-01', '-Infinity'],
      ['2', 'Infinity', '3.4028235e+38', '2299-12-31 23:59:59.999999', '2299-12-31', '5e-324'],
    ]);
  });

  it('keep every character of any text, alone and in lists and maps', async () => {
    await foreign.run(
      `CREATE TABLE said (id Int32, one String, some Array(Nullable(String)), pairs Map(String, String)) ENGINE = MergeTree ORDER BY id`,
    );
    const text = fc.string({
      unit: fc.constantFrom(...'\\\'"{},\t\n\r\b\f\v/ \u0001\u007f', 'NULL', '\\N', '\\.', '华', '😀', '\u2028', 'x'),
    });
    const row = fc.record({ one: text, some: fc.array(fc.option(text)), pairs: fc.dictionary(text, text) });
    await fc.assert(
      fc.asyncProperty(fc.array(row, { minLength: 1, maxLength: 30 }), async said => {
        await foreign.run('TRUNCATE TABLE said');
        const lines = said.map((each, id) => JSON.stringify({ id, ...each }));
        await foreign.run(`INSERT INTO said FORMAT JSONEachRow ${lines.join('\n')}`);
        const { rows } = await loaded('said');
        const read = rows.map(([, one, some, pairs]) => ({
          one,
          some: JSON.parse(some!) as unknown,
          pairs: JSON.parse(pairs!) as unknown,
        }));
        expect(read).toEqual(said.map(each => ({ ...each, pairs: { ...each.pairs } })));
      }),
      { numRuns: 12, interruptAfterTimeLimit: 20_000 },
    );
  });

  it.each([
    ['a zero byte', 'String', "'a\\0b'"],
    ['a byte that is not UTF-8', 'String', "'\\xff'"],
    ['a half of a surrogate pair', 'String', "'\\xed\\xa0\\x80'"],
    ['a zero byte inside of a fixed length', 'FixedString(4)', "'a\\0b'"],
    ['a zero byte in a list', 'Array(String)', "['x', 'a\\0b']"],
    ['a zero byte in a document', 'Tuple(a String)', "('a\\0b')"],
    ['a key twice', 'Map(String, Int32)', "map('a', 1, 'a', 2)"],
  ])('are refused by the name of their column where PostgreSQL has no such value: %s', async (_, native, value) => {
    await foreign.run('DROP TABLE IF EXISTS unfit');
    await foreign.run(`CREATE TABLE unfit (id Int32, good String, bad ${native}) ENGINE = MergeTree ORDER BY id`);
    await foreign.run(`INSERT INTO unfit VALUES (1, 'good', ${value})`);
    await expect(loaded('unfit')).rejects.toMatchObject({
      status: 422,
      code: 'column_value_not_readable',
      context: { table: 'unfit', column: 'bad' },
    });
  });

  it('are shown in samples, also those that PostgreSQL does not have', async () => {
    await foreign.run(
      `CREATE TABLE shown (v1 Int32, v0 Int32, pairs Map(String, Int32), said String, list Array(String), pair Tuple(a Nullable(Int8)), seen DateTime64(3, 'UTC'))
       ENGINE = MergeTree ORDER BY v1`,
    );
    await foreign.run(
      `INSERT INTO shown VALUES (1, 2, map('a', 1), 'a\\\\0b', ['x"'], tuple(NULL), '2024-02-29 10:00:00.5'), (3, 4, map('a', 1, 'a', 2), '\\xff', [], tuple(1), 0)`,
    );
    const { rows, columns } = await client.sample({ claim: { caller: 1 }, table: 'shown', maxRows: 5, timeoutMs: 5_000 });
    expect(columns.map(({ type }) => type)).toEqual(['integer', 'integer', 'jsonb', 'text', 'text[]', 'jsonb', 'timestamptz']);
    expect(rows).toEqual([
      [1, 2, { a: 1 }, 'a\\0b', '{"x\\""}', { a: null }, '2024-02-29T10:00:00.5+00:00'],
      [3, 4, "{'a':1,'a':2}", '\uFFFD', '{}', { a: 1 }, '1970-01-01T00:00:00+00:00'],
    ]);
  });

  it('fill up a fixed length with nothing that is read', async () => {
    await foreign.run(`CREATE TABLE fixed (id Int32, code FixedString(5)) ENGINE = MergeTree ORDER BY id`);
    await foreign.run(`INSERT INTO fixed VALUES (1, 'CNY'), (2, ''), (3, '人a')`);
    expect((await loaded('fixed')).rows.map(([, code]) => code)).toEqual(['CNY', '', '人a']);
  });

  it.each(['AggregateFunction(sum, UInt64)', 'Variant(Int32, String)', 'Dynamic', 'Point', 'Array(Map(String, String))', 'Time64(3)'])(
    'have no counterpart: %s',
    async native => {
      await foreign.run('DROP TABLE IF EXISTS odd');
      await foreign.run(`CREATE TABLE odd (id Int32, v ${native}) ENGINE = MergeTree ORDER BY id SETTINGS allow_nullable_key = 0`);
      expect((await client.catalog({ caller: 1 }).describe('odd'))!.columns[1]).toMatchObject({ type: 'other', nativeType: native });
    },
  );

  it.each([
    ['UInt8', '200', '255'],
    ['Int256', '-5', '7'],
    ['Decimal(9, 2)', '1.50', '2.25'],
    ['Float64', '0.1', 'Infinity'],
    ['Date', '2024-02-29', '2024-03-01'],
    ["DateTime('Asia/Shanghai')", '2024-02-29 10:00:00+00', '2024-02-29T11:00:00Z'],
    ["DateTime64(9, 'UTC')", '2024-02-29T10:00:00.000000001Z', '2024-02-29T10:00:00.000000002Z'],
    ['String', "a'b\\", 'b'],
    ['FixedString(3)', 'a', 'ab'],
    ['IPv4', '10.0.0.1', '200.0.0.1'],
    ['UUID', '00000000-0000-0000-0000-000000000001', '00000000-0000-0000-0000-000000000002'],
  ])('are compared as what they are, from a value on: %s', async (native, low, high) => {
    await foreign.run('DROP TABLE IF EXISTS since');
    await foreign.run(`CREATE TABLE since (id Int32, v Nullable(${native})) ENGINE = MergeTree ORDER BY id`);
    const literal = (text: string): string => `'${text.replace(/[\\']/g, '\\$&')}'`;
    const value = (text: string): string =>
      native.startsWith('DateTime') ? `CAST(parseDateTime64BestEffort(${literal(text)}, 9, 'UTC') AS ${native})` : literal(text);
    await foreign.run(`INSERT INTO since VALUES (1, ${value(low)}), (2, ${value(high)}), (3, NULL)`);
    const reading = await client.openReading({ claim: { caller: 1 }, timeoutMs: 20_000 });
    const from = async (since: string): Promise<string[]> => {
      const rows = reading.rows({ table: 'since', columns: ['id'], since: { column: 'v', value: since } });
      return Buffer.concat(await rows.toArray() as Buffer[]).toString().split('\n').slice(0, -1).sort(); // prettier-ignore
    };
    expect([await from(low), await from(high)]).toEqual([['1', '2', '3'], ['2', '3']]); // prettier-ignore
    await reading.close();
  });

  it('are refused to read from if no value of the column can be them', async () => {
    await foreign.run(`CREATE TABLE small (id UInt8, list Array(Int32)) ENGINE = MergeTree ORDER BY id`);
    const failing = async (column: string, value: string): Promise<unknown> => {
      const reading = await client.openReading({ claim: { caller: 1 }, timeoutMs: 20_000 });
      return reading.rows({ table: 'small', columns: ['id'], since: { column, value } }).toArray().finally(() => reading.close()); // prettier-ignore
    };
    await expect(failing('id', '256')).rejects.toMatchObject({ code: 'warehouse_query_failed' });
    await expect(failing('list', '{1}')).rejects.toMatchObject({ code: 'warehouse_query_failed' });
  });
});

/** SQL for PostgreSQL's text of a value, in the form that is compared. */
function asText(column: string, type: string, nativeType: string): string {
  if (type === 'timestamptz') return `(${column} AT TIME ZONE '${nativeType.includes('Shanghai') ? 'Asia/Shanghai' : 'UTC'}')::text`;
  return type.endsWith('[]') ? `to_json(${column})::text` : `${column}::text`;
}

interface Form {
  postgres: (text: string) => unknown;
  clickHouse: (value: unknown) => unknown;
}

/** Functions that convert PostgreSQL's and ClickHouse's text of a type to the same value. */
function formOf(type: string, native: string): Form {
  const number = (value: unknown): number => Number(String(value).replace(/^(-?)inf$/, '$1Infinity').replace('nan', 'NaN')); // prettier-ignore
  if (type === 'real' || type === 'double precision') return { postgres: number, clickHouse: number };
  if (type === 'timestamptz') return { postgres: moment, clickHouse: moment };
  if (native.startsWith('DateTime64(9')) return { postgres: String, clickHouse: value => `${String(value).replace(' ', 'T')}Z` };
  if (type.endsWith('[]') || type === 'jsonb') return { postgres: text => leaves(JSON.parse(text)), clickHouse: leaves };
  return { postgres: String, clickHouse: String };
}

/** Converts all numbers and moments inside a JSON value to one spelling. */
function leaves(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(leaves);
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, leaves(each)]));
  if (value === null || typeof value === 'boolean') return value;
  const text = typeof value === 'number' ? `${value}` : (value as string);
  return /^-?\d+(\.\d+)?(e[+-]?\d+)?$/.test(text) ? Number(text) : moment(text);
}

/** A moment without its zone, and without zeros at the end of its fraction. */
function moment(value: unknown): string {
  return (value as string)
    .replace(/^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d[.\d]*)(Z|\+00:00)?$/, '$1 $2')
    .replace(/^([^.]*\.\d*?)0+$/, '$1')
    .replace(/\.$/, '');
}
