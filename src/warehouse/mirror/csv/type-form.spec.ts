import * as fc from 'fast-check';
import { typeForm } from './type-form.js';

describe('typeForm of days', () => {
  it.each([
    '2024-02-03',
    ' 2024/2/3 ',
    '2024.02.03 10:15',
    '20240203',
    '20240203T101500',
    '2024-02-03T10:15:00.5+08:00',
    '0044-03-15 BC',
    '12024-01-01',
    '-infinity',
    '3 Feb 2024',
    '03-Feb-2024 10:15',
    'Feb 3, 2024',
    'February 3 2024',
    'Sat, 3 Feb 2024 10:15:00 +0800',
  ])('keeps %j', text => {
    expect(typeForm('timestamptz')!.rewrite(text)).toBe(text);
  });

  it.each([
    '03/04/24', '03/04/2024', '1-2-3', '99-01-02', '030424', '030424 10:15', 'Jan 2 24', '2-Jan-24 10:15', 'today', 'now', 'tomorrow 10:15', 'epoch', '', '10:15',
  ])('refuses %j, which PostgreSQL guesses or takes from its clock', text => {
    expect(typeForm('timestamptz')!.rewrite(text)).toBeNull();
  }); // prettier-ignore
});

describe('typeForm of times', () => {
  it.each([
    ['timestamp', '2024-01-31T23:59:59.9999999'],
    ['timestamptz', '2024-01-31 23:59:59.9999999+08'],
    ['timestamptz', '20240131T235959.9999999Z'],
    ['date', '2024-01-31 23:59:59.9999999'],
    ['timestamp(3)', '2024-01-31 23:59:59.9996'],
    ['timestamp(0)', '2024-01-31 23:59:59.9'],
    ['timestamp', '2016-12-31 23:59:60'],
    ['timestamp', '2024-01-31 08:30.5'],
    ['timestamp', '03/04/24'],
    ['time', '23:59:59.9999999'],
    ['time', '23:59:60'],
    ['time', '08:30.5'],
    ['time(3) with time zone', '23:59:59.9996+08'],
    ['interval', 'PT0.1234567S'],
    ['interval', '1.55 years'],
    ['interval', '1 year 0.5 mons'],
    ['interval', 'P1.5M'],
    ['interval', 'P1.55YT1M'],
    ['interval', '-.51 y'],
    ['interval', '0.0001 century'],
    ['interval[]', '{1 year,1.3 months}'],
    ['timestamp', '20240131T235960'],
    ['timestamp', '20240131 235960'],
    ['time', '235960'],
    ['interval(0)', '1.4 s'],
    ['interval second(0)', '1.4 s'],
    ['interval(0)', '1500 ms'],
    ['interval', '1.0000001 days 1:00:00.1234567'],
    ['interval', `0.${'0'.repeat(50)}1 h`],
    ['interval', 'P1M1.5M'],
    ['interval', 'P1M0.3M'],
    ['interval', 'P1-1.5'],
    ['interval', 'P1.55'],
    ['interval', 'P1.55-1'],
    ['interval', 'P0001-01.5-01'],
    ['interval', '12:30.5'],
    ['interval', '1-1.5'],
    ['interval', 'PT090000.5'],
    ['interval', 'P00010203T040506.5'],
    ['interval', '1 day 100:30.5'],
    ['interval day', '36 hours'],
    ['interval year', '1 year'],
    ['interval year to month', 'P1Y2M3D'],
    ['interval hour to minute', '01:02:03'],
    ['interval day to hour[]', '{1 day}'],
    ['interval day to second(3)', '1.2345 s'],
    ['interval hour to second', '0.1234567 s'],
    ['interval', 'P1e-1M'],
    ['interval', 'P1.e-1Y'],
    ['interval', 'PT1E-9S'],
    ['interval', 'P0x1p-1M'],
    ['interval[]', '{1 day,P1e-1M}'],
    ['interval', '1 '.repeat(200)],
    ['time[]', '{08:30:00,23:59:59.9999999}'],
    ['time[]', '{"08:30:00","23:59:59,9999999"}'],
    ['time[]', '{08:30,08:31.5}'],
    ['time[]', String.raw`{23:59:59.999999\9}`],
    ['timestamp[]', '["2024-01-31T23:59:59.9999999"]'],
    ['timestamp[]', '{2024-01-31,03/04/24}'],
    ['date[]', '{today}'],
    ['interval[]', '{1 day,0.1234567 s}'],
    ['time[]', '08:30'],
    ['timestamp', '2024-03-05T10:00:00Z'],
    ['timestamp', '2024-03-05 10:00:00+08:00'],
    ['timestamp', '2024-03-05 10:00:00 America/New_York'],
    ['timestamp', '2024-03-05 10:00 CST'],
    ['timestamp(3)', '2024-03-05 10:00:00 utc'],
    ['timestamp[]', '{2024-03-05 10:00:00Z}'],
    ['timestamptz', '2024-03-05 10:00:00 CST'],
    ['timestamptz', '2024-03-05 10:00:00 PST'],
    ['timestamptz', '2024-03-05 10:00:00 UTC+8'],
    ['timestamptz', '2024-03-05 10:00:00 Etc/GMT+8'],
    ['date', '2024-03-05 10:00:00'],
    ['date', '2024-03-05 00:00:01'],
    ['date', '2024-03-05T00:00:00Z'],
    ['date', '2024-03-05T23:30:00-05:00'],
    ['date', '20240305T101500'],
    ['date', '2024-03-05 24:00'],
    ['date', '2024-03-05 12:00 AM'],
    ['time', '08:30:00+08'],
    ['time', '08:30Z'],
    ['time', '2024-03-05 08:30'],
    ['time', 'now'],
    ['time with time zone', '2024-03-05 08:30+08'],
    ['time with time zone', '08:30 CST'],
  ])('of %s refuses %j, which PostgreSQL would change or guess', (type, text) => {
    expect(typeForm(type)!.rewrite(text)).toBeNull();
  });

  it.each([
    ['timestamp', '2024-01-31T23:59:59.999999'],
    ['timestamp', '2024-01-31T23:59:59.9999990'],
    ['timestamp(3)', '2024-01-31 23:59:59.1230'],
    ['timestamp(0)', '2024.01.31 23:59:59'],
    ['date', '2024.01.31'],
    ['time', '08:30:00.5'],
    ['timestamp', '2024-3-5'],
    ['timestamp', '2024/03/05 1:02:03 PM'],
    ['timestamp', '0044-03-15 10:00:00 BC'],
    ['timestamp', '2024-03-05 24:00'],
    ['timestamptz', '2024-03-05 10:00:00+00'],
    ['timestamptz', '0044-03-15 10:00:00+00 BC'],
    ['timestamptz', '2024-03-05t10:00z'],
    ['timestamptz', '2024-03-05 10:00:00 GMT'],
    ['timestamptz', '2024-03-05 10:00:00 -08:05:43'],
    ['timestamptz', '2024-03-05 10:00 America/Argentina/Buenos_Aires'],
    ['date', '2024-3-5'],
    ['date', '2024-03-05 00:00:00.000'],
    ['date', '2024-03-05T00:00'],
    ['date', '0044-03-15 BC'],
    ['date', 'infinity'],
    ['time', 'T08:30'],
    ['time', '8:30 pm'],
    ['time', '083000'],
    ['time with time zone', '08:30:00+08'],
    ['interval', '1.5 years'],
    ['interval', '1.25 yrs 2 mons'],
    ['interval', '0.1 decades'],
    ['interval', '1 decade 2 sec'],
    ['interval', `1.5${'0'.repeat(100)} h`],
    ['interval', `${' '.repeat(200)}1 mon`],
    ['interval', 'P1.5Y2MT1.5M'],
    ['interval', '@ 1 year 2 mons ago'],
    ['interval', '-178956970 years -8 mons'],
    ['interval', '1.5 days'],
    ['interval', '1.1234567 days'],
    ['interval(0)', '1.5 days'],
    ['interval(0)', '1.50 min 2 sec'],
    ['interval(3)', 'P1Y2M3DT1.5H0.25S'],
    ['interval second(3)', '2500 ms'],
    ['interval', '1-2 3 04:05:06.789'],
    ['interval', '12:30'],
    ['interval', 'P1M2.5D'],
    ['interval', 'P1-2'],
    ['interval', 'P0001-02-03T04:05:06.789'],
    ['interval', 'P00010203T040506'],
    ['interval', 'PT1.5:30'],
    ['interval day to second(3)', '1 day 01:02:03.123'],
    ['interval hour to second', '36:00:00'],
    ['interval minute to second(0)', '90 min'],
    ['interval second', '1.5'],
    ['time[]', '{08:30,09:15}'],
    ['time(0)[]', '{08:30:00,09:15:00}'],
    ['timestamp[]', '{2024-01-31 08:30,2024-02-01 09:00}'],
    ['timestamp[]', '{20240131T083000,20240201T090000}'],
    ['timestamp[]', '{"2024-01-31 08:30:00",NULL,null}'],
    ['timestamptz[]', '{2024-01-31 08:30:00+08:00,2024-02-01 08:30:00+08:00}'],
    ['date[]', '{{2024-01-31,2024-02-01},{2024-03-01,2024-04-01}}'],
    ['interval[]', '{1 day,1234567 seconds}'],
    ['interval[]', '{}'],
  ])('of %s keeps %j', (type, text) => {
    expect(typeForm(type)!.rewrite(text)).toBe(text);
  });

  it('refuses a text that is too long for an interval without reading it', () => {
    const matches = jest.spyOn(String.prototype, 'matchAll');
    expect(typeForm('interval')!.rewrite('1 '.repeat(128 * 1024))).toBeNull();
    expect(typeForm('interval')!.rewrite(`1.5${'0'.repeat(100_000)} h`)).toBeNull();
    expect(matches).not.toHaveBeenCalled();
    matches.mockRestore();
  });

  it('refuses a list with more elements than can be judged without a pause', () => {
    const list = (length: number): string => `{${Array(length).fill('1').join(',')}}`;
    expect(typeForm('integer[]')!.rewrite(list(16_384))).toBe(list(16_384));
    expect(typeForm('integer[]')!.rewrite(list(16_385))).toBeNull();
    expect(typeForm('interval[]')!.rewrite(list(8_192))).toBe(list(8_192));
    expect(typeForm('interval[]')!.rewrite(list(8_193))).toBeNull();
  });

  it('writes a JSON list as PostgreSQL does', () => {
    expect(typeForm('time[]')!.rewrite('["08:30", null, "09:15"]')).toBe('{"08:30",NULL,"09:15"}');
  });

  it.each([
    'text',
    'text[]',
    'varchar',
    'varchar[]',
    'boolean',
    'uuid',
    'jsonb',
    'json[]',
    'bytea',
    'inet',
    'bit(3)',
    'bit varying(5)[]',
    'point',
  ])('is null for %s', type => {
    expect(typeForm(type)).toBeNull();
  });

  it('tells how many decimals the column keeps', () => {
    expect(typeForm('timestamp(3)')!.wanted).toEqual({
      zh: expect.stringContaining('秒至多 3 位小数'),
      en: expect.stringContaining('at most 3 decimals of a second'),
    });
  });
});

