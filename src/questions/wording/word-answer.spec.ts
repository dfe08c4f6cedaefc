import { wordGraphAnswer } from './word-answer.js';

const shape = { kind: 'list', subject: '产品', spoken: [], of: { named: [], excluded: [], times: [] } } as unknown as Parameters<
  typeof wordGraphAnswer
>[0];
const product = (id: number, display: string) => [{ id, display, label: '产品', key: String(id), properties: {} }];

describe('wordGraphAnswer', () => {
  it('counts nodes of the same name one by one', () => {
    const rows = [product(1, '茶'), product(2, '茶'), product(3, '咖啡')];
    expect(wordGraphAnswer(shape, rows, 'zh', 1000)).toMatch(/^产品共 3 个：/);
    expect(wordGraphAnswer({ ...shape, subject: 'products' }, rows, 'en', 1000)).toMatch(/^3 products: /);
  });

  it('says "at least" where the limit has cut the rows', () => {
    const rows = [product(1, '茶'), product(2, '咖啡')];
    expect(wordGraphAnswer(shape, rows, 'zh', 2)).toMatch(/^产品至少 2 个：/);
    expect(wordGraphAnswer({ ...shape, subject: 'products' }, rows, 'en', 2)).toMatch(/^At least 2 products: /);
  });
});
