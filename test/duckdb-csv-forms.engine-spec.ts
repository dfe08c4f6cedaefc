import { mkdir, writeFile } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { SchemaError } from '../src/common/errors/api-error.js';
import { type WarehouseClient } from '../src/warehouse/clients/warehouse.client.js';
import { type CsvFormat, loadCsv } from '../src/warehouse/mirror/csv/load-csv.js';
import { Dice } from './support/dice.js';
import { DuckdbFiles } from './support/duckdb-files.js';
import { inPieces, UploadTarget } from './support/upload-target.js';

const claim = { caller: 1 };
let files: DuckdbFiles;
let folder: WarehouseClient;

beforeAll(async () => {
  files = await DuckdbFiles.create();
  await mkdir(files.path('forms'));
  folder = await files.connect('duckdb:///forms/');
});
afterAll(() => files.remove());

const put = (name: string, content: string | Buffer): Promise<void> => writeFile(files.path('forms', name), content);
const escapes: Record<string, string> = { '\\t': '\t', '\\n': '\n', '\\r': '\r', '\\\\': '\\' };

interface Table {
  columns: string[];
  rows: (string | null)[][];
}

/** A table as a run reads it: the names of its columns and the texts of its rows. */
async function tableOf(table: string): Promise<Table> {
  const columns = (await folder.catalog(claim).describe(table))!.columns.map(({ name }) => name);
  const reading = await folder.openReading({ claim, timeoutMs: 60_000 });
  try {
    const lines = (await buffer(reading.rows({ table, columns }))).toString().split('\n').slice(0, -1);
    const rows = lines.map(line =>
      line.split('\t').map(field => (field === '\\N' ? null : field.replace(/\\[tnr\\]/g, found => escapes[found]!))),
    );
    return { columns, rows };
  } finally {
    await reading.close();
  }
}

const ids = (count: number, row: (id: number) => string): string => Array.from({ length: count }, (_, id) => `${row(id)}\n`).join('');

