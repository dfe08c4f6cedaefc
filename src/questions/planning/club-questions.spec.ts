import { aWorld, edge, namedLabel } from '../../../test/support/question-world.js';

/** A book club with a shop. Customers place orders, which have dates of their own; the placing has none. */
const { ask } = aWorld({
  labels: [
    namedLabel('Member', ['会员'], [['age', 'int', '年龄'], ['joined_on', 'date', '入会日期'], ['position', 'string', '职务'], ['gender', 'string', '性别']]),
    namedLabel('Book', ['图书'], [['price', 'decimal(8,2)', '价格'], ['language', 'string', '语言'], ['is_rare', 'boolean', 'rare', '珍本'], ['published_on', 'date', '出版日期']]),
    namedLabel('Author', ['作者'], []),
    namedLabel('City', ['城市'], []),
    namedLabel('Customer', ['客户'], [['since', 'date', '注册日期']]),
    namedLabel('Order', ['订单'], [['ordered_on', 'date', 'order date', '下单日期'], ['freight', 'decimal(8,2)', '运费']]),
    namedLabel('Team', ['球队'], [['rank', 'int', 'ranking', '名次', '排名'], ['budget', 'int', '预算']]),
    namedLabel('Film', ['电影'], [['released_on', 'date', '发行日期']]),
    namedLabel('Studio', ['公司'], []),
  ],
  edges: [
    edge('borrowed', ['借', '借过'], 'Member', 'Book'),
    edge('wrote', ['写'], 'Author', 'Book'),
    edge('lives_in', ['住在'], 'Member', 'City'),
    edge('placed', ['ordered', '下单'], 'Customer', 'Order'),
    edge('bought', ['购买'], 'Customer', 'Book'),
    edge('released', ['发行'], 'Studio', 'Film'),
    edge('produced', ['制作'], 'Studio', 'Film'),
  ],
  toOne: { outgoing: ['lives_in'], incoming: ['placed'] },
  names: { Member: ['Ann Stone', 'Ben Hill'], Book: ['Dune', 'Emma'], Author: ['Jane Austen'], City: ['Leeds', 'York'], Customer: ['Alfreds'], Order: [], Team: ['Ajax'], Film: [], Studio: [] },
  values: { Book: { language: ['French', 'English'] }, Member: { position: ['captain', '队长'], gender: ['男'] } },
}); // prettier-ignore

describe('but behind "all"', () => {
  it.each([
    ['List all members who borrowed Dune but live in York', 'WHERE n1.number = $p1 AND n2.number = $p2'],
    ['Are there any members who borrowed Dune but live in York?', 'WHERE n1.number = $p1 AND n2.number = $p2'],
    ['List all members who borrowed Dune but joined in 2020', 't.joined_on >= $p2'],
    ['List all books published after 2000 but written by Jane Austen', '<-[r1:wrote]-(n1:Author) WHERE n1.number = $p1'],
    ['List all books in French but costing less than 10', 't.language = $p1 AND t.price < $p2'],
    ['list all rare but French books', 't.is_rare = $p1 AND t.language = $p2'],
    ['List all English but rare books', 't.language = $p1 AND t.is_rare = $p2'],
  ])('%s: joins conditions', async (question, part) => {
    const found = await ask(question);
    expect(found).toContain(part);
    expect(found).not.toContain('NOT');
  });

  it.each([
    ['all books but Dune', 'NOT (t.number = $p1)'],
    ['all books but Dune and Emma', 'NOT (t.number IN $p1)'],
    ['all books but the book Dune', 'NOT (t.number = $p1)'],
    ['all books but French books', 'NOT (t.language = $p1)'],
    ['list everything Ann Stone borrowed but Dune', 'NOT (t.number = $p2)'],
  ])('%s: leaves out', async (question, part) => {
    expect(await ask(question)).toContain(part);
  });

  it('is refused before what cannot be left out', async () => {
    expect(await ask('all books but the cheapest')).toMatch(/^refused: .*"but" is not understood/);
  });
});

