import { mkdir, utimes, writeFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { type WarehouseClient } from '../src/warehouse/clients/warehouse.client.js';
import { DuckdbFiles } from './support/duckdb-files.js';

/** DuckDB would guess types from this many lines, and cast the values of later lines less strictly. */
const guessedFrom = 20_500;
const claim = { caller: 1 };
let files: DuckdbFiles;
let folder: WarehouseClient;

beforeAll(async () => {
  files = await DuckdbFiles.create();
  await mkdir(files.path('late'));
  folder = await files.connect('duckdb:///late/');
});
afterAll(() => files.remove());

const put = (name: string, content: string | Buffer): Promise<void> => writeFile(files.path('late', name), content);
const many = (row: (at: number) => string): string => Array.from({ length: guessedFrom }, (_, at) => `${row(at + 1)}\n`).join('');
const query = async (sql: string): Promise<unknown[][]> =>
  (await folder.query({ claim, sql, parameters: [], timeoutMs: 20_000, maxRows: 10 })).rows;

async function read(table: string, columns: string[]): Promise<string[]> {
  const reading = await folder.openReading({ claim, timeoutMs: 20_000 });
  try {
    return (await text(reading.rows({ table, columns }))).split('\n').slice(0, -1);
  } finally {
    await reading.close();
  }
}

async function typesOf(table: string): Promise<Record<string, string>> {
  const { columns } = (await folder.catalog(claim).describe(table))!;
  return Object.fromEntries(columns.map(({ name, type }) => [name, type]));
}

describe('a value far down in a CSV file', () => {
  it.each([
    ['12.7', 'a decimal'],
    ['007', 'zeros before it'],
    ['+86', 'a sign'],
    ['1_000', 'a separator'],
    ['0x1A', 'a number of base 16'],
    [' 5', 'a blank before it'],
    ['1e3', 'an exponent'],
    ['-0', 'a sign of 0'],
    ['9223372036854775808', 'a number beyond 64 bits'],
    ['true', 'a truth value'],
    ['n/a', 'a word'],
    ['""', 'an empty text'],
  ])('stays %s among whole numbers: %s', async (value, _) => {
    await put('number.csv', `id,v\n${many(id => `${id},1`)}0,${value}\n`);
    expect(await typesOf('number')).toEqual({ id: 'bigint', v: 'text' });
    expect((await read('number', ['v'])).at(-1)).toBe(value.replaceAll('"', ''));
    expect(await query('SELECT v FROM number WHERE id = 0')).toEqual([[value.replaceAll('"', '')]]);
  });

  it.each(['infinity', '-infinity', '12024-01-01', '2024-01-02 23:30:00', '2024-1-2', '02.01.2024', '20240102'])(
    'stays %s among days',
    async value => {
      await put('day.csv', `id,day\n${many(id => `${id},2024-01-01`)}0,${value}\n`);
      expect(await typesOf('day')).toEqual({ id: 'bigint', day: 'text' });
      expect((await read('day', ['day'])).at(-1)).toBe(value);
    },
  );

  it('may stand in quotes, also between lines without any', async () => {
    await put('quoted.csv', `id;s\n${many(id => `${id};a`)}0;"b; ""c""\nd"\n`);
    expect(await query('SELECT s FROM quoted WHERE id = 0')).toEqual([['b; "c"\nd']]);
  });

  it('is read in its type where all values fit', async () => {
    await put('plain.csv', `id,day,note\n${many(id => `${id},2024-01-01,`)}-9223372036854775808,0001-02-03,x\n`);
    expect(await typesOf('plain')).toEqual({ id: 'bigint', day: 'date', note: 'text' });
    expect(await query('SELECT min(id), min(day), count(note) FROM plain')).toEqual([['-9223372036854775808', '0001-02-03', '1']]);
  });

  it('decides the type of a new version of the file', async () => {
    await put('grown.csv', 'id,v\n1,1\n');
    expect(await typesOf('grown')).toEqual({ id: 'bigint', v: 'bigint' });
    await put('grown.csv', 'id,v\n1,1\n2,007\n');
    expect(await typesOf('grown')).toEqual({ id: 'bigint', v: 'text' });
    await put('grown.csv', 'id,v\n1,1\n2,200\n');
    await utimes(files.path('late', 'grown.csv'), 1, 1);
    expect(await typesOf('grown')).toEqual({ id: 'bigint', v: 'bigint' });
  });
});

describe('the first values of a CSV file', () => {
  it.each(['007', '+86', '1_000', '0x1A', ' 5', '1e3', '-0', '00'])('stay %s, also in every row', async value => {
    await put('first.csv', `id,v\n1,${value}\n2,${value}\n`);
    expect(await read('first', ['v'])).toEqual([value, value]);
  });

  it('are rows, also where they begin with # or are fewer than in the others', async () => {
    await put('hash.csv', 'id,s\n#1,a\n#2,b\n3,c\n');
    expect(await read('hash', ['id'])).toEqual(['#1', '#2', '3']);
    await put('narrow.csv', '1,2\n3,4,5\n6,7,8\n');
    await expect(read('narrow', ['column0'])).rejects.toMatchObject({ code: 'warehouse_query_failed' });
    await put('notes.csv', 'Report of May\n\nid,s,v\n1,a,2\n3,c,4\n');
    await expect(read('notes', ['id', 'v'])).rejects.toMatchObject({
      message: expect.stringMatching(/line 3: .* delete lines before the header/),
    });
  });
});

describe('the texts of a JSON file', () => {
  it('stay as they are, however much they look like times', async () => {
    await put('clock.ndjson', '{"t":"12:30:00","u":"9:05","d":"infinity"}\n{"t":"23:59:59","u":"10:05","d":"2024-01-01"}\n');
    expect(await read('clock', ['t', 'u', 'd'])).toEqual(['12:30:00\t9:05\tinfinity', '23:59:59\t10:05\t2024-01-01']);
  });
});

describe('a value far down in a JSON file', () => {
  const last = (sql: string): Promise<unknown[][]> => query(`SELECT ${sql} FROM docs WHERE id = 0`);
  const putLast = (first: string, late: string): Promise<void> =>
    put('docs.ndjson', `${many(id => `{"id":${id},${first}}`)}{"id":0,${late}}\n`);

  it('has a key that no object before it has, and is not rounded', async () => {
    await putLast('"n":1', '"n":12.7,"note":"late"');
    expect(await typesOf('docs')).toEqual({ id: 'bigint', n: 'double precision', note: 'text' });
    expect(await query('SELECT sum(n), count(note) FROM docs')).toEqual([[guessedFrom + 12.7, '1']]);
  });

  it.each([
    ['"v":1', '"v":"007"', '"007"', 'a text among numbers'],
    ['"v":1', '"v":true', 'true', 'a truth value among numbers'],
    ['"v":[1]', '"v":[1.5]', '[1.5]', 'a decimal in a list'],
    ['"v":{"x":1}', '"v":{"x":1.5,"y":12345678901234567890123}', '{"x":1.5,"y":12345678901234567890123}', 'numbers of an object'],
    ['"v":"2024-01-01"', '"v":"2024-1-2"', '2024-1-2', 'a day in another form'],
    ['"v":"2024-01-01"', '"v":"2024-01-02 23:30:00"', '2024-01-02 23:30:00', 'a time among days'],
    [
      '"v":"550e8400-e29b-41d4-a716-446655440000"',
      '"v":"550E8400-E29B-41D4-A716-446655440000"',
      '550E8400-E29B-41D4-A716-446655440000',
      'a UUID in capitals',
    ],
    ['"v":0.5', '"v":12345678901234567890123', '12345678901234567890123', 'a whole number that a double would round'],
  ])('stays as it is: %s then %s', async (first, late, value, _) => {
    await putLast(first, late);
    expect((await read('docs', ['v'])).at(-1)).toBe(value.startsWith('[') ? '{"1.5"}' : value);
    expect(JSON.stringify((await last('v::VARCHAR'))[0]![0])).toContain(JSON.stringify(value).slice(1, -1).slice(0, 4));
  });

  it('is refused by record and key if a double would round it, and hides no other key', async () => {
    await putLast('"v":0.5,"ok":1', '"v":0.1234567890123456789,"ok":2');
    expect(await last('ok')).toEqual([['2']]);
    await expect(read('docs', ['v'])).rejects.toMatchObject({
      message: expect.stringContaining(`'docs.ndjson' cannot be read: record ${guessedFrom + 1}, column 'v': a decimal has more digits`),
    });
    const refused = last('v');
    await expect(refused).rejects.toMatchObject({ message: expect.stringContaining(`a file cannot be read: record ${guessedFrom + 1}`) });
    await expect(refused).rejects.toMatchObject({ message: expect.not.stringContaining('docs') });
  });

  it('is refused where two keys differ only in case', async () => {
    await put('alike.json', '[{"Amount":1},{"amount":2}]');
    await expect(typesOf('alike')).rejects.toMatchObject({
      message: expect.stringContaining("'alike.json' cannot be read: column 'amount'"),
    });
    await put('numbered.json', '[{"a":1,"a_1":2}]');
    expect(await read('numbered', ['a', 'a_1'])).toEqual(['1\t2']);
  });
});

it.each([
  ['[1,2,3]', ['1', '2', '3']],
  ['[[1.50],[2]]', ['{"1.5"}', '{"2.0"}']],
  ['[[1.50],["x"]]', ['[1.5]', '["x"]']],
  ['{"json":5}\n{"json":6}', ['5', '6']],
  ['[{"json":1,"a":"x"}]', ['1']],
  ['[{"json":1},{}]', ['1', '\\N']],
])('a JSON file %s has a column json', async (content, rows) => {
  await put('whole.json', content);
  expect(await read('whole', ['json'])).toEqual(rows);
});

it('gives whole objects that have hardly a key in common, also where some have a key json', async () => {
  const objects = Array.from({ length: 300 }, (_, index) => `{"k${index}":${index}}`);
  for (const last of ['{"json":5}', '{"json":5,"a":1}']) {
    await put('sparse.ndjson', [...objects, last].join('\n'));
    const rows = await read('sparse', ['json']);
    expect([rows.length, rows[0], rows.at(-1)]).toEqual([301, '{"k0":0}', last]);
  }
});

it('a text with a zero byte is refused by the name of its column, in a statement too', async () => {
  await put('zero.ndjson', '{"id":1,"s":"a"}\n{"id":2,"s":"a\\u0000b"}\n');
  expect(await query('SELECT count(*) FROM zero')).toEqual([['2']]);
  for (const refused of [query('SELECT s FROM zero'), read('zero', ['id', 's'])])
    await expect(refused).rejects.toMatchObject({
      code: 'column_value_not_readable',
      message: expect.stringMatching(/column 's'.* in the file of a folder/),
    });
});

describe('a byte order mark', () => {
  it.each([
    ['"id,x","name"\n1,a\n2,b\n', ['id,x', 'name'], ['1\ta', '2\tb']],
    ['"id ""a""","name"\n1,"a,b"\n2,b\n', ['id "a"', 'name'], ['1\ta,b', '2\tb']],
    ['"id,x","name"\r\n1,"a\nb"\r\n2,b\r\n', ['id,x', 'name'], ['1\ta\\nb', '2\tb']],
    ['"id";"Name"\n1;"a;b"\n', ['id', 'Name'], ['1\ta;b']],
    ['"1,5","2"\n"3","4"\n', ['1,5', '2'], ['3\t4']],
    ['"a","a",""\n1,2,3\n', ['a', 'a_1', 'column2'], ['1\t2\t3']],
    ['id,"na,me"\n1,a\n', ['id', 'na,me'], ['1\ta']],
  ])('is no part of a CSV file that goes on with %j', async (content, columns, rows) => {
    await put('marked.csv', `\ufeff${content}`);
    expect((await folder.catalog(claim).describe('marked'))!.columns.map(({ name }) => name)).toEqual(columns);
    expect(await read('marked', columns)).toEqual(rows);
    await put('packed.csv.gz', gzipSync(`\ufeff${content}`));
    expect(await read('packed', columns)).toEqual(rows);
    expect((await folder.catalog(claim).list('marke', 1))[0]).toMatchObject({ name: 'marked', columnCount: columns.length, comment: null });
  });

  it('leaves the types of a CSV file, and the lines of its errors', async () => {
    await put('marked.csv', '\ufeff"id","day","v"\n1,2024-01-02,7\n2,2024-01-03,007\n');
    expect(await typesOf('marked')).toEqual({ id: 'bigint', day: 'date', v: 'text' });
    await put('marked.csv', '\ufeff"id","s"\n1,a\n2,b,c\n');
    await expect(read('marked', ['id'])).rejects.toMatchObject({
      message: expect.stringContaining("'marked.csv' cannot be read: line 3: the number of cells"),
    });
  });

  it('is no part of a JSON file either', async () => {
    await put('listing.json', '\ufeff[{"a":1},\n{"a":2}]');
    expect(await read('listing', ['a'])).toEqual(['1', '2']);
    await put('lines.ndjson', '\ufeff{"a":1}\n{"a":2}\n');
    expect(await read('lines', ['a'])).toEqual(['1', '2']);
    expect((await folder.catalog(claim).list('listi', 1))[0]).toMatchObject({ name: 'listing', columnCount: 1 });
  });
});

it('takes the separator that the first line declares', async () => {
  await put('declared.csv', 'sep=;\r\nid;price\r\n1;12,50\r\n2;3,5\r\n');
  expect(await read('declared', ['id', 'price'])).toEqual(['1\t12,50', '2\t3,5']);
  await put('declared.csv', '\ufeffsep=^\n"id^x"^s\n1^a\n');
  expect(await read('declared', ['id^x', 's'])).toEqual(['1\ta']);
});

it('reads a file anew that was written with the time of its content set back', async () => {
  const file = files.path('late', 'back.csv');
  await put('back.csv', 'id,v\n1,10\n');
  await utimes(file, 1, 1);
  expect(await typesOf('back')).toEqual({ id: 'bigint', v: 'bigint' });
  await writeFile(file, 'id,v\n1,01\n');
  await utimes(file, 1, 1);
  expect(await typesOf('back')).toEqual({ id: 'bigint', v: 'text' });
});

describe('a line that cannot be read', () => {
  const late = guessedFrom + 2;
  it.each([
    ['wide.csv', `id,s\n${many(id => `${id},a`)}1,2,3\n`, `line ${late}: the number of cells`],
    ['short.csv', `id,s,v\n${many(id => `${id},a,b`)}1,2\n`, `line ${late}: the number of cells`],
    ['open.csv', `id,s\n${many(id => `${id},a`)}1,"b\n`, `line ${late}: a quote does not end`],
    ['latin.csv', Buffer.from(`id,s\n${many(id => `${id},a`)}1,\u00e9\n`, 'latin1'), `line ${late}: it is not UTF-8`],
    ['ragged.csv', 'id,s\n0,y\n1,a,z\n2,b\n', 'line 3: the number of cells'],
    ['fewer.csv', 'id,s\n1,a,x\n2,b,y\n', 'line 2: the number of cells'],
    ['gap.csv', 'id,s\n1,a,,x\n2,b,,y\n', 'line 2: the number of cells'],
    ['sloppy.csv', 'id,s\n1,x\n2,"abc" def\n', 'line 3: a quote does not end'],
    ['broken.csv', '\ufeff"id\ns",s\r\n1,a\r\n', 'line 1: a name of the header has a line break'],
    ['unmarked.csv', '"id\ns",s\r\n1,a\r\n', 'line 1: a name of the header has a line break'],
    ['early.csv', 'id,s,t\n1,x,z\n2,"abc" def,z\n3,"y, z",w\n', 'line 3: a quote does not end'],
    ['torn.ndjson', `${many(id => `{"id":${id}}`)}{"id":\n`, `line ${late - 1}: its content`],
    ['list.ndjson', `${many(id => `{"id":${id}}`)}[1]\n`, `record ${late - 1}: objects and other values`],
    ['twice.json', '[{"id":1},{"id":2,"id":3}]', "record 2, column 'id': one object has the key twice"],
    ['listed.json', '[{"id":1},\n{"id":x}]', 'record 2: its content'],
  ])('of %s is named', async (file, content, told) => {
    await put(file, content);
    const table = file.split('.')[0]!;
    const columns = file.endsWith('.csv') ? ['id', 's'] : [file === 'list.ndjson' || file === 'listed.json' ? 'json' : 'id'];
    await expect(read(table, columns)).rejects.toMatchObject({
      code: 'warehouse_query_failed',
      message: expect.stringContaining(`the file '${file}' cannot be read: ${told}`),
    });
    const asked = query(`SELECT max(t) FROM ${table} AS t`);
    await expect(asked).rejects.toMatchObject({ message: expect.stringContaining(`a file cannot be read: ${told}`) });
    await expect(asked).rejects.toMatchObject({ message: expect.not.stringContaining(file) });
  });
});