describe('a CSV file behind a connection', () => {
  it.each<[string, string[], (string | null)[][]]>([
    ['note\nplain\n"x, y"\n', ['note'], [['plain'], ['x, y']]],
    ['id\tnote\n1\ta, b, c\n2\td, e, f\n', ['id', 'note'], [['1', 'a, b, c'], ['2', 'd, e, f']]],
    ['id;x\n1;a,b,c\n2;d,e,f\n', ['id', 'x'], [['1', 'a,b,c'], ['2', 'd,e,f']]],
    ['id|desc\n1|a,b,c\n', ['id', 'desc'], [['1', 'a,b,c']]],
    ['地区,2019,2020\n华东,5,6\n华北,7,8\n', ['地区', '2019', '2020'], [['华东', '5', '6'], ['华北', '7', '8']]],
    ['2019,2020\n1,2\n', ['2019', '2020'], [['1', '2']]],
    [',2019,2019\nEast,1,2\n', ['column0', '2019', '2019_1'], [['East', '1', '2']]],
    ['name,2024-01-01\na,2024-01-02\n', ['name', '2024-01-01'], [['a', '2024-01-02']]],
    ['2024\n1\n2\n', ['2024'], [['1'], ['2']]],
    ['"name";"2019"\n"a";"b"\n', ['name', '2019'], [['a', 'b']]],
    ["id,x\n1,'a'\n2,''\n3,'2'\n", ['id', 'x'], [['1', "'a'"], ['2', "''"], ['3', "'2'"]]],
    ["name,n\n'tis,1\nit',2\nz,3\n", ['name', 'n'], [["'tis", '1'], ["it'", '2'], ['z', '3']]],
    ['id,x\n1,"C:\\temp"\n2,C:\\d\n', ['id', 'x'], [['1', 'C:\\temp'], ['2', 'C:\\d']]],
    ['id,x\n1,\ufeffa\n\ufeff2,b\n', ['id', 'x'], [['1', '\ufeffa'], ['\ufeff2', 'b']]],
    ['id,x\r\n1,a\n2,"b\r\nc"\r\n3,d', ['id', 'x'], [['1', 'a'], ['2', 'b\r\nc'], ['3', 'd']]],
    ['id,x\n\n1,a\r\n\r\n\n2,\n', ['id', 'x'], [['1', 'a'], ['2', null]]],
    ['\n\r\nid\n\n""\n', ['id'], [[null], ['']]],
    ['x;y\n1,5;2,5\n3,5;4,5\n', ['x', 'y'], [['1,5', '2,5'], ['3,5', '4,5']]],
    ['name;price\nApfel, rot;1,50\nBirne, grün;2,50\n', ['name', 'price'], [['Apfel, rot', '1,50'], ['Birne, grün', '2,50']]],
    ['id\tamt\n1\t1,234,567\n2\t2,345,678\n', ['id', 'amt'], [['1', '1,234,567'], ['2', '2,345,678']]],
    ['sep=ab\nid\n', ['sep=ab'], [['id']]],
    ['Date\n1\n1\na;b\na;b\n', ['Date'], [['1'], ['1'], ['a;b'], ['a;b']]],
    ['sep=\t\r\nid\tx\n1\t"a\tb"\n', ['id', 'x'], [['1', 'a\tb']]],
    [' id ,\u3000a,A,É,é,a\n1,2,3,4,5,6\n', ['id', 'a', 'A_1', 'É', 'é', 'a_2'], [['1', '2', '3', '4', '5', '6']]],
    [',a,a_1,a,b,c,d,e,f,\n1,,,,,,,,,2\n', ['column0', 'a', 'a_1', 'a_1_1', 'b', 'c', 'd', 'e', 'f', 'column9'], [['1', null, null, null, null, null, null, null, null, '2']]],
    ['a,,c,d,e,f,g,h,i,j,k\n,2,,,,,,,,,\n', ['a', 'column01', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'k'], [[null, '2', ...Array<null>(9).fill(null)]]],
  ])('is read as it stands: %j', async (content, columns, rows) => {
    for (const [name, bytes] of [['plain.csv', content], ['packed.csv.gz', gzipSync(content)]] as const) {
      await put(name, bytes);
      const table = name.split('.')[0]!;
      expect(await tableOf(table)).toEqual({ columns, rows });
      expect((await folder.catalog(claim).find(table))!.columnCount).toBe(columns.length);
    }
    const shown = await folder.query({ claim, sql: 'SELECT COLUMNS(*)::VARCHAR FROM plain', parameters: [], timeoutMs: 20_000, maxRows: 10 });
    expect(shown.rows).toEqual(rows);
  }); // prettier-ignore

  it('is read as it stands where the odd line comes late', async () => {
    await put('late.csv', `id,x\n${ids(20_500, id => `${id},"C:\\d${id}"`)}0,'quoted'\r\n1,"a\\"\n`);
    const { rows } = await tableOf('late');
    expect([rows.length, rows[7], ...rows.slice(-2)]).toEqual([20_502, ['7', 'C:\\d7'], ['0', "'quoted'"], ['1', 'a\\']]);
    await put('mixed.csv', `id,x\r\n${ids(30_000, id => `${id},a\r`)}1,b\n2,c\n`);
    expect((await tableOf('mixed')).rows).toHaveLength(30_002);
  });

  it('may have long texts, and texts of many lines that look like records', async () => {
    const long = 'x'.repeat(3_000_000);
    await put('long.csv', `id,x\n1,a\n2,${long}\n3,"${'y""'.repeat(1_000_000)}"\n4,b\n`);
    expect((await tableOf('long')).rows.map(([, value]) => value!.length)).toEqual([1, 3_000_000, 2_000_000, 1]);
    const lines = `"${'\n1,""x""\n2,y'.repeat(40_000)}"`;
    await put('lines.csv', `id,x\n${ids(60, id => `${id},${lines}`)}`);
    const asked = await folder.query({
      claim, sql: 'SELECT count(*), min(length(x)), max(length(x)), sum(id) FROM lines', parameters: [], timeoutMs: 60_000, maxRows: 1,
    }); // prettier-ignore
    expect(asked.rows).toEqual([['60', '400000', '400000', '1770']]);
  });

  it.each([
    [`id;x\n${ids(1_000, id => `${id};a,b`)}1000;a,b,c\n1;2;3\n`, 1_003, /number of cells .* sep=;/],
    ['Date\n1\na;b\n1,2\n', 4, /number of cells/],
    ['note\nplain\nx, y\n', 3, /number of cells/],
    ['地址\n上海市,浦东\n', 2, /number of cells/],
    ['Report\n\nid,x\n1,2\n', 3, /delete lines before the header/],
    ['id,x\n1,"a\\"b"\n', 2, /a quote does not end/],
    ['id,x\n1,a\n2,"b', 3, /a quote does not end/],
    ['id,x\n1,a"b\n', 2, /a quote does not end/],
    ['"id\n","x"y\n1,a\n', 1, /a quote does not end/],
    ['id,x\r1,a\r2,b\r', 1, /carriage return stands alone/],
    ['id,x\n1,a\rb\n', 2, /carriage return stands alone/],
    ['id,x\n\n1,a\n2,b\0\n', 4, /zero byte/],
    ['i\0d\0\n\0', 1, /zero byte/],
    ['\ufeff"id\nx",y\n1,2\n', 1, /line break/],
    ['sep=-\nid-x\n', 1, /"sep=" declares cannot be used/],
    ['', 1, /no header/],
    ['\n\n', 1, /no header/],
    [`id\n${'x'.repeat(17_000_000)}\n`, 2, /more than 16 MiB/],
  ])('is refused with the line and a way out (%#)', async (content, line, told) => {
    await put('refused.csv', content);
    const refusal = { code: 'warehouse_query_failed', message: expect.stringMatching(new RegExp(`'refused.csv' cannot be read: line ${line}: .*${told.source}`)) }; // prettier-ignore
    await expect(tableOf('refused')).rejects.toMatchObject(refusal);
  });

  it('is refused in UTF-16 and in GB18030, and the list says why', async () => {
    await put('wide.csv', Buffer.from('\ufeffid,x\n1,a\n', 'utf16le'));
    await put('marked.csv', Buffer.from([0x84, 0x31, 0x95, 0x33, 0x61, 0x0a]));
    for (const table of ['wide', 'marked']) {
      await expect(tableOf(table)).rejects.toMatchObject({ message: expect.stringContaining(`'${table}.csv' cannot be read: it is not UTF-8; save`) });
      const [listed] = await folder.catalog(claim).list(table.slice(0, -1), 1);
      expect(listed).toMatchObject({ name: table, columnCount: 0, comment: expect.stringContaining('not UTF-8') });
    }
  }); // prettier-ignore
});

