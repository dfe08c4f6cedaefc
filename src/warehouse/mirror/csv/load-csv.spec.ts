import { turnsOfOthers } from '../../../../test/support/turns.js';
import { Readable } from 'node:stream';
import { inPieces, UploadTarget } from '../../../../test/support/upload-target.js';
import { type FieldProblem, SchemaError } from '../../../common/errors/api-error.js';
import { toUtf8 } from '../../files/csv-encoding.js';
import { type CsvFormat, loadCsv } from './load-csv.js';

const format: CsvFormat = {
  delimiter: 44,
  nullMarker: '',
  encoding: { asked: undefined, charset: undefined },
  columns: null,
  hasHeader: true,
  renames: false,
};

/** Blocks of one record, so that every widening happens late, when rows are already stored. */
const oneByOne = { sample: 1, block: 1 };

describe('loadCsv', () => {
  let tables: UploadTarget;
  beforeAll(async () => {
    tables = await UploadTarget.open();
  });
  afterAll(() => tables.close());

  interface Options {
    sizes?: { sample: number; block: number };
    chunk?: number;
    types?: Record<string, string>;
    format?: Partial<CsvFormat>;
  }

  const load = (csv: string | Buffer, { sizes, chunk, types = {}, format: more }: Options = {}) =>
    tables.load({ format: 'csv', types: new Map(Object.entries(types)) }, target =>
      loadCsv(inPieces(Buffer.from(csv), chunk ?? (sizes ? 1 : 65_536)), { ...format, ...more }, target, sizes),
    );

  async function problemOf(csv: string | Buffer, options: Options = {}): Promise<FieldProblem> {
    const error = await load(csv, options).then(
      () => null,
      (thrown: unknown) => thrown,
    );
    if (!(error instanceof SchemaError)) throw error instanceof Error ? error : new Error('nothing was refused');
    return error.problems[0]!;
  }

  it('keeps rows in the order of the file, with the types of the whole file', async () => {
    const { rows, columns, texts } = await load('id,名称,at\n1,"a ""b""",2024-01-01\n2,,2024-01-02\n3,"",\n');
    expect(rows).toBe(3);
    expect(columns).toEqual([
      { name: 'id', type: 'integer' },
      { name: '名称', type: 'text' },
      { name: 'at', type: 'date' },
    ]);
    expect(texts).toEqual([
      ['1', 'a "b"', '2024-01-01'],
      ['2', null, '2024-01-02'],
      ['3', '', null],
    ]);
  });

  it('tells how much each widening leaves behind until the end, and stops where it is too much', async () => {
    const left: number[] = [];
    const checkFormer = (bytes: number): void => {
      left.push(bytes);
      if (left.length > 2) throw new Error('enough');
    };
    const csv = Buffer.from('a,b\n1,1\n3000000000,1\n1,3000000000\n1.5,1\n1,1.5\n');
    const loading = tables.load({ format: 'csv', checkFormer }, target => loadCsv(inPieces(csv, 1), format, target, oneByOne));
    await expect(loading).rejects.toThrow('enough');
    expect(left.map((bytes, index) => bytes - (left[index - 1] ?? 0)).every(bytes => bytes >= 8_192)).toBe(true);
  });

  it('widens columns that already hold rows, and gives back the spelling of the file', async () => {
    const csv =
      'a,b,c,d,e\n1,,1,2024-01-01,true\n2,,2.50,2024-01-02,false\n3000000000,7,3,2024-01-03,x\n4.10,8,abc,2024-01-04 05:06:07,y\nz,9,4,2024-01-05,\n';
    const { columns, texts } = await load(csv, { sizes: oneByOne });
    expect(columns.map(column => column.type)).toEqual(['text', 'integer', 'text', 'timestamp', 'text']);
    expect(texts).toEqual([
      ['1', null, '1', '2024-01-01 00:00:00', 'true'],
      ['2', null, '2.50', '2024-01-02 00:00:00', 'false'],
      ['3000000000', '7', '3', '2024-01-03 00:00:00', 'x'],
      ['4.10', '8', 'abc', '2024-01-04 05:06:07', 'y'],
      ['z', '9', '4', '2024-01-05 00:00:00', null],
    ]);
  });

  it('refuses to turn a column back into text when its spelling is lost, and says how to load it', async () => {
    const csv = 'a,b\n1e5,x\n2,x\nabc,x\n';
    const problem = await problemOf(csv, { sizes: oneByOne });
    expect(problem).toMatchObject({ type: 'csv_type_conflict', line: 4, loc: ['body', 4, 'a'] });
    expect(problem.text.en).toContain('?types=a:text');
    expect((await load(csv, { types: { a: 'text' }, sizes: oneByOne })).texts.map(row => row[0])).toEqual(['1e5', '2', 'abc']);
    expect((await load(csv)).texts.map(row => row[0])).toEqual(['1e5', '2', 'abc']);
  });

  it.each([1, 2, 3, 5, 7, 64])('reads the same with chunks of %i bytes', async chunk => {
    const csv = '\ufeffa,"b ""x""",c\r\n1,"multi\r\nline, ""quoted""",北京\r\n\r\n2,,"é"\n30,"",😀';
    const { texts, columns } = await load(csv, { chunk, sizes: oneByOne });
    expect(columns.map(column => column.name)).toEqual(['a', 'b "x"', 'c']);
    expect(texts).toEqual([
      ['1', 'multi\r\nline, "quoted"', '北京'],
      ['2', null, 'é'],
      ['30', '', '😀'],
    ]);
  });

  it('reads GB18030, also cut inside its characters, and names a line that is not valid', async () => {
    // 编码,城市 / 001,北京 in GB18030; 中 is D6D0.
    const bytes = Buffer.from('b1e0c2eb2cb3c7cad00a3030312cb1b1bea90a', 'hex');
    const encoding = { asked: 'gb18030' as const, charset: undefined };
    for (const chunk of [1, 2, 3, 100]) {
      const { texts, columns } = await load(bytes, { chunk, format: { encoding } });
      expect(columns.map(column => column.name)).toEqual(['编码', '城市']);
      expect(texts).toEqual([['001', '北京']]);
    }
  });

  // 中 is D6D0. D60A is its first byte followed by a line feed.
  it.each([
    ['3030322cff0a3030330a', 3],
    ['3030320a3030330a3030ff0a', 5],
    ['3030322cd60a', 3],
    ['3030322cd6', 3],
  ])('names the line that is not GB18030: %s', async (hex, line) => {
    const bytes = Buffer.from(`b1e0c2eb0ad6d00a${hex}`, 'hex');
    for (const chunk of [1, 2, 3, 100]) {
      const problem = await problemOf(bytes, { chunk, format: { encoding: { asked: 'gb18030', charset: undefined } } });
      expect(problem).toMatchObject({ type: 'csv_not_gb18030', line });
    }
  });

  it('decodes a line of GB18030 while it comes', async () => {
    let asked = 0;
    async function* source(): AsyncGenerator<Buffer, void> {
      for (; asked < 1_000; asked++) yield await Promise.resolve(Buffer.from('d6d0', 'hex'));
    }
    const { bytes } = await toUtf8(source(), { asked: 'gb18030', charset: undefined });
    for await (const part of bytes) if (part.length > 0) break;
    expect(asked).toBeLessThan(10);
  });

  it('names the line that is not UTF-8, and GB18030 as the way out', async () => {
    const problem = await problemOf(Buffer.from('a,b\n1,x\n2,\xb1\xb1\n', 'latin1'));
    expect(problem).toMatchObject({ type: 'csv_not_utf8', line: 3 });
    expect(problem.text.en).toContain('encoding=gb18030');
  });

  it.each([
    [';', 'id;name;price\n1;"a;b";1,5 kg\n2;c,d;2,5 kg\n'],
    ['\t', 'id\tname\tprice\n1\t"a;b"\t1,5 kg\n2\tc,d\t2,5 kg\n'],
    ['|', 'id|name|price\r\n1|a;b|1,5 kg\r\n\r\n2|c,d|2,5 kg'],
    [',', 'id,name,price\n1,a;b,"1,5 kg"\n2,"c,d","2,5 kg"\n'],
  ])('tells the delimiter %j from the file, wherever it is cut', async (delimiter, csv) => {
    for (const chunk of [1, 7, 1000]) {
      const loaded = await load(csv, { chunk, sizes: oneByOne, format: { delimiter: null } });
      expect(String.fromCharCode(loaded.delimiter)).toBe(delimiter);
      expect(loaded.texts).toEqual([
        ['1', 'a;b', '1,5 kg'],
        ['2', 'c,d', '2,5 kg'],
      ]);
    }
  });

  it('reads windows-1252 when told, and when it is likely, and says so', async () => {
    const bytes = Buffer.from('größe,preis\nmüßig \x96 à gogo,\x80 5\n', 'latin1');
    const guessed = await load(bytes, { chunk: 1 });
    expect(guessed).toMatchObject({ encoding: 'windows-1252', isEncodingGuessed: true, texts: [['müßig – à gogo', '€ 5']] });
    expect(guessed.columns[0]!.name).toBe('größe');
    expect(guessed.warnings.map(({ en }) => en)).toEqual([expect.stringMatching(/windows-1252, as in "größe" in line 1.*\?encoding=/)]);
    const told = await load(bytes, { format: { encoding: { asked: 'iso-8859-1', charset: undefined } } });
    expect(told).toMatchObject({ encoding: 'iso-8859-1', isEncodingGuessed: false, texts: [['müßig \u0096 à gogo', '\u0080 5']] });
    const quoted = '»Spaß« für größere Mäuse über Höhen';
    expect(await load(Buffer.from(`a\n${quoted}\n`, 'latin1'))).toMatchObject({ encoding: 'windows-1252', texts: [[quoted]] });
    expect(await load('größe\né\n')).toMatchObject({ encoding: 'utf-8', isEncodingGuessed: false });
  });

  it('names the line of bytes that are no UTF-8 in a file that is', async () => {
    const mixed = Buffer.concat([Buffer.from('name;stadt\nMüller;Köln\n'), Buffer.from('Schröder;Lübeck\n', 'latin1')]);
    expect(await problemOf(mixed)).toMatchObject({ type: 'csv_not_utf8', line: 3 });
  });

  it('refuses NUL bytes, UTF-16 and an empty file', async () => {
    expect(await problemOf('a,b\n1,x\n2,\0\n')).toMatchObject({ type: 'csv_nul', line: 3 });
    expect(await problemOf(Buffer.from('\ufeffa,b\n', 'utf16le'))).toMatchObject({ type: 'csv_encoding' });
    expect(await problemOf('')).toMatchObject({ type: 'csv_empty', line: 1 });
    expect(await problemOf('\n\n')).toMatchObject({ type: 'csv_empty' });
  });

  it('refuses a header whose lines end with a carriage return alone, and one with NUL bytes, whether or not columns are renamed', async () => {
    for (const renames of [false, true])
      for (const chunk of [1, 65_536]) {
        const told = { chunk, sizes: chunk === 1 ? oneByOne : undefined, format: { renames } } as Options;
        for (const csv of ['id,v\r1,a\r2,b\r', '\nid,v\r\r\n1,a\n', `id\r${'1\r'.repeat(600_000)}`].slice(0, chunk === 1 ? 2 : 3))
          expect(await problemOf(csv, told)).toMatchObject({ type: 'csv_bare_carriage_return', line: csv.startsWith('\n') ? 2 : 1 });
        expect(await problemOf(Buffer.from('id,v\n1,a\n', 'utf16le'), told)).toMatchObject({ type: 'csv_nul', line: 1 });
        expect((await load('id,"v"\r\n1,a\r\n', told)).texts).toEqual([['1', 'a']]);
      }
  });

  it('makes an empty table from a header alone', async () => {
    expect(await load('a,b')).toMatchObject({ rows: 0, columns: [{ type: 'text' }, { type: 'text' }] });
  });

  it.each([
    ['a,,b\n', 'empty_name'],
    ['a,b,a\n', 'duplicate_column'],
    [`${'名'.repeat(22)}\n`, 'name_too_long'],
    ['a,"b\nc"\n', 'name_characters'],
    ['ctid\n', 'reserved_name'],
  ])('refuses the header %j', async (csv, type) => {
    expect(await problemOf(csv)).toMatchObject({ type, line: 1 });
  });

  it('reads names that need quoting as they are', async () => {
    const { columns, texts } = await load('"a"";drop table x","SELECT",Ünïcode\n1,2,3\n');
    expect(columns.map(column => column.name)).toEqual(['a";drop table x', 'SELECT', 'Ünïcode']);
    expect(texts).toEqual([['1', '2', '3']]);
  });

  it('yields to others while millions of blank lines pass, and sends none of them', async () => {
    const chunks = 200;
    const turnsBefore: number[] = [];
    function* source(turnsSoFar: () => number): Generator<Buffer> {
      yield Buffer.from('a,b\n1,2\n');
      for (let chunk = 0; chunk < chunks; chunk++) {
        turnsBefore.push(turnsSoFar());
        yield Buffer.alloc(65_536, '\n');
      }
      yield Buffer.from('3,x\n');
    }
    const target = tables.target({ format: 'csv', table: tables.newTable(), types: new Map([['b', 'integer']]) });
    await tables.client.query('BEGIN');
    await turnsOfOthers(async turnsSoFar => {
      const loading = loadCsv(Readable.from(source(turnsSoFar)), format, target);
      await expect(loading).rejects.toMatchObject({ problems: [{ line: chunks * 65_536 + 3 }] });
    });
    await tables.client.query('ROLLBACK');
    // In the second half of the chunks the table exists and nothing is sent to PostgreSQL, so only the loop itself can yield.
    expect(turnsBefore.at(-1)! - turnsBefore[chunks / 2]!).toBeGreaterThan(1);
  });

  it('hands out the records behind a long one in blocks', async () => {
    const long = `"${'x'.repeat(2_400_000)}"\n`;
    const csv = Buffer.from(`a\n${long}${'1\n'.repeat(1_000_000)}`);
    for (const hasLines of [false, true]) {
      const target = tables.target({ format: 'csv', table: tables.newTable(), hasLines });
      const write = jest.spyOn(target, 'write');
      await tables.client.query('BEGIN');
      expect((await loadCsv(inPieces(csv, 65_536), format, target)).rows).toBe(1_000_001);
      await tables.client.query('ROLLBACK');
      expect(Math.max(...write.mock.calls.map(([bytes]) => bytes.length))).toBeLessThan(long.length + 1_100_000);
    }
  });

  it("maps PostgreSQL's refusal of a given type to the line of the file, past blank and quoted lines", async () => {
    const csv = 'a,b\n"x\ny",1\n\n\nz,2\n"x\r\ny",3\n\nq,four\nr,5\n';
    const problem = await problemOf(csv, { types: { b: 'integer' } });
    expect(problem).toMatchObject({ type: 'csv_value', line: 10, loc: ['body', 10, 'b'] });
    expect(await problemOf(csv, { types: { b: 'integer' }, sizes: oneByOne })).toMatchObject({ line: 10 });
    const crlf = csv.replaceAll(/\r?\n/g, '\r\n');
    expect(await problemOf(crlf, { types: { b: 'integer' } })).toMatchObject({ line: 10 });
  });

  it('maps a refused line after a late widening', async () => {
    const csv = 'a,b\n1,2024-01-01\n\n2.5,2024-01-02\nx,2024-01-03\n\ny,nonsense\n';
    const problem = await problemOf(csv, { types: { b: 'date' }, sizes: oneByOne });
    expect(problem).toMatchObject({
      type: 'csv_value',
      line: 7,
      text: { en: expect.stringMatching(/'nonsense' is not a valid date; say \?types=b:text$/) },
    });
  });
});