describe('typeForm of numbers', () => {
  it.each([
    ['numeric(12,2)', '1.555'],
    ['numeric(12,2)', '1e-3'],
    ['numeric(5,2)', '1000'],
    ['numeric(5,2)', '999.995'],
    ['numeric(5,0)', '1.5'],
    ['numeric(2,-3)', '1500'],
    ['numeric(3,5)', '0.01'],
    ['numeric(12,2)', '0x10'],
    ['numeric(12,2)[]', '{1.5,1.555}'],
    ['numeric', '1_000.5'],
    ['numeric', '0x1F'],
    ['numeric', '1,5'],
    ['numeric', '.'],
    ['real', '0x10'],
    ['double precision', '0x1p3'],
    ['integer', '0x10'],
    ['integer', '0b11'],
    ['integer', '1_0'],
    ['integer', '12.7'],
    ['integer', '2147483648'],
    ['integer', ''],
    ['integer[]', '["0x10"]'],
    ['smallint', '-32769'],
    ['bigint', '9223372036854775808'],
    ['bigint', `1${'0'.repeat(30)}`],
  ])('of %s refuses %j', (type, text) => {
    expect(typeForm(type)!.rewrite(text)).toBeNull();
  });

  it.each([
    ['numeric(12,2)', '1.5000'],
    ['numeric(12,2)', '1.555e1'],
    ['numeric(12,2)', '1e3'],
    ['numeric(12,2)', '-.50'],
    ['numeric(5,2)', '000999.99'],
    ['numeric(5,2)', 'NaN'],
    ['numeric(5,0)', '1.0'],
    ['numeric(2,-3)', '15000'],
    ['numeric(3,5)', '0.00999'],
    ['numeric', '1.23456789012345678901234567890'],
    ['numeric', '-Infinity'],
    ['double precision', '0.1234567890123456789'],
    ['real', '1e-3'],
    ['integer', '007'],
    ['integer', ' +7 '],
    ['integer', '-2147483648'],
    ['integer[]', '{1,NULL,-2}'],
    ['smallint', '32767'],
    ['bigint', `-0000000000000000000009223372036854775808`],
  ])('of %s keeps %j', (type, text) => {
    expect(typeForm(type)!.rewrite(text)).toBe(text);
  });

  it.each(['integer', 'smallint', 'bigint', 'numeric', 'numeric(5,2)', 'numeric(2,3)', 'date', 'timestamp', 'timestamptz', 'real'])(
    'of %s keeps each text whose bytes it keeps',
    type => {
      const signs = fc.array(fc.constantFrom(...'0011234567899..--+:: eTZ,'), { minLength: 1, maxLength: 12 }).map(all => all.join(''));
      const times = fc.constantFrom(
        '2024-03-05',
        '2024-03-05 10:00',
        '2024-03-05T10:00:00.5',
        '2024-03-05 10:00:00+08',
        '2024-03-05 00:00',
      );
      const { isKept, rewrite } = typeForm(type)!;
      fc.assert(
        fc.property(fc.oneof(signs, times), text => {
          const bytes = Buffer.from(`7${text}7`);
          if (isKept!(bytes, 1, bytes.length - 1)) expect(rewrite(text)).toBe(text);
        }),
        { numRuns: 2_000 },
      );
    },
  );
});

