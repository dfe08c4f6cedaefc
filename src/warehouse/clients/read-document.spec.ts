import { RowDocuments } from './read-document.js';

const readDocument = (text: string): unknown => new RowDocuments().read(text);

it('keeps every digit of the numbers in a document', () => {
  expect(readDocument('{"id": 9007199254740993, "few": [1, 2.5]}')).toEqual({ id: '9007199254740993', few: [1, 2.5] });
});

const nested = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);

it.each([
  ['a thousand levels', nested(1_000)],
  ['brackets in texts', JSON.stringify(['['.repeat(2_000), '"{\\'.repeat(2_000)])],
])('reads %s', (_what, text) => {
  expect(JSON.stringify(readDocument(text))).toBe(text);
});

it.each([
  ['more levels', nested(1_001)],
  ['levels behind closing brackets in a text', `["${']'.repeat(50_000)}",${nested(50_000)}]`],
  ['no document', '{'],
])('refuses %s (risk: an answer that cannot be written)', (_what, text) => {
  expect(() => readDocument(text)).toThrow(expect.objectContaining({ code: 'warehouse_query_failed' }));
});

it('reads a million characters of the documents of a row besides the largest one', () => {
  const documents = new RowDocuments();
  const document = (characters: number): string => `["${'x'.repeat(characters - 4)}"]`;
  documents.read(document(1_500_000));
  documents.read(document(500_000));
  documents.read(document(500_000));
  expect(() => documents.read('[]')).toThrow(expect.objectContaining({ code: 'answer_too_large' }));
  documents.nextRow();
  documents.read(document(1_500_000));
  documents.read(`["${'1234567890123456x'.repeat(50_000)}"]`);
});

it('reads half a million characters with long numbers', () => {
  const numbers = (count: number): string => `[${Array(count).fill('1234567890123456').join()}]`;
  readDocument(numbers(29_000));
  expect(() => readDocument(numbers(30_000))).toThrow(expect.objectContaining({ code: 'answer_too_large' }));
});
