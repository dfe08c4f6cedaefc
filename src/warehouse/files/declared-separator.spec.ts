import { inPieces, UploadTarget } from '../../../test/support/upload-target.js';
import { readSeparator } from './declared-separator.js';
import { type CsvFormat, loadCsv } from '../mirror/csv/load-csv.js';

const format: CsvFormat = {
  delimiter: null,
  nullMarker: '',
  encoding: { asked: undefined, charset: undefined },
  columns: null,
  hasHeader: true,
  renames: false,
};

describe('the line that declares the separator', () => {
  let tables: UploadTarget;
  beforeAll(async () => {
    tables = await UploadTarget.open();
  });
  afterAll(() => tables.close());

  const load = async (csv: string, { chunk = 65_536, ...more }: Partial<CsvFormat> & { chunk?: number } = {}) => {
    const sizes = chunk === 1 ? { sample: 1, block: 1 } : undefined;
    const loaded = await tables.load({ format: 'csv' }, target => loadCsv(inPieces(Buffer.from(csv), chunk), { ...format, ...more }, target, sizes)); // prettier-ignore
    return { ...loaded, delimiter: String.fromCharCode(loaded.delimiter), names: loaded.columns.map(({ name }) => name) };
  };

  it.each([
    ['sep=;\n', ';'],
    ['sep=;\r\n', ';'],
    ['\ufeffsep=;\r\n', ';'],
    ['"sep=;"\r\n', ';'],
    ['SEP=,\n', ','],
    ['sep=;;;\n', ';'],
    ['sep=;  \n', ';'],
    ['sep=\t\n', '\t'],
    ['sep=\\t\n', '\t'],
    ['sep=|\n', '|'],
    ['sep=^\n', '^'],
    ['sep=~\n', '~'],
    ['sep=:\n', ':'],
    ["sep='\n", "'"],
    ['sep= \n', ' '],
  ])('%j is neither header nor row, and its separator is taken', async (line, sign) => {
    for (const chunk of [1, 65_536]) {
      const { delimiter, names, texts } = await load(`${line}a${sign}b\n1${sign}x\n2${sign}"y${sign}z"\n`, { chunk });
      expect({ delimiter, names, texts }).toEqual({ delimiter: sign, names: ['a', 'b'], texts: [['1', 'x'], ['2', `y${sign}z`]] }); // prettier-ignore
    }
  });

  it('counts as a line, and yields to the delimiter that the caller gives', async () => {
    await expect(load('sep=;\na;b\n1;2\n1;2;3\n')).rejects.toMatchObject({ problems: [{ type: 'csv_field_count', line: 4 }] });
    await expect(load('sep=;\na;a\n')).rejects.toMatchObject({ problems: [{ type: 'duplicate_column', line: 2 }] });
    expect((await load('sep=,\na;b\n1,5;x\n', { delimiter: 59 })).names).toEqual(['a', 'b']);
    const bare = await load('sep=;\n1;2\n', { columns: ['x', 'y'], hasHeader: false });
    expect(bare).toMatchObject({ names: ['x', 'y'], texts: [['1', '2']] });
  });

  it.each(['sep=\n', 'sep=a\n', 'sep=5\n', 'sep=-\n', 'sep=.\n', 'sep="\n', 'sep=；\n'])('%j is refused by name', async line => {
    await expect(load(`${line}a;b\n1;2\n`)).rejects.toMatchObject({ problems: [{ type: 'csv_separator', line: 1 }] });
  });

  it('is no text of NULL', async () => {
    await expect(load('sep=#\na#b\n1#2\n', { nullMarker: '#' })).rejects.toMatchObject({ problems: [{ type: 'null_marker' }] });
  });

  it('is told from other beginnings', () => {
    for (const text of ['a;b\n', 'sep=ab\n', 'sep;b\n', 'separator=;\n', `sep=;${'x'.repeat(100)}\n`])
      expect(readSeparator(Buffer.from(text), true)).toBeNull();
    expect(readSeparator(Buffer.from('sep='), false)).toBeUndefined();
    expect(readSeparator(Buffer.from('sep='), true)).toBeNull();
  });
});
