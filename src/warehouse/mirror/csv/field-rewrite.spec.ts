import * as fc from 'fast-check';
import { SchemaError } from '../../../common/errors/api-error.js';
import { clearDateForm, dateForm, listForm, rewriteField, timeForm } from './field-rewrite.js';

describe('dateForm', () => {
  it.each([
    ['DD/MM/YYYY', '31/12/2024', '2024-12-31'],
    ['DD/MM/YYYY', ' 1/2/2024 ', '2024-02-01'],
    ['MM-DD-YYYY', '02-29-2024', '2024-02-29'],
    ['D.M.YYYY', '1.2.2024', '2024-02-01'],
    ['yyyymmdd', '20240105', '2024-01-05'],
    ['DD/MM/YYYY', '31/02/2024', null],
    ['DD/MM/YYYY', '12/31/2024', null],
    ['DD/MM/YYYY', '01-02-2024', null],
    ['DD.MM.YYYY', '01x02x2024', null],
    ['YYYYMMDD', '202411', null],
  ])('reads %s: %j', (form, text, iso) => {
    expect(dateForm(form)!.rewrite(text)).toBe(iso);
  });

  it.each(['DD/MM', 'DD/DD/YYYY', 'DD/MM/YY', '', 'DD/MM/YYYY HH', '(a+)+'])('knows no form %j', form => {
    expect(dateForm(form)).toBeNull();
  });
});

describe('clearDateForm', () => {
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
    expect(clearDateForm.rewrite(text)).toBe(text);
  });

  it.each([
    '03/04/24', '03/04/2024', '1-2-3', '99-01-02', '030424', '030424 10:15', 'Jan 2 24', '2-Jan-24 10:15', 'today', 'now', 'tomorrow 10:15', 'epoch', '', '10:15',
  ])('refuses %j, which PostgreSQL guesses or takes from its clock', text => {
    expect(clearDateForm.rewrite(text)).toBeNull();
  }); // prettier-ignore
});

describe('timeForm', () => {
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
    ['timestamp', '20240131T235960'],
    ['timestamp', '20240131 235960'],
    ['time', '235960'],
    ['interval(0)', '1.4 s'],
    ['interval second(0)', '1.4 s'],
    ['interval(0)', '1500 ms'],
    ['interval', '1.0000001 days 1:00:00.1234567'],
    ['interval', `0.${'0'.repeat(50)}1 h`],
    ['time[]', '{08:30:00,23:59:59.9999999}'],
    ['time[]', '{"08:30:00","23:59:59,9999999"}'],
    ['time[]', '{08:30,08:31.5}'],
    ['time[]', String.raw`{23:59:59.999999\9}`],
    ['timestamp[]', '["2024-01-31T23:59:59.9999999"]'],
    ['timestamp[]', '{2024-01-31,03/04/24}'],
    ['date[]', '{today}'],
    ['interval[]', '{1 day,0.1234567 s}'],
    ['time[]', '08:30'],
  ])('of %s refuses %j, which PostgreSQL would change or guess', (type, text) => {
    expect(timeForm(type)!.rewrite(text)).toBeNull();
  });

  it.each([
    ['timestamp', '2024-01-31T23:59:59.999999'],
    ['timestamp', '2024-01-31T23:59:59.9999990'],
    ['timestamp(3)', '2024-01-31 23:59:59.1230'],
    ['timestamp(0)', '2024.01.31 23:59:59'],
    ['date', '2024.01.31'],
    ['time', '08:30:00.5'],
    ['interval', '1.5 days'],
    ['interval', '1.1234567 days'],
    ['interval(0)', '1.5 days'],
    ['interval(0)', '1.50 min 2 sec'],
    ['interval(3)', 'P1Y2M3DT1.5H0.25S'],
    ['interval second(3)', '2500 ms'],
    ['interval', '1-2 3 04:05:06.789'],
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
    expect(timeForm(type)!.rewrite(text)).toBe(text);
  });

  it('judges long amounts of an interval in one pass', () => {
    const zeros = '0'.repeat(100_000);
    expect(timeForm('interval')!.rewrite(`1.5${zeros} h`)).not.toBeNull();
    expect(timeForm('interval')!.rewrite(`1.5${zeros}1 h`)).toBeNull();
  });

  it('writes a JSON list as PostgreSQL does', () => {
    expect(timeForm('time[]')!.rewrite('["08:30", null, "09:15"]')).toBe('{"08:30",NULL,"09:15"}');
  });

  it.each(['text', 'integer[]', 'daterange', 'tsrange', 'numeric(12,2)'])('is null for %s', type => {
    expect(timeForm(type)).toBeNull();
  });

  it('tells how many decimals the column keeps', () => {
    expect(timeForm('timestamp(3)')!.wanted).toEqual({
      zh: expect.stringContaining('秒至多 3 位小数'),
      en: expect.stringContaining('at most 3 decimals of a second'),
    });
  });
});

describe('listForm', () => {
  it('writes every list of strings in a way that PostgreSQL reads back', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.string({ unit: 'binary' }), fc.constant('"\\,{}')), { maxLength: 5 }), list => {
        const literal = listForm.rewrite(JSON.stringify(list))!;
        // Read back by the rules of PostgreSQL for quoted elements.
        const items = [...literal.slice(1, -1).matchAll(/"((?:[^"\\]|\\[\s\S])*)"/g)].map(([, body]) => body!.replace(/\\([\s\S])/g, '$1'));
        expect(items).toEqual(list);
      }),
    );
  });

  it.each([
    ['[1, -2, null, true]', '{1,-2,NULL,true}'],
    ['[]', '{}'],
    [' {a,b} ', '{a,b}'],
    ['[[1]]', null],
    ['[{"a": 1}]', null],
    ['[9007199254740993]', null],
    ['[1.50]', null],
    ['a,b', null],
    ['[1,', null],
    [String.raw`["\ud800"]`, null],
    ['{"a": 1', '{"a": 1'],
  ])('reads %j', (text, literal) => {
    expect(listForm.rewrite(text)).toBe(literal);
  });
});

describe('rewriteField', () => {
  it.each([
    ['2024-02-03', '2024-02-03'],
    ['"2024-02-03"', '"2024-02-03"'],
  ])('leaves %s as it is, which costs no copy', (field, kept) => {
    expect(rewriteField(clearDateForm, field, { line: 2, column: 'day' })).toBe(kept);
  });

  it('quotes what it changes, and names the place of what it cannot read', () => {
    expect(rewriteField(listForm, '"[""a""]"', { line: 2, column: 'tags' })).toBe('"{""a""}"');
    expect(() => rewriteField(clearDateForm, '03/04/24', { line: 2, column: 'day' })).toThrow(SchemaError);
  });
});
