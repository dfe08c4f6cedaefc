import { toQueryResult } from './query-values.js';

it('keeps every digit of the numbers in a document', () => {
  const { rows } = toQueryResult({
    columns: [{ name: 'doc', type: 'jsonb' }],
    rows: [['{"id": 9007199254740993, "few": [1, 2.5]}']],
    truncated: false,
    bytes: 37,
  });
  expect(rows).toEqual([[{ id: '9007199254740993', few: [1, 2.5] }]]);
});
