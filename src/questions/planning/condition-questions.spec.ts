import { aWorld, edge, namedLabel } from '../../../test/support/question-world.js';

const { ask } = aWorld({
  labels: [
    namedLabel('Book', ['图书'], [['price', 'decimal(10,2)', '价格'], ['pages', 'int', '页数']]),
    namedLabel('Author', ['作者'], [['country', 'string', '国籍']]),
    namedLabel('Publisher', ['出版社'], []),
    namedLabel('Loan', ['借阅'], [['start_date', 'date', '借出日期', '开始日期'], ['end_date', 'date', '归还日期']]),
    namedLabel('Doctor', ['医生'], [['hired_on', 'date', '入职日期']]),
    namedLabel('Visit', ['就诊'], [['fee', 'int', '费用']]),
    namedLabel('Patient', ['病人'], []),
    namedLabel('Drug', ['药品'], [['price', 'decimal(10,2)', '价格']]),
  ],
  edges: [
    edge('written_by', ['撰写'], 'Book', 'Author'),
    edge('published_by', ['由出版'], 'Book', 'Publisher'),
    edge('loan_of', ['借出图书'], 'Loan', 'Book'),
    edge('treated_by', ['接诊医生'], 'Visit', 'Doctor'),
    edge('visit_of', ['就诊人'], 'Visit', 'Patient'),
    edge('prescribed', ['开具'], 'Visit', 'Drug'),
  ],
  toOne: { outgoing: ['published_by', 'loan_of', 'treated_by', 'visit_of'], incoming: [] },
  names: { Book: ['Dune', 'Emma'], Author: ['Jane Austen'], Publisher: ['Penguin'], Patient: ['Tom Reed'], Loan: [], Doctor: [], Visit: [], Drug: [] },
  values: { Author: { country: ['France'] } },
}); // prettier-ignore

describe('two verbs with two times', () => {
  it.each(['2025年借出、2026年归还的借阅', '2025年借出并在2026年归还的借阅', '2025年借出2026年归还的借阅'])(
    '%s: are no alternatives',
    async question => {
      expect(await ask(question)).toMatch(/^refused: It is not clear how/);
    },
  );

  it.each([
    '借出日期在2025年、归还日期在2026年的借阅',
    '借出日期在2025年，归还日期在2026年的借阅',
    'loans starting in 2025 and ending in 2026',
    'loans with start date in 2025; end date in 2026',
  ])('%s: limit each date', async question => {
    expect(await ask(question)).toContain('t.start_date >= $p1 AND t.start_date < $p2 AND t.end_date >= $p3 AND t.end_date < $p4');
  });

  it.each(['2025年和2026年归还的借阅', '2025年借阅和2026年借阅'])('%s: one verb has alternatives', async question => {
    expect(await ask(question)).toContain(' OR ');
  });

  it('are asked for with a time each', async () => {
    expect(await ask('loans started and ended in 2025')).toMatch(/^refused: /);
  });
});

describe('a ranking behind the object of its verb', () => {
  it.each([
    'Which doctor treated Tom Reed last?',
    'doctors hired in 2020 who treated Tom Reed last',
    'which doctor treated Tom Reed first?',
  ])('%s: does not go by another date', async question => {
    expect(await ask(question)).toMatch(/^refused: The relation "treated" has no date/);
  });

  it('goes by the only date beside a label', async () => {
    expect(await ask('the doctor hired last')).toContain('ORDER BY hired_on DESC');
  });
});

describe('conditions', () => {
  it.each([
    'books by authors from France',
    'books by authors in France',
    'visits costing more than 100',
    'which visits cost more than 100',
    'the price of Dune, and its author',
    'who wrote Dune and who published it',
    'which author wrote Dune and which publisher published it',
  ])('%s: are refused if their place is unclear', async question => {
    expect(await ask(question)).toMatch(/^refused: /);
  });

  it.each([
    ['number of books by author', 'count(DISTINCT n1)'],
    ['books written by authors from France', 't:Book'],
    ['drugs costing more than 100', 't.price > $p1'],
    ['the price of Dune and its pages', 't.pages AS pages'],
    ['all books but Dune', 'WHERE NOT (t.number = $p1)'],
    ['all books but those by Penguin', 'WHERE NOT (n1.number = $p1)'],
    ['books ending in "e"', 'ENDS WITH'],
    ['费用1到5元', 't.fee >= $p1 AND t.fee <= $p2'],
    ['价格1-5元且页数大于100的图书', 't.price >= $p2 AND t.price <= $p3'],
    ['价格100元到200元的图书', 't.price >= $p1 AND t.price <= $p2'],
  ])('%s: %s', async (question, part) => {
    expect(await ask(question)).toContain(part);
  });
});

describe('a verb that also names a relation', () => {
  const films = aWorld({
    labels: [namedLabel('Film', ['电影'], [['released_on', 'date', '上映日期']]), namedLabel('Person', ['人'], [['born_on', 'date', '出生日期']]), namedLabel('Company', ['公司'], [['founded_on', 'date', '成立日期']])],
    edges: [edge('导演', ['directed'], 'Person', 'Film'), edge('发行', ['distributed'], 'Company', 'Film')],
    toOne: { outgoing: [], incoming: [] },
    names: { Film: [], Person: ['Anna Lee'], Company: ['Acme'] },
  }); // prettier-ignore

  it.each(['films released in 2020 directed by Anna Lee', 'films released in 2020', '2020年上映的由Anna Lee导演的电影'])(
    '%s: tells the date beside a time',
    async question => {
      expect(await films.ask(question)).toMatch(/t\.released_on >= \$p\d AND t\.released_on < \$p\d/);
    },
  );

  it('names its relation beside a name', async () => {
    expect(await films.ask('films released by Acme')).toContain(':发行]');
  });
});
