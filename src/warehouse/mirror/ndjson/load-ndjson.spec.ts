import { mulberry32 } from '../../../../test/support/seeded.js';
import { inPieces, UploadTarget } from '../../../../test/support/upload-target.js';
import { type FieldProblem, SchemaError } from '../../../common/errors/api-error.js';
import { clearDateForm } from '../csv/field-rewrite.js';
import { type LoadedNdjson, loadNdjson } from './load-ndjson.js';
import { isLong } from '../../../../test/support/tier.js';

/** Blocks of one line, so that every new key and every widening happens late, when rows are already stored. */
const oneByOne = { sample: 1, block: 1 };

interface Options {
  sizes?: { sample: number; block: number };
  types?: Record<string, string>;
  nullMarker?: string | null;
}

describe('loadNdjson', () => {
  let tables: UploadTarget;
  beforeAll(async () => {
    tables = await UploadTarget.open();
  });
  afterAll(() => tables.close());

  const load = (ndjson: string | Buffer, { sizes, types = {}, nullMarker = null }: Options = {}) =>
    tables.load(
      {
        format: 'ndjson',
        types: new Map(Object.entries(types)),
        rewrites: new Map('day' in types ? [['day', clearDateForm]] : []),
      },
      target => loadNdjson(inPieces(Buffer.from(ndjson), sizes ? 7 : 65_536), { nullMarker }, target, sizes),
    );

  async function problemOf(ndjson: string | Buffer, options?: Options): Promise<FieldProblem> {
    try {
      await load(ndjson, options);
    } catch (error) {
      if (error instanceof SchemaError && error.problems.length === 1) return error.problems[0]!;
      throw error;
    }
    throw new Error('nothing was refused');
  }

  const typesOf = ({ columns }: LoadedNdjson) => Object.fromEntries(columns.map(({ name, type }) => [name, type]));

  it('keeps numbers as they are written, and finds the types of CSV', async () => {
    const loaded = await load(
      [
        '{"i": 1, "big": 9007199254740993, "price": 1.50, "huge": 123456789012345678901234567890, "ok": true, "day": "2024-02-29", "at": "2024-01-05 10:00:00", "zoned": "2024-01-05T10:00:00Z", "code": "007", "none": null}',
        '{"zoned": "2024-01-05T10:00:00+02:00", "i": -2, "price": 3, "code": ""}',
      ].join('\n'),
    );
    expect(typesOf(loaded)).toEqual({
      i: 'integer', big: 'bigint', price: 'numeric', huge: 'numeric', ok: 'boolean', day: 'date', at: 'timestamp', zoned: 'timestamptz', code: 'text', none: 'text',
    }); // prettier-ignore
    expect(loaded.texts).toEqual([
      ['1', '9007199254740993', '1.50', '123456789012345678901234567890', 'true', '2024-02-29', '2024-01-05 10:00:00', '2024-01-05 10:00:00+00', '007', null],
      ['-2', null, '3', null, null, null, null, '2024-01-05 08:00:00+00', '', null],
    ]); // prettier-ignore
    expect(loaded).toMatchObject({ rows: 2, warnings: [] });
  });

  it('reads objects as jsonb with exact numbers, and lists of texts or whole numbers as lists', async () => {
    const loaded = await load(
      '{"o": {"n": 12345678901234567890.10, "t": "a\\tb"}, "t": ["a,b", "\\"", null, "\\u00e9"], "n": [1, null, -2], "m": [1, "a"], "e": []}\n{"o": [true], "e": [7], "t": []}',
    );
    expect(typesOf(loaded)).toEqual({ o: 'jsonb', t: 'text[]', n: 'integer[]', m: 'jsonb', e: 'integer[]' });
    expect(loaded.texts).toEqual([
      ['{"n": 12345678901234567890.10, "t": "a\\tb"}', '{"a,b","\\"",NULL,é}', '{1,NULL,-2}', '[1, "a"]', '{}'],
      ['[true]', '{}', null, null, '{7}'],
    ]);
  });

  it('reads a long value, which it takes apart, as it reads a short one', async () => {
    // Longer than the part of a value that is written at once; the odd length lets parts begin at every place of an escape.
    const count = 40_001;
    const text = `\\u4e00${'\\ud83d\\ude00\\n字\\t\\\\é'.repeat(count)}`;
    const values = {
      coded: `"${text}"`,
      plain: `"${'字\\n\\\\'.repeat(count)}"`,
      numbers: `[ 1${' ,-23'.repeat(count)} ]`,
      texts: `["${'a'.repeat(70_000)}"${',"x,]\\"[\\u00e9", null'.repeat(count)}]`,
      document: `{"b": [${'{"t": "a\\tb"},'.repeat(count)}"${text}"]}`,
    };
    const line = `{${Object.entries(values).map(([name, value]) => `"${name}":${value}`).join(',')}}`; // prettier-ignore
    const { columns, texts } = await load(`${line}\n{"coded":"a"}\n`);
    expect(columns.map(({ type }) => type)).toEqual(['text', 'text', 'integer[]', 'text[]', 'jsonb']);
    const read = JSON.parse(line) as Record<'coded' | 'plain', string> & { numbers: number[]; texts: (string | null)[]; document: unknown };
    const [coded, plain, numbers, items, document] = texts[0]!;
    expect([coded === read.coded, plain === read.plain]).toEqual([true, true]);
    expect(numbers === `{${read.numbers.join(',')}}`).toBe(true);
    const inQuotes = (item: string | null): string =>
      item === null ? 'NULL' : /[,"\]\[]/.test(item) ? `"${item.replaceAll('"', '\\"')}"` : item;
    expect(items === `{${read.texts.map(inQuotes).join(',')}}`).toBe(true);
    expect(JSON.stringify(JSON.parse(document!)) === JSON.stringify(read.document)).toBe(true);
    expect(texts[1]).toEqual(['a', null, null, null, null]);
  });

  it('reads escapes, names with escapes, and every whitespace', async () => {
    const loaded = await load(
      '\ufeff \t{ "\\u0061" :\t"\\ud83d\\ude00\\n\\\\N\\/\\u0009" , "b\\"c":"\\\\." }\r\n\r\n\t\r\n{"a":"\\\\N","b\\"c":null}\n\n',
    );
    expect(loaded.columns.map(({ name }) => name)).toEqual(['a', 'b"c']);
    expect(loaded.texts).toEqual([
      ['😀\n\\N/\t', '\\.'],
      ['\\N', null],
    ]);
  });

  it('keeps keys apart that differ by case only', async () => {
    expect((await load('{"Id":1,"id":2}')).columns.map(({ name }) => name)).toEqual(['Id', 'id']);
  });

  it('makes a key with values of several types text, as they are written, and says so', async () => {
    const lines = ['{"a": 1.50, "b": "x"}', '{"a": "one", "b": {"x": [1]}}', '{"a": true, "b": "y"}'];
    for (const sizes of [undefined, oneByOne]) {
      const { texts, warnings } = await load(lines.join('\n'), sizes ? { sizes } : {});
      expect(texts).toEqual([
        ['1.50', 'x'],
        ['one', '{"x": [1]}'],
        ['true', 'y'],
      ]);
      expect(warnings.map(({ en }) => en)).toEqual([expect.stringContaining('"a" has values'), expect.stringContaining('"b" has values')]);
    }
  });

  it('refuses to widen to text what the table no longer spells as the file', async () => {
    const options = { sizes: oneByOne };
    expect(await problemOf('{"a":1e3}\n{"a":"x"}\n', options)).toMatchObject({
      type: 'ndjson_type_conflict',
      line: 2,
      loc: ['body', 2, 'a'],
    });
    expect(await problemOf('{"a":{}}\n\n{"a":1}\n', options)).toMatchObject({ type: 'ndjson_type_conflict', line: 3 });
    expect((await load('{"a":1e3}\n{"a":"x"}\n', { ...options, types: { a: 'text' } })).texts).toEqual([['1e3'], ['x']]);
  });

  it('turns stored lists into documents when a list of another kind comes', async () => {
    const { columns, texts } = await load('{"a":[1]}\n{"a":[]}\n{"a":["x"]}\n{"a":{"b":1}}\n', { sizes: oneByOne });
    expect(columns).toEqual([{ name: 'a', type: 'jsonb' }]);
    expect(texts.flat()).toEqual(['[1]', '[]', '["x"]', '{"b": 1}']);
  });

  it('reads given types as CSV does, and a text that stands for NULL', async () => {
    const types = { day: 'date', tags: 'text[]', doc: 'json', price: 'numeric(12,2)' };
    const { texts } = await load('{"day":"20240105","tags":"{a}","doc":"x","price":"1.5","n":"NA"}\n{"tags":["b"],"doc":{"a": 1},"n":"n\\u0061"}\n', { types, nullMarker: 'NA' }); // prettier-ignore
    expect(texts).toEqual([
      ['2024-01-05', '{a}', '"x"', '1.50', null],
      [null, '{b}', '{"a": 1}', null, 'na'],
    ]);
    expect((await load('{"a":"","b":1}\n{"a":"\\u0078"}', { nullMarker: '' })).texts).toEqual([
      [null, '1'],
      ['x', null],
    ]);
    expect(await problemOf('{"day":null}\n\n{"day":"03/04/24"}', { types: { day: 'date' } })).toMatchObject({
      type: 'ndjson_value',
      line: 3,
      loc: ['body', 3, 'day'],
    });
    expect(await problemOf('{"n":1}\n\n\n{"n":"x"}', { types: { n: 'integer' } })).toMatchObject({
      type: 'ndjson_value',
      line: 4,
      loc: ['body', 4, 'n'],
    });
  });

  const nested = (levels: number) => `{"a":${'['.repeat(levels)}${']'.repeat(levels)}}`;
  const wide = Array.from({ length: 10_000 }, (_, index) => `{"k${index}":1}`).join('\n');

  it.each<[string, string | Buffer, string, number]>([
    ['an empty file', '', 'ndjson_empty', 1],
    ['objects without keys alone', '{}\n{}', 'ndjson_empty', 1],
    ['a broken line', '{"a":1}\n{"a":}\n', 'ndjson_syntax', 2],
    ['a line that is cut off', '{"a":1}\n\n{"a":"x', 'ndjson_syntax', 3],
    ['an object over two lines', '{"a":1,\n"b":2}', 'ndjson_syntax', 1],
    ['text behind an object', '{"a":1}{"a":2}', 'ndjson_syntax', 1],
    ['a comma too many', '{"a":1,}', 'ndjson_syntax', 1],
    ['a number that is none', '{"a":01}', 'ndjson_syntax', 1],
    ['NaN', '{"a":NaN}', 'ndjson_syntax', 1],
    ['a key without quotes', '{a:1}', 'ndjson_syntax', 1],
    ['a key whose quote is not escaped', '{"a\\"b":1}\n{"a"b":1}', 'ndjson_syntax', 2],
    ['a control character', '{"a":"x\u0001"}', 'ndjson_syntax', 1],
    ['an unknown escape', '{"a":"\\x"}', 'ndjson_syntax', 1],
    ['a list', '[{"a":1}]', 'ndjson_no_object', 1],
    ['a number', '{"a":1}\n7', 'ndjson_no_object', 2],
    ['a key twice', '{"a":1}\n{"a":1,"b":2,"\\u0061":3}', 'ndjson_repeated_key', 2],
    ['a key twice deeper down', '{"a":[{"b":1,"c":{},"b":2}]}', 'ndjson_repeated_key', 1],
    ['\\u0000', '{"a":1}\n{"a":"x\\u0000"}', 'ndjson_nul', 2],
    ['\\u0000 deeper down', '{"a":{"b":["\\u0000"]}}', 'ndjson_nul', 1],
    ['\\u0000 in a key', '{"\\u0000":1}', 'ndjson_nul', 1],
    ['a map of very many names', `{"a":{${Array.from({ length: 100_002 }, (_, n) => `"${n}":1`).join(',')}}}`, 'ndjson_too_many_names', 1],
    ['a name that is longer than 64 kB', `{"a":{"b":1,"${'c'.repeat(70_000)}":1}}`, 'ndjson_name_too_long', 1],
    ['a column whose name is longer than 64 kB', `{"${'c'.repeat(70_000)}":1}`, 'ndjson_name_too_long', 1],
    ['an element of a list that is longer than a megabyte', `{"a":["b","${'c'.repeat(1_100_000)}"]}`, 'ndjson_value', 1],
    ['half of a character', '{"a":["\\ud800"]}', 'ndjson_surrogate', 1],
    ['a first half without a second', '{"a":"\\ud83d\\u0041"}', 'ndjson_surrogate', 1],
    ['a second half without a first', '{"a":"\\ude00\\ud83d"}', 'ndjson_surrogate', 1],
    ['three hexadecimal digits', '{"a":"\\ud83d\\ude0g"}', 'ndjson_syntax', 1],
    ['bytes that are not UTF-8', Buffer.concat([Buffer.from('{"a":1}\n{"a":"'), Buffer.from([0xff]), Buffer.from('"}')]), 'ndjson_not_utf8', 2],
    ['UTF-16', Buffer.from('\ufeff{"a":1}\n', 'utf16le'), 'ndjson_not_utf8', 1],
    ['a number PostgreSQL cannot hold in a document', '{"a":1}\n\n{"a":2,"b":{"c":1e999999}}', 'ndjson_value', 3],
    ['a line beyond 16 MiB', `{"a":1}\n{"a":"${'x'.repeat(17 * 1024 * 1024)}"}\n`, 'ndjson_record_too_long', 2],
    ['10,000 levels', `{"a":1}\n${nested(10_000)}`, 'ndjson_too_deep', 2],
    ['10,000 keys', wide, 'ndjson_too_many_columns', 1601],
    ['a key of 200 characters', `{"a":1}\n{"${'k'.repeat(200)}":1}`, 'ndjson_name_too_long', 2],
    ['an empty key', '{"":1}', 'ndjson_empty_name', 1],
    ['a key of a system column', '{"ctid":1}', 'ndjson_reserved_name', 1],
  ])('refuses %s with its line', async (_title, ndjson, type, line) => {
    expect(await problemOf(ndjson)).toMatchObject({ type, line });
  }); // prettier-ignore

  it('takes a thousand levels, and 1600 keys of which each comes late', async () => {
    expect((await load(nested(1000))).columns[0]!.type).toBe('jsonb');
    const late = wide.split('\n').slice(0, 1600).join('\n');
    const { columns, rows } = await load(`${late}\n`);
    expect([columns.length, rows]).toEqual([1600, 1600]);
  });

  it('loads what an independent reader of JSON makes of random rows', async () => {
    const random = mulberry32(20_261_122);
    const tableCount = isLong ? 500 : 60;
    let compared = 0;
    for (let table = 0; table < tableCount; table++) {
      const lines = randomLines(random);
      const sizes = table % 2 === 0 ? oneByOne : undefined;
      const file = `${lines.join('\n').replaceAll('\u00a6', ', ').replaceAll('\u00a7', ':')}\n`;
      const loaded = await load(file, sizes ? { sizes } : {}).catch((error: unknown) => {
        // Values of late types may be refused, as the spelling of stored ones is lost.
        if (sizes && error instanceof SchemaError && error.problems[0]!.type === 'ndjson_type_conflict') return null;
        throw error;
      });
      if (!loaded) continue;
      compared++;
      const rows = lines.filter(line => line.trim() !== '').map(readExactly);
      const names = [...new Set(rows.flatMap(row => [...row.keys()]))];
      expect(loaded.columns.map(({ name }) => name)).toEqual(names);
      for (const [index, name] of names.entries()) {
        const values = rows.map(row => row.get(name) ?? null);
        const type = typeOf(values);
        expect([lines, name, loaded.columns[index]!.type]).toEqual([lines, name, type]);
        const texts = loaded.texts.map(row => row[index]!);
        const { rows: same } = await tables.client.query<{ same: boolean }>(
          `SELECT bool_and(found IS NOT DISTINCT FROM wanted::${type}::text) AS same
           FROM unnest($1::text[], $2::text[]) AS t(found, wanted)`,
          [texts, values.map(value => textOf(value, type))],
        );
        expect([lines, name, texts, same[0]!.same]).toEqual([lines, name, texts, true]);
      }
    }
    expect(compared).toBeGreaterThan(tableCount * 0.6);
  });
});

/** A value of JSON with the spelling of the file. */
interface Exact {
  raw: string;
  value: unknown;
}

/** Reads a row with JSON.parse, whose source texts keep numbers exact. Members are cut out of the line by the generator's own spacing. */
function readExactly(line: string): Map<string, Exact | null> {
  const members = line.trim().slice(1, -1);
  if (members === '') return new Map();
  return new Map(
    members.split('\u00a6').map(member => {
      const colon = member.indexOf('\u00a7');
      const raw = member.slice(colon + 1);
      return [JSON.parse(member.slice(0, colon)) as string, raw === 'null' ? null : { raw, value: JSON.parse(raw) as unknown }];
    }),
  );
}

function typeOf(values: (Exact | null)[]): string {
  const types = new Set(values.filter(value => value !== null).map(typeOfOne));
  const only = (...allowed: string[]) => [...types].every(type => allowed.includes(type));
  const has = (type: string) => types.has(type);
  if (types.size === 0) return 'text';
  if (types.size === 1) return has('[]') ? 'text[]' : [...types][0]!;
  if (only('integer', 'bigint')) return 'bigint';
  if (only('integer', 'bigint', 'numeric')) return 'numeric';
  if (only('date', 'timestamp')) return 'timestamp';
  if (only('[]', 'text[]')) return 'text[]';
  if (only('[]', 'integer[]')) return 'integer[]';
  return only('[]', 'text[]', 'integer[]', 'jsonb') ? 'jsonb' : 'text';
}

function typeOfOne({ raw, value }: Exact): string {
  if (typeof value === 'boolean') return 'boolean';
  if (typeof value === 'number') {
    if (!/^-?\d+$/.test(raw)) return 'numeric';
    const whole = BigInt(raw);
    if (whole === BigInt.asIntN(32, whole)) return 'integer';
    return whole === BigInt.asIntN(64, whole) ? 'bigint' : 'numeric';
  }
  if (typeof value === 'string') {
    if (/^\d{4}-\d\d-\d\d$/.test(value)) return value.endsWith('02-30') ? 'text' : 'date';
    if (/^\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d$/.test(value)) return 'timestamp';
    return /^\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d(Z|[+-]\d\d:\d\d)$/.test(value) ? 'timestamptz' : 'text';
  }
  if (!Array.isArray(value)) return 'jsonb';
  const items = value.filter(item => item !== null);
  if (items.length === 0) return '[]';
  if (items.every(item => typeof item === 'string')) return 'text[]';
  return items.every(item => Number.isInteger(item) && item === (item | 0)) && !/[.eE]/.test(raw) ? 'integer[]' : 'jsonb';
}

/** The text that PostgreSQL reads as the value. */
function textOf(value: Exact | null, type: string): string | null {
  if (value === null) return null;
  if (type.endsWith('[]')) {
    const items = (value.value as (string | number | null)[]).map(item =>
      item === null ? 'NULL' : `"${String(item).replace(/["\\]/g, '\\$&')}"`,
    );
    return `{${items.join(',')}}`;
  }
  return typeof value.value === 'string' ? value.value : value.raw;
}

/** Lines in which \u00a6 is every top-level comma and \u00a7 every top-level colon, which the loader never sees. */
function randomLines(random: () => number): string[] {
  const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)]!;
  const scalars: (() => string)[] = [
    () => pick(['0', '7', '-12', '2147483647', '-2147483648']),
    () => pick(['2147483648', '9007199254740993', '-9223372036854775808']),
    () => pick(['1.50', '-0.25', '92233720368547758070', '1e3', '2.5E-3', '0.0']),
    () => pick(['true', 'false']),
    () => pick(['"2024-02-29"', '"1999-12-31"']),
    () => pick(['"2024-02-29 10:00:00"', '"2024-02-29T23:59:59"']),
    () => pick(['"2024-02-29T10:00:00Z"', '"2024-02-29 10:00:00+02:00"']),
    () => pick(['"x"', '""', '"\\n\\t\\\\"', '"\\u00e9\\ud83d\\ude00"', '"\\\\N"', '"a\\"b"', '"2024-02-30"', '"12"', '"NULL"', '"{a}"', '"中文"']),
  ]; // prettier-ignore
  const list = (item: () => string) => `[${Array.from({ length: Math.floor(random() * 4) }, item).join(', ')}]`;
  const nested: (() => string)[] = [
    () => list(() => pick(['1', '-5', 'null', '2147483647'])),
    () => list(() => pick(['"a"', '"b,c"', '"\\""', 'null', '"\\u4e2d"', '""', '"NULL"', '"\\\\"'])),
    () => list(() => pick(scalars)()),
    () => pick(['{}', '{"a": 1.10}', '{"a": {"b": [null, "\\u00e9\\\\"]}}', '[[1], [2]]', '[{"x": 1}]', '[2147483648]', '[1.5]']),
  ];
  const all = [...scalars, ...nested];
  const columns = Array.from({ length: 1 + Math.floor(random() * 5) }, (_, index) => {
    const kinds = random() < 0.5 ? [pick(all)] : [pick(all), pick(all)];
    return { name: JSON.stringify(pick(['a', 'é', 'A', 'a"b', 'a\\b', '中']) + index), kinds };
  });
  return Array.from({ length: 1 + Math.floor(random() * 12) }, (_, row) => {
    if (row > 0 && random() < 0.05) return '';
    const members = columns
      .filter(() => row === 0 || random() < 0.8)
      .map(({ name, kinds }) => `${name}\u00a7${random() < 0.1 ? 'null' : pick(kinds)()}`);
    return `{${(random() < 0.2 ? members.reverse() : members).join('\u00a6')}}`;
  });
}
