import { readWording, rowsForModel, wordingMessages } from './model-wording.js';

const shown = rowsForModel(
  ['c', 'n'],
  [
    [{ id: 7, label: '客户', labels: ['客户'], key: '1', display: 'Alfreds', properties: { city: 'Berlin', since: '2020-03-05' } }, 12],
    [{ id: 8, label: '客户', labels: ['客户'], key: '2', display: 'Bólido', properties: { city: 'Madrid' } }, 1234.5],
  ],
);
const line = (text: unknown, of: unknown) => JSON.stringify({ text, rows: of });
const read = (text: string, question = 'Who are the top 3?') => readWording(text, question, shown);
const oneCell = (value: unknown, count = 1) =>
  rowsForModel(
    ['t'],
    Array.from({ length: count }, () => [value]),
  ).rows;

describe('the rows that a model is shown', () => {
  it('have names and properties, and no ids', () => {
    expect(shown.rows[0]!.text).toBe('{"c":{"label":"客户","name":"Alfreds","city":"Berlin","since":"2020-03-05"},"n":12}');
  });

  it('are as many as fit', () => {
    expect(oneCell(1, 200)).toHaveLength(50);
    expect(oneCell('x'.repeat(390), 200).length).toBeLessThan(50);
    expect(oneCell('x'.repeat(390), 200).length).toBeGreaterThan(10);
    expect(oneCell('y'.repeat(100_000))[0]!.text.length).toBeLessThan(500);
    const heads = [shown, { ...shown, total: null }].map(each => wordingMessages('q', each, 'en')[1]!.content.split('\n')[1]);
    expect(heads).toEqual(['Rows (2, of 2):', 'Rows (2, the first of more):']);
  });

  it('lack what is withheld, also as a name', () => {
    const node = (display: string) => ({ id: 1, label: '人', labels: ['人'], key: '9', display, properties: { id_no: '9', city: 'Bonn' } });
    const texts = ['9', 'Bonn'].map(name => rowsForModel(['p'], [[node(name)]], { withheld: new Set(['id_no']) }).rows[0]!.text);
    expect(texts).toEqual(['{"p":{"label":"人","city":"Bonn"}}', '{"p":{"label":"人","name":"Bonn","city":"Bonn"}}']);
  });
});

describe('the sentences of a model', () => {
  it('are taken with their rows, counted from 0', () => {
    const text = ['```json', line('Alfreds  has 12.', [1]), line('Both are customers.', [1, 2, 2]), '```'].join('\n');
    expect(read(text)).toEqual({
      sentences: [
        { text: 'Alfreds has 12.', rows: [0] },
        { text: 'Both are customers.', rows: [0, 1] },
      ],
      dropped: 0,
    });
    expect(read(`[${line('Alfreds.', [1])}, ${line('Bólido.', [2])}]`).sentences).toHaveLength(2);
  });

  it.each([
    ['no rows', line('Alfreds has 12.', [])],
    ['a row that is not there', line('Alfreds has 12.', [3])],
    ['a row 0', line('Alfreds has 12.', [0])],
    ['rows that are texts', line('Alfreds has 12.', ['1'])],
    ['no text', line(' ', [1])],
    ['a long text', line('x'.repeat(501), [1])],
    ['a number of another row', line('Alfreds has 1234.5.', [1])],
    ['a number that nobody knows', line('Alfreds has 13.', [1])],
    ['a rounded number', line('Bólido has 1235.', [2])],
    ['a number that is part of another', line('Bólido has 234.5.', [2])],
    ['a number in full-width digits', line('Alfreds has １３.', [1])],
    ['another scale', line('Alfreds has 12 million.', [1])],
    ['a Chinese scale', line('Alfreds 有 12亿。', [1])],
    ['a percentage of a plain number', line('Alfreds has 12%.', [1])],
    ['another sign', line('Alfreds has -12.', [1])],
    ['a numeral', line('Alfreds has twelve, or a dozen.', [1])],
    ['a Chinese numeral', line('共有三百个客户。', [1, 2])],
  ])('are dropped with %s', (_, text) => {
    expect(read(`${text}\n${line('Alfreds.', [1])}`)).toEqual({ sentences: [{ text: 'Alfreds.', rows: [0] }], dropped: 1 });
  });

  it.each([
    ['numbers with separators', 'Bólido has 1,234.50.', [2]],
    ['dates in another form', 'Alfreds came on 5 March 2020.', [1]],
    ['numbers of the question', 'The top 3 include Alfreds.', [1]],
    ['一, which counts nothing', 'Alfreds 是其中一个。', [1]],
    ['the number of rows', '2 customers were found.', [1]],
  ])('may have %s', (_, text, of) => {
    expect(read(line(text, of)).sentences).toHaveLength(1);
  });

  it('are none in a text of another form', () => {
    for (const text of ['', 'Alfreds has 12.', '{"text": "Alf', 'null', '[[]]', '{}']) expect(read(text).sentences).toEqual([]);
  });

  it('state no number of rows if there may be more', () => {
    const cut = rowsForModel(['n'], [[7], [8]], { limit: 2 });
    expect(readWording(line('There are 2.', [1, 2]), 'q', cut).sentences).toEqual([]);
    expect(readWording(line('It is 7.', [1]), 'q', cut).sentences).toHaveLength(1);
  });

  it('are cut where they are long, the first one too', () => {
    const long = Array.from({ length: 20 }, () => Array.from({ length: 20 }, () => 'x'.repeat(400)));
    const row = [long, long];
    expect(rowsForModel(['a', 'b'], [row, [1, 2]]).rows.map(({ text }) => text.length)).toEqual([12_001]);
  });

  it('take the numbers of lists one by one', () => {
    const lists = rowsForModel(['n'], [[[12, 345], 'x']]);
    expect(readWording(line('12,345.', [1]), 'q', lists).sentences).toEqual([]);
    expect(readWording(line('12 and 345.', [1]), 'q', lists).sentences).toHaveLength(1);
  });

  it('come after what the model thinks', () => {
    expect(read(`<think>${line('A draft.', [1])}\n</think>\n${line('Alfreds.', [1])}`).sentences).toEqual([
      { text: 'Alfreds.', rows: [0] },
    ]);
  });
});
