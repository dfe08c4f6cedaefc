import pg from 'pg';
import { type ClonedDatabase, cloneDatabase } from '../../../test/support/database.js';
import { type PropertyType, type Transform } from '../mapping/mapping.js';
import { parsePropertyType } from '../mapping/property-type.js';
import { comparisonType, directValue, isDirect, parsedValue, type ValueSql } from './column-sql.js';
import { type SourceFamily } from './source-type.js';

let database: ClonedDatabase;
let client: pg.Client;
beforeAll(async () => {
  database = await cloneDatabase();
  client = new pg.Client(database.url);
  await client.connect();
  await client.query(`SET TIME ZONE 'UTC'`);
});
afterAll(async () => {
  await client.end();
  await database.drop();
});

const typeOf = (written: string): PropertyType => parsePropertyType(written)!;

/** Reads a value as JSON text; undefined when it cannot be read. */
async function read({ valid, json }: ValueSql, source: string): Promise<string | null | undefined> {
  const { rows } = await client.query(
    `SELECT ${valid ?? 'true'} AS valid, CASE WHEN ${valid ?? 'true'} THEN to_jsonb(${json})::text END AS json FROM (SELECT ${source} AS v OFFSET 0) AS s`,
  );
  return rows[0].valid ? rows[0].json : undefined;
}

