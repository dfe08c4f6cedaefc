import pg from 'pg';
import { type ClonedDatabase, cloneDatabase } from '../../../test/support/database.js';
import { atOnce } from '../../text/steps.js';
import { parseDateFormat } from '../mapping/date-format.js';
import { type Transform } from '../mapping/mapping.js';
import { parsedValue } from './column-sql.js';
import { SqlBuilder } from './sql-builder.js';
import { cleanedText } from './transform-sql.js';

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

function dateFormat(written: string): Transform {
  const format = parseDateFormat(written);
  if ('fault' in format) throw new Error(format.fault.en);
  return { kind: 'date_format', written, format };
}

describe('cleanedText', () => {
  const options = { emptyAsNull: true, trim: false };
  const clean = async (text: string, transform: Transform[], fallback: string | null = null, more = {}) => {
    const sql = new SqlBuilder();
    const template = `SELECT ${cleanedText(sql, 'v', transform, fallback, { ...options, ...more })} AS text FROM (SELECT ${sql.bind(text, 'text')} AS v) AS s`;
    const statement = atOnce(sql.build(template));
    return (await client.query(statement.sql, statement.parameters)).rows[0].text;
  };

  it('normalises long texts as others, and breaks up marks in a row (risk: quadratic time that nothing cancels)', async () => {
    const text = `${'e\u0301 '.repeat(1_000)}a${'\u0315\u0327'.repeat(15)}`;
    expect(await clean(text, [{ kind: 'nfc' }])).toBe(text.normalize('NFC'));
    for (const pair of ['\u0315\u0327', '\u0315\uff9e']) {
      const marks = `a${pair.repeat(100_000)}`;
      const broken = marks.replace(/([\p{M}\uff9e]{30})(?=[\p{M}\uff9e])/gu, '$1\u034f');
      expect(await clean(marks, [{ kind: 'nfkc' }])).toBe(broken.normalize('NFKC'));
    }
  });

  it.each([
    [' a ', [], ' a '],
    ['\u3000a\t', [{ kind: 'trim' }], 'a'],
    ['Ab', [{ kind: 'lower' }], 'ab'],
    ['Ab', [{ kind: 'upper' }], 'AB'],
    ['e\u0301', [{ kind: 'nfc' }], 'é'],
    ['ｶ１', [{ kind: 'nfkc' }], 'カ1'],
    ['a \u3000\n b', [{ kind: 'collapse_space' }], 'a b'],
    ['n/a', [{ kind: 'null_if', values: ['n/a', '-'] }], null],
    ['paid', [{ kind: 'map', values: { paid: '已付款' } }], '已付款'],
    ['late', [{ kind: 'map', values: { paid: '已付款' } }], 'late'],
    ['paid', [{ kind: 'map', values: { paid: null } }], null],
    ['０１２3-4', [{ kind: 'substring', start: 2, length: 3 }], '１２3'],
    ['𠮷野家', [{ kind: 'substring', start: 2, length: 9 }], '野家'],
    ['ab', [{ kind: 'substring', start: 3, length: 1 }], null],
    ['a; b c;;"d"', [{ kind: 'split', separator: ';' }], '{a,"b c","\\"d\\""}'],
    [' ; ', [{ kind: 'split', separator: ';' }], null],
    ['1,234.5', [{ kind: 'number_cn' }], '1234.5'],
    ['-1,234,567', [{ kind: 'number_cn' }], '-1234567'],
    ['１２３', [{ kind: 'number_cn' }], '123'],
    ['－１，２３４．５', [{ kind: 'number_cn' }], '-1234.5'],
    ['1,5', [{ kind: 'number_cn' }], '1,5'],
    ['1,2345', [{ kind: 'number_cn' }], '1,2345'],
    ['1.234,5', [{ kind: 'number_cn' }], '1.234,5'],
    ['31/12/2024', [dateFormat('dd/MM/yyyy')], '2024-12-31'],
    ['2024-12-31', [dateFormat('dd/MM/yyyy')], '2024-12-31 (not dd/MM/yyyy)'],
    ['3/4/2024 5:06 pm', [dateFormat('M/d/yyyy h:mm a')], '2024-3-4 5:06 pm'],
    ['2024年3月4日', [dateFormat('yyyy年M月d日')], '2024-3-4'],
    ['', [dateFormat('yyyyMMdd')], null],
    [' PAID ', [{ kind: 'trim' }, { kind: 'lower' }, { kind: 'map', values: { paid: '已付款' } }], '已付款'],
  ] as [string, Transform[], string | null][])('turns %j by %j into %j', async (text, transform, cleaned) => {
    expect(await clean(text, transform)).toBe(cleaned);
  });

  it('takes an empty text as NULL, also one that the transforms leave empty, and puts the default there', async () => {
    expect([await clean('', []), await clean('', [], null, { emptyAsNull: false })]).toEqual([null, '']);
    expect([await clean(' ', [{ kind: 'trim' }]), await clean(' ', [{ kind: 'trim' }], 'none')]).toEqual([null, 'none']);
  });

  it('keeps no empty text from being another form of date where it is a value', async () => {
    const cleaned = await clean('', [dateFormat('yyyyMMdd')], null, { emptyAsNull: false });
    expect(cleaned).toBe(' (not yyyyMMdd)');
    for (const name of ['date', 'datetime'] as const) {
      const { rows } = await client.query(
        `SELECT ${parsedValue('v', { name }).valid} AS valid FROM (SELECT ${client.escapeLiteral(cleaned)} AS v) AS s`,
      );
      expect(rows[0].valid).toBe(false);
    }
  });

  it('trims everything when the mapping says so', async () => {
    expect(await clean('  a ', [], null, { trim: true })).toBe('a');
  });

  it('evaluates each step once, however many there are', () => {
    const chain = Array.from({ length: 20 }, (): Transform => ({ kind: 'map', values: { a: 'b' } }));
    expect(cleanedText(new SqlBuilder(), 'v', chain, null, options).length).toBeLessThan(5_000);
  });

  it('leaves a text that is not of the date format unreadable for every type that may follow', async () => {
    for (const [format, text, type] of [
      ['dd/MM/yyyy', '2024-01-02', 'date'],
      ['dd/MM/yyyy HH:mm', '2024-01-02 10:00', 'datetime'],
      ['HH.mm', '10:00', 'time'],
    ] as const) {
      const cleaned = client.escapeLiteral(await clean(text, [dateFormat(format)]));
      const { valid } = parsedValue('v', { name: type });
      const { rows } = await client.query(`SELECT ${valid} AS valid FROM (SELECT ${cleaned}::text AS v) AS s`);
      expect([format, rows[0].valid]).toEqual([format, false]);
    }
  });
});
