import pg from 'pg';
import { cloneDatabase } from '../../../test/support/database.js';
import { Dice } from '../../../test/support/dice.js';
import {
  behindPlus,
  classifyValue,
  COMMAS,
  GROUPED,
  KIND_TYPES,
  LOSSY,
  signOf,
  SURE_COMMA,
  SURE_POINT,
  TEXT,
  UNSURE,
} from './csv-values.js';

const pieces = [
  '0',
  '1',
  '9',
  '00',
  '12',
  '2024',
  '-',
  '-01',
  '-31',
  '+',
  '.',
  '.5',
  ',',
  ',5',
  'e',
  'E',
  'e5',
  ':',
  ':59',
  ':60',
  ' ',
  'T',
  'Z',
  '+00',
  '+08:00',
  '10:00:00',
  '2147483647',
  '9223372036854775808',
  '-02-29',
  'true',
  'FALSE',
];

describe('classifyValue against PostgreSQL', () => {
  let database: Awaited<ReturnType<typeof cloneDatabase>>;
  let client: pg.Client;

  beforeAll(async () => {
    database = await cloneDatabase();
    client = new pg.Client(database.url);
    await client.connect();
    await client.query("SET DateStyle = 'ISO, YMD'; SET TimeZone = 'UTC'");
  });

  afterAll(async () => {
    await client.end();
    await database.drop();
  });

  it('gives a type only to values that PostgreSQL reads as it, and prints the same unless they are marked lossy', async () => {
    const { below: random } = new Dice(7);
    const byKind = new Map<number, { exact: string[]; lossy: string[] }>();
    for (let round = 0; round < 60_000; round++) {
      let value = '';
      for (let piece = 0; piece <= random(5); piece++) value += pieces[random(pieces.length)];
      if (random(2) === 0) value = `${2000 + random(30)}-0${1 + random(9)}-${10 + random(22)}${value.startsWith('T') ? value : ''}`;
      const bytes = Buffer.from(value);
      const found = classifyValue(bytes, 0, bytes.length);
      const kind = found & ~LOSSY;
      if (kind === TEXT || kind === GROUPED) continue;
      const values = byKind.get(kind) ?? { exact: [], lossy: [] };
      byKind.set(kind, values);
      (found === kind ? values.exact : values.lossy).push(kind === COMMAS ? value.replace(',', '.') : value);
    }
    expect([...byKind.keys()].sort()).toEqual([2, 3, 4, 5, 6, 7, 8, 9]);
    for (const [kind, { exact, lossy }] of byKind) {
      const type = kind === COMMAS ? 'numeric' : KIND_TYPES[kind]!;
      const { rows } = await client.query(`SELECT v, v::${type}::text AS printed FROM unnest($1::text[]) v WHERE v::${type}::text <> v`, [
        exact,
      ]);
      expect(rows).toEqual([]);
      // Throws if PostgreSQL cannot read one of the lossy values.
      const read = await client.query(`SELECT count(v::${type})::int AS n FROM unnest($1::text[]) v`, [lossy]);
      expect(read.rows[0].n).toBe(lossy.length);
    }
  });
});

describe('signOf', () => {
  it.each([
    ['12,5', SURE_COMMA],
    ['-1234,567', SURE_COMMA],
    ['0,234', SURE_COMMA],
    ['1,23456', SURE_COMMA],
    ['12,', UNSURE],
    [',5', UNSURE],
    ['-,500', UNSURE],
    ['12.', UNSURE],
    ['.5', UNSURE],
    ['192.168.100.101', 0],
    ['192.168.100.256', SURE_COMMA],
    ['1.234.567.890', SURE_COMMA],
    ['1,5E3', SURE_COMMA],
    ['1.234,567', SURE_COMMA],
    ['1 234,5', SURE_COMMA],
    ['1.234.567', SURE_COMMA],
    ['12.5', SURE_POINT],
    ['1.2345', SURE_POINT],
    ['0.234', SURE_POINT],
    ['1.500e3', SURE_POINT],
    ['1,234.567', SURE_POINT],
    ['1,234,567', SURE_POINT],
    ['1,234', UNSURE],
    ['-123,456', UNSURE],
    ['1234,5678', UNSURE],
    ['1.234', UNSURE],
    ['12345678901234567890', 0],
    ['1 234', 0],
    ['+2,5', SURE_COMMA << behindPlus],
    ['+2.5', SURE_POINT << behindPlus],
    ['+1.234', UNSURE << behindPlus],
    ['+48.137154', SURE_POINT << behindPlus],
    ['+0.12345678', SURE_POINT << behindPlus],
    ['+1,234,567', SURE_POINT << behindPlus],
    ['+1.234,5', SURE_COMMA << behindPlus],
    ['+49.17012345', 0],
    ['+86.13800001111', 0],
    ['+1.555.123.456', 0],
    ['+4917012345', 0],
  ])('of %s is %i', (text, sign) => {
    expect(signOf(Buffer.from(text), 0, text.length)).toBe(sign);
  });
});