describe('parsedValue', () => {
  it.each([
    ['string', 'any', '"any"'],
    ['int', ' 7 ', '7'],
    ['int', '7.0', undefined],
    ['int', '2147483648', undefined],
    ['bigint', '9007199254740993', '9007199254740993'],
    ['decimal(5,2)', '1.005', undefined],
    ['decimal(5,2)', '1e-3', undefined],
    ['decimal(5,2)', '1.0100', '1.01'],
    ['decimal(5,2)', '1.015e1', '10.15'],
    ['decimal(5,2)', '1000', undefined],
    ['decimal(5,2)', 'NaN', undefined],
    ['float', '1e3', '1000'],
    ['float', 'infinity', undefined],
    ['boolean', 'yes', 'true'],
    ['boolean', 'maybe', undefined],
    ['date', '2024-02-29', '"2024-02-29"'],
    ['date', '2024-02-30', undefined],
    ['date', 'now', undefined],
    ['date', '5.005', undefined],
    ['date', '01/02/03', undefined],
    ['time', '12:30', '"12:30:00"'],
    ['time', '2024.2', undefined],
    ['time', ' 8:05:09.25 pm ', '"20:05:09.25"'],
    // Cypher has no such time.
    ['time', '24:00', undefined],
    ['time', '2024-02-29T08:30', '"08:30:00"'],
    ['time', '2024-02-29 08:30+08', '"00:30:00"'],
    ['time', '2024-02-29T08:30:00Z', '"08:30:00"'],
    ['time', '2024-07-01 08:30 Europe/Berlin', '"06:30:00"'],
    ['time', '2024-02-29 8:30 pm', '"20:30:00"'],
    ['time', '2024-02-30 08:30', undefined],
    ['time', '2024-02-29 08:30 (not HH.mm)', undefined],
    ['time', '08:30+08', undefined],
    ['time', '08:30Z', undefined],
    ['time', '08:30 Europe/Berlin', undefined],
    ['time', '08:30 2024-02-29', undefined],
    ['time', 'now', undefined],
    ['datetime', '2024-02-29T12:00:00+08', '"2024-02-29T04:00:00+00:00"'],
    ['datetime', 'infinity', undefined],
    ['json', '{"a": null}', '{"a": null}'],
    ['json', 'null', null],
    ['json', '{', undefined],
    ['json', '{"a": 1, "a": 2}', undefined],
    ['json', `"${'x'.repeat(250_000)}"`, `"${'x'.repeat(250_000)}"`],
    ['json', `{"a": "${'x'.repeat(249_991)}"}`, `{"a": "${'x'.repeat(249_991)}"}`],
    ['json', `{"a": "${'x'.repeat(249_992)}"}`, undefined],
    ['string[]', '["a", "b"]', '["a", "b"]'],
    ['string[]', '{a,b}', '["a", "b"]'],
    ['string[]', '["a", null]', '["a", null]'],
    ['string[]', '[1]', undefined],
    ['string[]', 'a', undefined],
    ['int[]', '[1, 2]', '[1, 2]'],
    ['int[]', '{1,2}', '[1, 2]'],
    ['int[]', '[1.5]', undefined],
    ['decimal(5,2)[]', '{NULL,1.5,"-2.25"}', '[null, 1.50, -2.25]'],
    ['decimal(5,2)[]', '[null, 1.005]', undefined],
    ...['bigint', 'float', 'boolean', 'date', 'time', 'timetz', 'datetime', 'localdatetime', 'duration'].map(
      (type): [string, string, string] => [`${type}[]`, '{NULL}', '[null]'],
    ),
    ['string[]', '[["a"]]', undefined],
    ['string[]', '{{a}}', undefined],
    ['int[]', '[[1]]', undefined],
    ['int[]', '{{1,2},{3,4}}', undefined],
    ['string[]', '{}', '[]'],
    ['string[]', '{a', undefined],
    ['date', '2024-02-29 23:30', '"2024-02-29"'],
    ['date', '2024-02-29T23:30:00-01:00', '"2024-03-01"'],
    ['date', '2024-02-29T25:00:00Z', undefined],
    ['date', '29 Oct 2024', '"2024-10-29"'],
    ['date', '12024-01-01', '"+12024-01-01"'],
    ['date', '269999-12-31', '"+269999-12-31"'],
    // The times of Cypher end in the year 275760.
    ['date', '300000-01-01', undefined],
    ['datetime', '270000-01-01 00:00', undefined],
    ['datetime', '0044-03-15 12:00:00 BC', '"-0043-03-15T12:00:00+00:00"'],
    // PostgreSQL rounds the seventh digit of a second: each of these would be midnight.
    ...[
      '2024-01-31T23:59:59.9999999',
      '2024-01-31 23:59:59.99999951 +00',
      '20240131T235959.9999999Z',
      '31 Jan 2024 11:59:59.9999999 pm',
    ].flatMap(text => ['date', 'time', 'datetime', 'localdatetime'].map((type): [string, string, undefined] => [type, text, undefined])),
    ['time', '23:59:59.9999999', undefined],
    ['timetz', '23:59:59.9999999+08', undefined],
    ['date[]', '["2024-01-31T23:59:59.9999999Z"]', undefined],
    ['datetime[]', '["2024-01-31T23:59:59.1234567"]', undefined],
    ['time[]', '{23:59:59.9999999}', undefined],
    ['duration[]', '["PT0.1234567S"]', undefined],
    // PostgreSQL reads such texts with another meaning: 24 hours and leap seconds become 24:00 or 00:00 of the next day, and `08:30.5`
    // becomes 8 minutes and 30.5 seconds.
    ['date', '2024-01-31 24:00', undefined],
    ['date', '2024-01-31T24:00:00Z', undefined],
    ['time', '2024-01-31 24:00', undefined],
    ['datetime', '2024-01-31 24:00', '"2024-02-01T00:00:00+00:00"'],
    ['time', '23:59:60', undefined],
    ['timetz', '23:59:60Z', undefined],
    ['datetime', '2016-12-31T23:59:60Z', undefined],
    ['date', '20161231T235960Z', undefined],
    ['time', '08:30.5', undefined],
    ['datetime', '2024-01-31 08:30.5', undefined],
    ['time', '23:59:59.999999', '"23:59:59.999999"'],
    ['time', '23:59:59.9999990', '"23:59:59.999999"'],
    ['timetz', '08:30:00.1234560Z', '"08:30:00.123456+00:00"'],
    ['datetime', '2024-01-31T23:59:59.9999990Z', '"2024-01-31T23:59:59.999999+00:00"'],
    ['localdatetime', '2024-01-31T23:59:59.1230000', '"2024-01-31T23:59:59.123"'],
    ['duration', 'PT0.1234560S', '"PT0.123456S"'],
    ['duration', '1 day 00:00:00.1230000', '"P1DT0.123S"'],
  ])('reads as %s %j: %s', async (type, text, json) => {
    expect(await read(parsedValue('v', typeOf(type)), `${client.escapeLiteral(text)}::text`)).toBe(json);
  });

  it('reads the day of a moment in the zone of the mapping, as it does for a column of moments', async () => {
    await client.query(`SET TIME ZONE 'Asia/Shanghai'`);
    try {
      const type = typeOf('date');
      for (const text of ['2024-01-05T23:30:00Z', '20240105T233000Z', '2024-01-05 23:30:00+00']) {
        expect(await read(parsedValue('v', type), `'${text}'::text`)).toBe('"2024-01-06"');
        expect(await read(directValue('v', 'timestamptz', type), `'${text}'::timestamptz`)).toBe('"2024-01-06"');
      }
      expect(await read(parsedValue('v', type), `'2024-01-05 23:30:00'::text`)).toBe('"2024-01-05"');
    } finally {
      await client.query(`SET TIME ZONE 'UTC'`);
    }
  });

  it('reads a number without bounds exactly', async () => {
    expect(await read(parsedValue('v', { name: 'numeric' }), `'0.10000000000000000000000001'::text`)).toBe('0.10000000000000000000000001');
  });
});

