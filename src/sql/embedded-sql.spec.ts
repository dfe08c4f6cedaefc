import { offsetInPiece, tokenAt } from './embedded-sql.js';

it('finds a piece by the lines that surround it', () => {
  const sql = 'SELECT a + b FROM t WHERE (\na + b\n) AND (\na\n)';
  expect(offsetInPiece('a + b', sql, sql.indexOf('(') + 4)).toBe(2);
  expect(offsetInPiece('a', sql, sql.lastIndexOf('a'))).toBe(0);
  expect(offsetInPiece('a + b', sql, 7)).toBeNull();
});

it.each([
  ["x = 'it''s' || y", 4, "'it''s'"],
  ['o."Net Price" > 1', 0, 'o."Net Price"'],
  ['客户.编号 > 1', 0, '客户.编号'],
  ['a >= b', 2, '>='],
  ['f(x)', 1, '('],
])('reads the token of %s at %i', (sql, offset, token) => {
  expect(tokenAt(sql, offset)).toBe(token);
});