describe('typeForm of lists', () => {
  it('reads a long list with quotes that have no end once', () => {
    const matches = jest.spyOn(String.prototype, 'trim');
    typeForm('integer[]')!.rewrite(`{${'"\\'.repeat(50_000)}`);
    expect(matches.mock.calls.length).toBeLessThan(10);
    matches.mockRestore();
  });
});

describe('typeForm of what PostgreSQL would take as another value', () => {
  it.each([
    ['timestamptz', 'CST, 5 Mar 2024 10:00:00'],
    ['timestamp', 'EST 5 Mar 2024 10:00'],
    ['date', 'UTC, 5 Mar 2024'],
    ['date', '2023.366'],
    ['date', '5 foo 2024'],
    ['numeric(3,5)', '0.1'],
  ])('refuses for %s %j', (type, text) => {
    expect(typeForm(type)!.rewrite(text)).toBeNull();
  });

  it.each([
    ['numeric(3,5)', '0.0'],
    ['numeric(5,-2)', '0'],
    ['numeric(5,-2)', '100'],
    ['timestamptz', 'Saturday, 3 Feb 2024 10:15:00 +0800'],
    ['date', '5 Sept 2024'],
  ])('keeps for %s %j', (type, text) => {
    expect(typeForm(type)!.rewrite(text)).toBe(text);
  });
});

