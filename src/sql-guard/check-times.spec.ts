import { refusal } from '../../test/support/refused-sql.js';
import { guardExpression } from './guard-expression.js';
import { guardSelect } from './guard-select.js';
import { loadSqlParser } from './sql-parser.js';

const scope = { columns: new Set(['ts', 'note', 'amount']) };

beforeAll(loadSqlParser);

describe('a written time that PostgreSQL would round (risk: 23:59:59.9999999 is the next day)', () => {
  it.each([
    "ts <= '2023-12-31T23:59:59.9999999'",
    "ts <= '2023-12-31 23:59:59.9999999+08:00'",
    "ts BETWEEN '2023-01-01' AND '2023-12-31T23:59:59.9999999Z'",
    "ts < timestamp '2023-12-31 23:59:59.99999990001'",
    "ts < '2023-12-31 23:59:59.9999999 Asia/Shanghai'::timestamptz::timestamp",
    "ts IN ('2023-12-31', '2023-12-31 11:59:59.9999999 PM')",
    "ts <= '2023-12-31 23:59:60'",
    "ts <= '2016-12-31T23:59:60.5Z'",
    "ts < '20231231T235959.9999999'",
    "ts < '20231231 235960'",
    "ts < 'Dec 31 2023 23:59:59.9999999'",
    "ts < '0044-03-15 23:59:59.9999999 BC'",
    "ts::time = '23:59:59.9999999'",
    "ts - ts > interval '0.0000004 seconds'",
    "ts - ts > interval '1.9999999'",
    "ts - ts > '00:00:00.0000004'",
    'ts < make_timestamp(2023, 12, 31, 23, 59, 59.9999999)',
    'ts < make_timestamp(2023, 12, 31, 23, 59, 60)',
    'ts < to_timestamp(1704067199.9999999)',
  ])('is refused by name and place: %s', clause => {
    expect(refusal(() => guardExpression(clause, scope))).toMatchObject({
      reason: 'type_mismatch',
      token: expect.any(String),
      position: expect.any(Number),
      sentence: { en: expect.stringContaining('PostgreSQL would change this time') },
      hint: { en: expect.stringContaining('at most six decimals') },
    });
    expect(refusal(() => guardSelect(`SELECT 1 FROM t WHERE ${clause}`, { schema: 'mirror' }))).toMatchObject({ reason: 'type_mismatch' });
  });

  it.each([
    "ts <= '2023-12-31T23:59:59.999999'",
    "ts <= '2023-12-31T23:59:59.9999990000Z'",
    "ts < timestamp '2024-01-01'",
    "ts < '2023-12-31 23:59:59+08:00'",
    "note = '12345.1234567'",
    "note = '1.2.3.12345678'",
    "note LIKE '%10:20:60%'",
    "note ~ '^[0-9]{2}:[0-9]{2}:60$'",
    "note = '站点 10:20:61'",
    "note = '192.168.0.1:6060'",
    "note = 'part123460'",
    "note = '2001:10:60::1'",
    "note = '12345678 123460'",
    "ts - ts > interval '1.5 seconds'",
    'amount > 59.9999999',
    "note = '23:59:' || '59.9999999'",
    'ts < make_timestamp(2023, 12, 31, 23, 59, 59.999999)',
    'ts < to_timestamp(1704067199.5)',
    "ts < to_timestamp('2023-12-31', 'YYYY-MM-DD')",
  ])('is admitted where it is exact, or not a time: %s', clause => {
    expect(guardExpression(clause, scope).text).toBe(clause);
  });
});
