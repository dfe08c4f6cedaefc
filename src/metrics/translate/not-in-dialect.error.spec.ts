import { NotInDialectError } from './not-in-dialect.error.js';

describe('NotInDialectError', () => {
  it.each([
    [
      'a sum of numbers of 50 digits',
      'MySQL 上不能精确计算 50 位数字的数之和；',
      'MySQL cannot exactly compute a sum of numbers of 50 digits; ',
    ],
    [
      'the order of texts (<), which depends on the database',
      'MySQL 上不能精确计算 文本的先后（<），它因数据库而异；',
      'MySQL cannot exactly compute the order of texts (<), which depends on the database; ',
    ],
    ['DATE_TRUNC of this form', 'MySQL 上不能精确计算 这种形式的 DATE_TRUNC；', 'MySQL cannot exactly compute DATE_TRUNC of this form; '],
    ['LOWER', 'MySQL 上不能精确计算 LOWER；', 'MySQL cannot exactly compute LOWER; '],
  ])('names %s in both languages', (construct, zh, en) => {
    const { text } = new NotInDialectError('mysql', construct);
    expect(text.zh.startsWith(zh)).toBe(true);
    expect(text.en.startsWith(en)).toBe(true);
  });
});
