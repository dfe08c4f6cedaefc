import { aWorld, edge, namedLabel } from '../../../test/support/question-world.js';

const { ask } = aWorld({
  labels: [
    namedLabel('Book', ['图书'], [['price', 'decimal(10,2)', '价格'], ['language', 'string', '语言'], ['cost', 'int', '成本']]),
    namedLabel('Member', ['读者'], [['age', 'int', '年龄'], ['city', 'string', '城市']]),
    namedLabel('Supplier', ['供应商'], []),
  ],
  edges: [edge('supplied_by', ['供应'], 'Book', 'Supplier')],
  toOne: { outgoing: ['supplied_by'], incoming: [] },
  names: { Book: ['Dune'], Member: ['Ann'], Supplier: ['Exotic'] },
}); // prettier-ignore

describe('an order that the plan has', () => {
  it.each([
    ['number of books by language in descending order', 'ORDER BY count DESC'],
    ['number of members by city from high to low', 'ORDER BY count DESC'],
    ['各语言的图书数从多到少', 'ORDER BY 数量 DESC'],
    ['各语言图书的平均价格从高到低', 'ORDER BY 平均价格 DESC'],
    ['average price by supplier in descending order', 'ORDER BY `average price` DESC'],
    ['每个供应商有多少图书，从高到低', 'ORDER BY n DESC'],
    ['list prices of books, highest first', 'ORDER BY price IS NULL, price DESC'],
    ['图书按价格排名', 'ORDER BY price IS NULL, price DESC'],
  ])('%s: %s', async (question, order) => {
    expect(await ask(question)).toContain(order);
  });

  it.each(['图书按价格从高到低，前5名', '按价格从高到低，前5名图书', 'top 5 books by price in descending order'])(
    '%s: is a ranking',
    async question => {
      expect(await ask(question)).toContain('t.price IS NOT NULL RETURN DISTINCT t, t.price AS price ORDER BY price DESC');
    },
  );

  it.each([
    ['members by age, oldest first', 'age IS NULL, age DESC'],
    ['members by age, highest first', 'age IS NULL, age DESC'],
    ['books by cost, cheapest first', 'cost, t.name'],
  ])('%s: the adjective fits the key', async (question, order) => {
    expect(await ask(question)).toContain(`ORDER BY ${order}`);
  });

  it.each([
    'number of books by language in ascending order',
    'number of books by language, newest first',
    '各语言的图书数按语言从高到低',
    'top 5 books by price in ascending order',
    'books by price, oldest first',
    'members by age, cheapest first',
  ])('%s: is refused for another order', async question => {
    expect(await ask(question)).toMatch(/^refused: /);
  });
});
