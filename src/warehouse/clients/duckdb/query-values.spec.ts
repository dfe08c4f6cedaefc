import { toQueryResult } from './query-values.js';

async function valueOf(document: string): Promise<unknown> {
  const columns = [{ name: 'doc', type: 'jsonb' }];
  const { rows } = await toQueryResult({ columns, rows: [[document]], truncated: false, bytes: document.length });
  return rows[0]![0];
}

it('keeps every digit of the numbers in a document', async () => {
  expect(await valueOf('{"id": 9007199254740993, "few": [1, 2.5]}')).toEqual({ id: '9007199254740993', few: [1, 2.5] });
});

it.each([
  ['is no JSON', '{"a": NaN}'],
  ['is too deep for an answer', '['.repeat(50_000) + ']'.repeat(50_000)],
])('shows a document as it is written when it %s', async (_what, document) => {
  // `toBe` on the document itself would make Jest print a value that is nested too deeply to print.
  expect((await valueOf(document)) === document).toBe(true);
});
