import * as fc from 'fast-check';
import { typeForm } from './type-form.js';

describe('typeForm of a type', () => {
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