describe('typeForm of types that may change a value', () => {
  it.each([
    ['varchar(3)', 'abc   '],
    ['varchar(3)', 'abcd'],
    ['char(2)', '学生 '],
    ['varchar(3)[]', '{abc,"abc "}'],
    ['tsrange', '[2024-01-01 10:00:00.1234567,2024-01-02)'],
    ['tsrange', '[2024-01-01 10:00:00+08,]'],
    ['tsrange[]', '{"[2024-01-01,2024-01-02 00:00:00.1234567)"}'],
    ['daterange', '["2024-01-01 10:00",)'],
    ['daterange', '[today,)'],
    ['numrange', '[0x10,20]'],
    ['nummultirange', '{[1,2),[0x10,20)}'],
    ['name', 'a'],
    ['"char"', 'a'],
    ['oid', '-1'],
    ['other', '1.555'],
    ['tsvector', 'b a a'],
    ['name[]', '{a}'],
    ['jsonb[]', String.raw`{"{\"a\":1,\"a\":2}"}`],
    ['jsonb[]', '["1", "[{\\"a\\":1,\\"a\\":2}]"]'],
  ])('of %s refuses %j', (type, text) => {
    expect(typeForm(type)!.rewrite(text)).toBeNull();
  });

  it.each([
    ['varchar(3)', 'ab '],
    ['varchar(3)', '学生😀'],
    ['char(3)', 'ab'],
    ['varchar(3)[]', '{abc,NULL,"a,b"}'],
    ['tsrange', '["2024-01-01 10:00:00.123456",)'],
    ['tstzrange', '(,2024-01-02 10:00:00+08]'],
    ['daterange', ' empty '],
    ['daterange', '[2024-01-01,infinity]'],
    ['int4range', '[1,10)'],
    ['numrange', '[1.5,2]'],
    ['int8multirange', '{[1,2),[5,)}'],
    ['jsonb[]', String.raw`{"{\"a\":1,\"b\":{\"a\":2}}",NULL,1}`],
  ])('of %s keeps %j', (type, text) => {
    expect(typeForm(type)!.rewrite(text)).toBe(text);
  });
});
