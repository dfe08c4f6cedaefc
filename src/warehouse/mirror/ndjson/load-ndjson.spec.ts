import { inPieces, UploadTarget } from '../../../../test/support/upload-target.js';
import { type FieldProblem, SchemaError } from '../../../common/errors/api-error.js';
import { type FieldRewrite } from '../../files/field-rewrite.js';
import { typeForm } from '../csv/type-form.js';
import { numberForm } from '../csv/number-form.js';
import { type LoadedNdjson, loadNdjson } from './load-ndjson.js';

/** Blocks of one line, so that every new key and every widening happens late, when rows are already stored. */
const oneByOne = { sample: 1, block: 1 };

interface Options {
  sizes?: { sample: number; block: number };
  types?: Record<string, string>;
  nullMarker?: string | null;
  renames?: boolean;
  rewrites?: [string, FieldRewrite][];
}

describe('loadNdjson', () => {
  let tables: UploadTarget;
  beforeAll(async () => {
    tables = await UploadTarget.open();
  });
  afterAll(() => tables.close());

  const load = (ndjson: string | Buffer, { sizes, types = {}, nullMarker = null, renames = false, rewrites = [] }: Options = {}) =>
    tables.load(
      {
        format: 'ndjson',
        types: new Map(Object.entries(types)),
        rewrites: new Map([...('day' in types ? [['day', typeForm('date')!] as const] : []), ...rewrites]),
      },
      target => loadNdjson(inPieces(Buffer.from(ndjson), sizes ? 7 : 65_536), { nullMarker, renames }, target, sizes),
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
    // The value is longer than the part of it that is written at once. Because of its odd length, parts begin at every position of an
    // escape.
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
    ['an object over two lines', '{"a":1,\n"b":2}', 'ndjson_no_object', 1],
    ['text behind an object', '{"a":1}{"a":2}', 'ndjson_syntax', 1],
    ['a comma too many', '{"a":1,}', 'ndjson_syntax', 1],
    ['a number that is none', '{"a":01}', 'ndjson_syntax', 1],
    ['NaN', '{"a":NaN}', 'ndjson_syntax', 1],
    ['a key without quotes', '{a:1}', 'ndjson_syntax', 1],
    ['a key whose quote is not escaped', '{"a\\"b":1}\n{"a"b":1}', 'ndjson_syntax', 2],
    ['a control character', '{"a":"x\u0001"}', 'ndjson_syntax', 1],
    ['an unknown escape', '{"a":"\\x"}', 'ndjson_syntax', 1],
    ['a list', '[{"a":1}]', 'ndjson_no_object', 1],
    ['a list of texts', '["a","b"]\n["c","d"]', 'ndjson_no_object', 1],
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

  it('counts the characters up to a fault as an editor does', async () => {
    expect((await problemOf('{"a":1}\n{"a😀é":}')).text.en).toContain('at character 9');
  });

  it('takes a thousand levels, and 1600 keys of which each comes late', async () => {
    expect((await load(nested(1000))).columns[0]!.type).toBe('jsonb');
    const late = wide.split('\n').slice(0, 1600).join('\n');
    const { columns, rows } = await load(`${late}\n`);
    expect([columns.length, rows]).toEqual([1600, 1600]);
  });

  it('names the way out of a key that no column can have, and takes it', async () => {
    const long = '您对我们公司提供的售后服务的总体满意程度（单选题，一至五分）';
    const lines = [`{"${long}": 5, "": "a", "id": 1}`, `{"id": 2, "${long}的原因": "及时", "${long}": 3}`, `{"": "b", "a\\nb": 1}`];
    const ndjson = lines.join('\n');
    expect(await problemOf(ndjson)).toMatchObject({
      type: 'ndjson_name_too_long',
      line: 1,
      text: { en: expect.stringContaining('?rename=true') },
    });
    for (const sizes of [undefined, oneByOne]) {
      const { columns, renamed, texts } = await load(ndjson, { renames: true, ...(sizes && { sizes }) });
      const names = columns.map(({ name }) => name);
      expect(names).toEqual([
        expect.stringMatching(/^您对.*_[0-9a-f]{8}$/),
        expect.stringMatching(/^column_[0-9a-f]{8}$/),
        'id',
        expect.stringMatching(/^您对.*_[0-9a-f]{8}$/),
        expect.stringMatching(/^a b_[0-9a-f]{8}$/),
      ]);
      expect(renamed).toEqual([
        { from: long, to: names[0] },
        { from: '', to: names[1] },
        { from: `${long}的原因`, to: names[3] },
        { from: 'a\nb', to: names[4] },
      ]);
      expect(texts).toEqual([
        ['5', 'a', '1', null, null],
        ['3', null, '2', '及时', null],
        [null, 'b', null, null, '1'],
      ]);
    }
  });

  it('reads strings by a form of numbers, and leaves numbers of JSON as they are', async () => {
    const options = { types: { n: 'numeric' }, rewrites: [['n', numberForm('.,')!] as [string, FieldRewrite]] };
    const { texts } = await load('{"n": "1.234,5"}\n{"n": 1.234}\n{"n": "1.234"}\n{"n": null}\n', options);
    expect(texts).toEqual([['1234.5'], ['1.234'], ['1234'], [null]]);
    expect(await problemOf('{"n": "1.2"}\n', options)).toMatchObject({ type: 'ndjson_value', line: 1 });
  });
});