describe('directValue', () => {
  it.each([
    ['int', 'int', '7::int', '7'],
    ['bigint', 'int', '2147483648::bigint', undefined],
    ['numeric', 'int', '2.0::numeric', '2'],
    ['numeric', 'int', '1.5::numeric', undefined],
    ['float', 'bigint', `'1e19'::float8`, undefined],
    ['float', 'bigint', `'9223372036854775808'::float8`, undefined],
    ['float', 'bigint', `'-9223372036854775808'::float8`, '-9223372036854775808'],
    ['float', 'bigint', `'NaN'::float8`, undefined],
    ['numeric', 'bigint', `9223372036854775807::numeric`, '9223372036854775807'],
    ['numeric', 'bigint', `'-9223372036854775808'::numeric`, '-9223372036854775808'],
    ['numeric', 'bigint', `9223372036854775808::numeric`, undefined],
    ['float', 'decimal(20,2)', `'9007199254740991'::float8`, '9007199254740991.00'],
    ['float', 'decimal(20,2)', `'Infinity'::float8`, undefined],
    ['numeric', 'float', `'1e-400'::numeric`, undefined],
    ['numeric', 'float', `'1e-301'::numeric`, `0.${'0'.repeat(300)}1`],
    ['numeric', 'float', `0::numeric`, '0'],
    ['date', 'datetime', `'5874897-12-31'::date`, undefined],
    ['date', 'datetime', `'269999-12-31'::date`, '"+269999-12-31T00:00:00+00:00"'],
    ['date', 'datetime', `'270000-01-01'::date`, undefined],
    ['timestamp', 'localdatetime', `'270000-01-01'::timestamp`, undefined],
    ['date', 'date', `'270000-01-01'::date`, undefined],
    ['date', 'date', `'-infinity'::date`, undefined],
    ['date', 'date', `'0044-03-15 BC'::date`, '"-0043-03-15"'],
    ['date', 'date', `'0001-12-31 BC'::date`, '"0000-12-31"'],
    ['date', 'date', `'0001-01-01'::date`, '"0001-01-01"'],
    ['date', 'date', `'9999-12-31'::date`, '"9999-12-31"'],
    ['timestamp', 'localdatetime', `'0044-03-15 12:00:00.5 BC'::timestamp`, '"-0043-03-15T12:00:00.5"'],
    ['date[]', 'date[]', `'{0044-03-15 BC,NULL,2024-01-01}'::date[]`, '["-0043-03-15", null, "2024-01-01"]'],
    ['time', 'time', `'24:00'::time`, undefined],
    ['timestamp', 'datetime', `'4714-11-24 00:00:00 BC'::timestamp`, '"-4713-11-24T00:00:00+00:00"'],
    ['json', 'json', `'"\\u0000"'::json`, undefined],
    ['json', 'json', `'{"a":1,"a":2}'::json`, undefined],
    ['json', 'json', `'1e400000'::json`, undefined],
    ['text[]', 'string[]', `'{{a},{b}}'::text[]`, undefined],
    ['text[]', 'string[]', `'{}'::text[]`, '[]'],
    ['int[]', 'int[]', `'[0:1]={1,NULL}'::int[]`, '[1, null]'],
    ['numeric', 'decimal(4,1)', '12.345::numeric', undefined],
    ['numeric', 'decimal(4,1)', '12.300::numeric', '12.3'],
    ['float', 'decimal(4,1)', `'0.30000000000000004'::float8`, '0.3'],
    ['numeric', 'decimal(4,1)', '999.95::numeric', undefined],
    ['float', 'float', `'NaN'::float8`, undefined],
    ['numeric', 'float', '1e301::numeric', undefined],
    ['date', 'date', `'infinity'::date`, undefined],
    ['timestamp', 'date', `'2024-02-29 23:59'::timestamp`, '"2024-02-29"'],
    ['date', 'datetime', `'2024-02-29'::date`, '"2024-02-29T00:00:00+00:00"'],
    ['json', 'json', `'null'::json`, null],
    ['text[]', 'string[]', `'{a}'::text[]`, '["a"]'],
    ['boolean', 'boolean', 'true', 'true'],
  ] as [SourceFamily, string, string, string | null | undefined][])('reads of %s as %s %s: %s', async (family, type, source, json) => {
    expect(await read(directValue('v', family, typeOf(type)), source)).toBe(json);
  });
});

describe('isDirect', () => {
  it.each([
    ['int', 'float', [], null, true],
    ['float', 'int', [], null, true],
    ['text', 'string', [], null, false],
    ['int', 'string', [], null, false],
    ['int', 'date', [], null, false],
    ['timestamp', 'date', [], null, true],
    ['int', 'int', [{ kind: 'trim' }], null, false],
    ['int', 'int', [], '0', true],
    ['int', 'int', [], 'none', false],
  ] as [SourceFamily, string, Transform[], string | null, boolean][])(
    'takes %s as %s with %j and default %s: %s',
    (family, type, transform, fallback, is) => {
      expect(isDirect(family, typeOf(type), transform, fallback)).toBe(is);
    },
  );
});

describe('comparisonType', () => {
  it.each([
    ['int', 'bigint'],
    ['decimal(4,1)', 'numeric'],
    ['float', 'double precision'],
    ['datetime', 'timestamptz'],
    ['date', 'date'],
    ['json', 'jsonb'],
    ['string[]', 'text'],
  ])('compares %s as %s', (type, compared) => {
    expect(comparisonType(typeOf(type))).toBe(compared);
  });
});
