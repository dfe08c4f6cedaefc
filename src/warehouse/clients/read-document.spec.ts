import { readDocument } from './read-document.js';

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