describe('ranks', () => {
  it.each([
    ['teams ranked by rank', 'rank, t.name'],
    ['teams ranked by ranking', 'rank, t.name'],
    ['球队按名次排名', 'rank, t.name'],
    ['球队按名次从高到低', 'rank, t.name'],
    ['teams by rank, highest first', 'rank, t.name'],
    ['teams by rank in descending order', 'rank IS NULL, rank DESC, t.name'],
    ['the team with the highest rank', 'rank ASC'],
    ['名次最低的球队', 'rank DESC'],
    ['the team with the largest rank', 'rank DESC'],
    ['teams ranked by budget', 'budget IS NULL, budget DESC, t.name'],
    ['球队预算排名', 'budget IS NULL, budget DESC, t.name'],
    ['the team with the highest budget', 'budget DESC'],
  ])('%s: sorts by %s', async (question, order) => {
    expect(await ask(question)).toContain(` ORDER BY ${order}`);
  });

  it.each(['the rank of Ajax', 'Ajax的排名'])('%s: asks for the property', async question => {
    expect(await ask(question)).toContain('RETURN DISTINCT t, t.rank AS rank');
  });
});

describe('orders', () => {
  it.each([
    ['list orders by freight', ' ORDER BY freight, t.name'],
    ['List orders by order date', ' ORDER BY ordered_on, t.name'],
    ['订单按运费排序', ' ORDER BY freight, t.name'],
    ['orders by Alfreds', '(t:`Order`)<-[r1:placed]-(n1:Customer) WHERE n1.number = $p1'],
    ['number of orders by customer', '(t:Customer) OPTIONAL MATCH (t:Customer)-[r1:placed]->(n1:`Order`)'],
    ['orders by customers', '(t:`Order`)<-[r1:placed]-(n1:Customer) RETURN DISTINCT t'],
    ['orders from Alfreds', '(t:`Order`)<-[r1:placed]-(n1:Customer) WHERE n1.number = $p1'],
    ['来自Alfreds的订单', '(t:`Order`)<-[r1:placed]-(n1:Customer) WHERE n1.number = $p1'],
    ['the latest order', 'ORDER BY ordered_on DESC'],
    ['最近注册的客户', 'ORDER BY since DESC'],
  ])('%s: %s', async (question, part) => {
    expect(await ask(question)).toContain(part);
  });

  it.each([
    ['books from Alfreds', 'No relation on the way tells what "from" means'],
    ['来自Alfreds的图书', 'No relation on the way tells what "来自" means'],
    ['最近下单的客户是谁？', 'The relation "下单" has no date'],
    ['Which customer ordered last?', 'The relation "ordered" has no date'],
  ])('%s: is refused', async (question, reason) => {
    expect(await ask(question)).toContain(`refused: ${reason}`);
  });
});

describe('a count whose order names the counted things again', () => {
  const counted =
    'MATCH (t:Author) OPTIONAL MATCH (t:Author)-[r1:wrote]->(n1:Book) RETURN t, count(DISTINCT n1) AS n ORDER BY n DESC, t.name';

  it.each([
    '各作者的图书数按图书数降序排列',
    '按作者统计图书数并按图书数降序',
    '各作者的图书数按数量降序',
    'number of books by author sorted in descending order',
  ])('%s: has that order', async question => {
    expect(await ask(question)).toBe(counted);
  });

  it.each(['作者按图书数从多到少', '按图书数排序的作者', '各作者的图书数按作者降序'])(
    '%s: is refused without the group',
    async question => {
      expect(await ask(question)).toMatch(/^refused: /);
    },
  );
});

describe('clauses and roles', () => {
  it('takes a second clause for a condition', async () => {
    const found = await ask('Who are the members who live in Leeds and who borrowed Dune?');
    expect(found).toMatch(/^MATCH \(t:Member\).*lives_in.*borrowed/);
  });

  it.each(['Who wrote Dune and who borrowed Emma?', 'Who are the members who live in Leeds and who is the author of Dune?'])(
    '%s: asks for two things',
    async question => {
      expect(await ask(question)).toMatch(/^refused: A question is for one thing/);
    },
  );

  it.each(['Who is the captain?', 'Who is a captain?', '谁是队长？', '队长是谁？'])('%s: asks for the persons', async question => {
    expect(await ask(question)).toContain('MATCH (t:Member) WHERE t.position = $p1 RETURN DISTINCT t');
  });

  it.each(['Who is French?', 'What is captain?', '谁是男？'])('%s: asks for a value', async question => {
    expect(await ask(question)).toMatch(/^refused: ".+" is a value of/);
  });
});

describe('a verb that a date is called by', () => {
  it.each(['2020年发行电影的公司有哪些？', '哪些公司2020年发行了电影？'])('%s: joins the two nouns', async question => {
    expect(await ask(question)).not.toContain('produced');
  });

  it.each(['2020年发行的电影', 'films released in 2020'])('%s: tells the date', async question => {
    expect(await ask(question)).toContain('WHERE t.released_on >= $p1');
  });
});