describe('an upload and a connection', () => {
  let uploads: UploadTarget;
  beforeAll(async () => {
    uploads = await UploadTarget.open();
  });
  afterAll(() => uploads.close());

  const names = ['id', '名称', 'x y', '2019', 'n'];
  const types = new Map(names.map(name => [name, 'text']));

  /** The columns, rows and delimiter of an upload, or the line that it refuses. */
  async function upload(csv: string, size: number): Promise<Table | number> {
    const format: CsvFormat = { delimiter: null, nullMarker: '', encoding: { asked: undefined, charset: undefined }, columns: null, hasHeader: true, renames: false }; // prettier-ignore
    try {
      const loaded = await uploads.load({ format: 'csv', types }, target => loadCsv(inPieces(Buffer.from(csv), size), format, target));
      return { columns: loaded.columns.map(({ name }) => name), rows: loaded.texts };
    } catch (error) {
      if (error instanceof SchemaError) return error.problems[0]!.line!;
      throw error;
    }
  }

  /** The same behind a connection. */
  async function connected(csv: string): Promise<Table | number> {
    await put('random.csv', csv);
    try {
      return await tableOf('random');
    } catch (error) {
      return Number(/cannot be read: line (\d+):/.exec((error as Error).message)?.[1]);
    }
  }

  function randomCsv({ below, of, chance }: Dice): string {
    const delimiter = of([',', ',', ';', '\t', '|']);
    const width = 1 + below(names.length);
    const isOdd = chance(0.3);
    const plain = ['', 'a', '1', '-20', '007', '1.50', '1,5', 'a;b', 'a|b', 'a\tb', "'", "'a'", '\\', 'C:\\d', '\\N', ' ', ' a ', '北京', '#1', '2024-01-02', '1,234,567', '\ufeffa', '--', 'NULL', 'true', 'é']; // prettier-ignore
    const quoted = ['""', '"a"', `"a${delimiter}b"`, '"a""b"', '"x\ny"', '"x\r\ny"', '"\n"', '""""', '"\\"', '"\'"', '"1"', '"\r"'];
    const broken = ['a"b', '"a"b', '"open', 'a\rb', 'a\0', `a${delimiter}b`];
    const cell = (): string => {
      if (isOdd && chance(0.04)) return of(broken);
      if (chance(0.25)) return of(quoted);
      const text = of(plain);
      return text.includes(delimiter) ? `"${text}"` : text;
    };
    const end = of(['\n', '\r\n', null]);
    const lineEnd = (): string => end ?? of(['\n', '\r\n']);
    const line = (cells: string[]): string => (chance(0.06) ? lineEnd() : '') + cells.join(delimiter) + lineEnd();
    const header = names.slice(0, width).map(name => (chance(0.2) ? `"${name}"` : name));
    const declared = chance(0.1) ? `sep=${delimiter}${lineEnd()}` : '';
    const body = Array.from({ length: below(30) }, () => line(Array.from({ length: width }, cell))).join('');
    const all = (chance(0.15) ? '\ufeff' : '') + declared + line(header) + body;
    return chance(0.2) ? all.replace(/\r?\n$/, '') : all;
  }

  it('read every random file alike, or refuse it at the same line', async () => {
    const dice = new Dice(20261130);
    const counts = { read: 0, refused: 0 };
    for (let round = 0; round < 150; round++) {
      const csv = randomCsv(dice);
      const expected = await upload(csv, 1 + dice.below(50));
      expect({ csv, found: await connected(csv) }).toEqual({ csv, found: expected });
      counts[typeof expected === 'number' ? 'refused' : 'read']++;
    }
    expect(counts.read).toBeGreaterThan(80);
    expect(counts.refused).toBeGreaterThan(15);
  }, 300_000);
});
