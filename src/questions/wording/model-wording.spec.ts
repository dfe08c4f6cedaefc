import { readWording, rowsForModel, wordingMessages } from './model-wording.js';

const rows = rowsForModel(
  ['c', 'n'],
  [
    [{ id: 7, label: '客户', labels: ['客户'], key: '1', display: 'Alfreds', properties: { city: 'Berlin', since: '2020-03-05' } }, 12],
    [{ id: 8, label: '客户', labels: ['客户'], key: '2', display: 'Bólido', properties: { city: 'Madrid' } }, 1234.5],
  ],
);
const line = (text: unknown, of: unknown) => JSON.stringify({ text, rows: of });
const read = (text: string, question = 'Who are the top 3?') => readWording(text, question, rows, 2);

describe('the rows that a model is shown', () => {
  it('have names and properties, and no ids', () => {
    expect(rows[0]).toBe('{"c":{"label":"客户","name":"Alfreds","city":"Berlin","since":"2020-03-05"},"n":12}');
  });

  it('are as many as fit', () => {
    const many = rowsForModel(
      ['t'],
      Array.from({ length: 200 }, () => ['x'.repeat(390)]),
    );
    expect(many.length).toBeGreaterThan(10);
    expect(many.length).toBeLessThan(50);
    expect(
      rowsForModel(
        ['t'],
        Array.from({ length: 200 }, (_, i) => [i]),
      ),
    ).toHaveLength(50);
    expect(rowsForModel(['t'], [['y'.repeat(100_000)]])[0]!.length).toBeLessThan(500);
    const [, { content }] = wordingMessages('q', rows, 9, 'en') as [unknown, { content: string }];
    expect(content).toContain('Rows (2 of 9)');
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
  ])('are dropped with %s', (_, text) => {
    expect(read(`${text}\n${line('Alfreds.', [1])}`)).toEqual({ sentences: [{ text: 'Alfreds.', rows: [0] }], dropped: 1 });
  });

  it.each([
    ['numbers with separators', 'Bólido has 1,234.50.', [2]],
    ['dates in another form', 'Alfreds came on 5 March 2020.', [1]],
    ['numbers of the question', 'The top 3 include Alfreds.', [1]],
    ['the number of rows', '2 customers were found.', [1]],
  ])('may have %s', (_, text, of) => {
    expect(read(line(text, of)).sentences).toHaveLength(1);
  });

  it('are none in a text of another form', () => {
    for (const text of ['', 'Alfreds has 12.', '{"text": "Alf', 'null', '[[]]', '{}']) expect(read(text).sentences).toEqual([]);
  });
});
