import { inPieces, UploadTarget } from '../../../../test/support/upload-target.js';
import { type CsvFormat, loadCsv } from './load-csv.js';
import { numberForm } from './number-form.js';

const format: CsvFormat = {
  delimiter: null,
  nullMarker: '',
  encoding: { asked: undefined, charset: undefined },
  columns: null,
  hasHeader: true,
  renames: false,
};

/** Blocks of one record, so that every widening happens late, when rows are already stored. */
const oneByOne = { sample: 1, block: 1 };

describe('numbers with commas in CSV', () => {
  let tables: UploadTarget;
  beforeAll(async () => {
    tables = await UploadTarget.open();
  });
  afterAll(() => tables.close());

  /** Loads a file with a column of numbers and one of texts, in one block and record by record. */
  const loadColumn = async (values: readonly string[], delimiter = ';') => {
    const csv = `n${delimiter}x\n${values.map(value => `${value}${delimiter}a\n`).join('')}`;
    const loaded = await loadIn(csv);
    expect(await loadIn(csv, oneByOne)).toEqual(loaded);
    return loaded;
  };
  const loadIn = async (csv: string, sizes?: typeof oneByOne) => {
    const { columns, texts, warnings } = await tables.load({ format: 'csv' }, target =>
      loadCsv(inPieces(Buffer.from(csv), sizes ? 1 : 65_536), format, target, sizes),
    );
    return { types: columns.map(({ type }) => type), texts, warnings: warnings.map(({ en }) => en) };
  };

  it.each([
    [
      ['12,50', '1,234', '7'],
      ['12.50', '1.234', '7'],
    ],
    [
      ['1', '2', '', '"12,5"'],
      ['1', '2', null, '12.5'],
    ],
    [['-0,001'], ['-0.001']],
    [['1234,567'], ['1234.567']],
    [
      [',5', '3,', '2,5'],
      ['0.5', '3', '2.5'],
    ],
    [
      ['12345678901,5', '9007199254740993'],
      ['12345678901.5', '9007199254740993'],
    ],
  ])('reads the decimal commas of %j', async (values, numbers) => {
    const { types, texts, warnings } = await loadColumn(values);
    expect(types).toEqual(['numeric', 'text']);
    expect(texts.map(([number]) => number)).toEqual(numbers);
    expect(warnings).toEqual([expect.stringMatching(/^column "n": the comma was read as the decimal sign.*types=n:text/)]);
  });

  it.each([
    [['1,234', '12,345']],
    [['1,2345']],
    [['1,234', '7']],
    [['1,', '2,']],
    [[',5']],
    [['1,234,567', '1.234,5', '1.234.567,5']],
    [['1.234,56', '12,5']],
    [['1,234.56']],
    [['1.234.567']],
    [['1 234,5']],
    [['1\u00a0234,5', '7,5']],
    [["1'234.50"]],
    [['12.5', '12,5']],
    [['1.234', '1.234,5']],
    [['+2,5']],
    [['+1', '-2,5', '3']],
    [['+2.5', '7']],
  ])('keeps %j as texts, and warns', async values => {
    const { types, texts, warnings } = await loadColumn(values);
    expect(types).toEqual(['text', 'text']);
    expect(texts.map(([text]) => text)).toEqual(values);
    expect(warnings).toEqual([expect.stringMatching(/^column "n" has numbers (?:.*two ways.*n:decimal\(|.*no form reads together)/)]);
  });

  it.each([
    [['12,5', 'n/a']],
    [['1,5,5']],
    [['12,5', '""']],
    [['1,2', '1,2,3']],
    [['030 123 456']],
    [['555 123 456']],
    [['+4917012345', '+1']],
    [['+49.17012345', '+86.13800001111']],
    [['+1.555.123.456', '+1.555.123.457']],
    [['192.168.100.101']],
    [['52,5°']],
    [['31.12.2024']],
  ])('keeps %j as texts without a word', async values => {
    const { types, texts, warnings } = await loadColumn(values);
    expect(types).toEqual(['text', 'text']);
    expect(texts.map(([text]) => text)).toEqual(values.map(value => (value === '""' ? '' : value)));
    expect(warnings).toEqual([]);
  });

  it('reads no comma of a file that commas separate, and warns', async () => {
    const { types, texts, warnings } = await loadColumn(['"12,50"', '"1,234"'], ',');
    expect(types).toEqual(['text', 'text']);
    expect(texts.map(([text]) => text)).toEqual(['12,50', '1,234']);
    expect(warnings).toEqual([expect.stringContaining('n:decimal(,)')]);
  });

  it('takes no point for a decimal sign that may separate thousands, where another column has decimal commas', async () => {
    const csv = 'sum;pieces;rate;price\n1.234;1.500;987;12,50\n22;300;120;7,00\n';
    for (const sizes of [undefined, oneByOne]) {
      const { types, texts, warnings } = await loadIn(csv, sizes);
      expect(types).toEqual(['text', 'text', 'integer', 'numeric']);
      expect(texts).toEqual([
        ['1.234', '1.500', '987', '12.50'],
        ['22', '300', '120', '7.00'],
      ]);
      expect(warnings.map(warning => /"(\w+)"/.exec(warning)![1])).toEqual(['sum', 'pieces', 'price']);
    }
    const points = await loadIn('rate;price;pieces\n0.987;12,50;1.500\n');
    expect(points.types).toEqual(['numeric', 'text', 'text']);
    expect(points.warnings).toHaveLength(2);
    for (const rows of ['1,234,567;1.5\n1.234,5;1.500', '1.234,5;1.5\n1,234,567;1.500'])
      expect((await loadIn(`both;rate;pieces\n${rows.replaceAll('\n', ';1.234\n')};1.234\n`)).types).toEqual([
        'text',
        'numeric',
        'numeric',
      ]);
    expect((await loadIn('price,pieces\n"12,50",1.234\n"7,00",1.500\n')).types).toEqual(['text', 'text']);
    for (const price of ['1.234,00', '1.234.567', '1 234,5'])
      expect((await loadIn(`price;pieces\n${price};1.500\n`)).types).toEqual(['text', 'text']);
    for (const other of ['1', '"1,234.5"', '"1,234,567"', '"1,234"'])
      expect((await loadIn(`pieces;other\n1.234;${other}\n`)).types[0]).toBe('numeric');
  });

  it('judges no other column by numbers behind a plus', async () => {
    const phones = await loadIn('price;phone\n12,5;+49.17012345\n7,25;+49.17012346\n');
    expect(phones.types).toEqual(['numeric', 'text']);
    expect(phones.warnings).toEqual([expect.stringContaining('"price": the comma was read')]);
    const grouped = await loadIn('price,phone\n1.234,+1.555.123.456\n2.555,+1.555.123.457\n');
    expect([grouped.types, grouped.warnings]).toEqual([['numeric', 'text'], []]);
    expect((await loadIn('id,phone\n1,+86.13800001111\n')).warnings).toEqual([]);
    for (const change of ['+2,5', '+2.5']) {
      for (const price of ['12,5', '12.5', '1.234']) {
        const { types, warnings } = await loadIn(`price;change\n${price};${change}\n`);
        expect(types).toEqual(['numeric', 'text']);
        expect(warnings.at(price === '12,5' ? 0 : -1)).toMatch(
          change === '+2,5' ? /"change".*change:decimal\(,\)/ : /"change".*change:decimal\(\.\)/,
        );
      }
    }
    expect((await loadIn('n\n3.5\n"+2,5"\n')).warnings).toEqual([expect.stringContaining('no form reads together')]);
  });

  it('reads what a type says, and names the line of a value in another form', async () => {
    const load = (csv: string, forms: Record<string, string>) =>
      tables.load(
        {
          format: 'csv',
          types: new Map(Object.keys(forms).map(name => [name, 'numeric'])),
          rewrites: new Map(Object.entries(forms).map(([name, form]) => [name, numberForm(form)!])),
        },
        target => loadCsv(inPieces(Buffer.from(csv), 65_536), format, target),
      );
    const csv = 'a,b,c\n"1,234","1.234,50","1,234.5"\n2,1.234,"12,345"\n';
    expect((await load(csv, { a: ',', b: '.,', c: ',.' })).texts).toEqual([
      ['1.234', '1234.50', '1234.5'],
      ['2', '1234', '12345'],
    ]);
    for (const [price, types] of [
      [',', ['numeric', 'text']],
      ['.,', ['numeric', 'text']],
      ['.', ['numeric', 'numeric']],
    ] as const) {
      const loaded = await load(`Preis;Menge\n${price === '.' ? '12.50' : '12,50'};1.234\n1234;7\n`, { Preis: price });
      expect(loaded.columns.map(({ type }) => type)).toEqual(types);
    }
    await expect(load('a\n1\n"1.5"\n', { a: ',' })).rejects.toMatchObject({
      problems: [{ type: 'csv_value', line: 3, loc: ['body', 3, 'a'], text: { en: expect.stringContaining('decimal(.,)') } }],
    });
  });

  it('names the way out where a number with a comma meets a given type', async () => {
    const loading = tables.load({ format: 'csv', types: new Map([['n', 'integer']]) }, target =>
      loadCsv(inPieces(Buffer.from('n;x\n1;a\n12,5;b\n'), 65_536), format, target),
    );
    await expect(loading).rejects.toMatchObject({ problems: [{ line: 3, text: { en: expect.stringContaining('types=n:decimal(,)') } }] });
  });

  it('counts the former copy of the table that is written anew', async () => {
    const left: number[] = [];
    await tables.load({ format: 'csv', checkFormer: bytes => left.push(bytes) }, target =>
      loadCsv(inPieces(Buffer.from('n;x\n12,5;a\n'), 65_536), format, target),
    );
    expect(left).toEqual([expect.any(Number)]);
  });
});
