import { loans } from '../../../test/support/loan-world.js';
import { aWorld, edge, namedLabel } from '../../../test/support/question-world.js';

const { ask, plan } = loans;

describe('events of a date', () => {
  it.each(['Loans that have not ended', '没有结束的借展', '未结束的借展有哪些'])(
    '%s: the date is missing or after today',
    async question => {
      expect(await plan(question)).toMatchObject({
        cypher: expect.stringContaining('WHERE (t.end_date IS NULL OR t.end_date >= $p1)'),
        parameters: { p1: '2026-11-21' },
      });
    },
  );

  it.each(['Loans that have ended', 'How many loans have ended?', '已结束的借展', '已经结束的借展有多少'])(
    '%s: the date is today or before',
    async question => {
      expect(await plan(question)).toMatchObject({
        cypher: expect.stringContaining('WHERE t.end_date < $p1'),
        parameters: { p1: '2026-11-21' },
      });
    },
  );

  it.each(['loans without an end date', '结束日期为空的借展'])('%s: the date is missing', async question => {
    expect(await ask(question)).toContain('WHERE t.end_date IS NULL');
  });
});

describe('several times', () => {
  it.each([
    'Loans that started in 2025 and ended in 2026',
    '开始日期在2025年且结束日期在2026年的借展',
    '2025年开始且2026年结束的借展',
    '2025年开始并在2026年结束的借展',
  ])('%s: each time limits the date beside it', async question => {
    expect(await plan(question)).toMatchObject({
      cypher: expect.stringContaining('WHERE t.start_date >= $p1 AND t.start_date < $p2 AND t.end_date >= $p3 AND t.end_date < $p4'),
      parameters: { p1: '2025-01-01', p2: '2026-01-01', p3: '2026-01-01', p4: '2027-01-01' },
    });
  });

  it.each([
    '2025年开始或2026年结束的借展',
    '2025年开始的借展和2026年结束的借展有多少',
    'Loans that started in 2025 or ended in 2026',
    '2025年且2026年开始的借展',
  ])('%s: is refused, since no loan need meet both', async question => {
    expect(await ask(question)).toMatch(/^refused: (?:It is not clear how|.* may be of several dates|The parts that "or" joins)/);
  });

  it.each(['Loans that started in 2024 or 2025', '开始日期在2024年或2025年的借展'])('%s: limits one date', async question => {
    expect(await ask(question)).not.toContain('end_date');
  });
});

describe('rankings of one end of a relation', () => {
  it.each(['哪个借出馆的借展最多', '借出馆中借展最多的是哪个', '借展最多的借出馆'])('%s: ranks the museums', async question => {
    expect(await ask(question)).toContain('MATCH (t:Museum)<-[r1:loaned_from]-(n1:Loan) RETURN t, count(DISTINCT n1) AS n');
  });
});

describe('two questions in one', () => {
  it.each([
    ['How many museums are there and how many are public?', 'how many'],
    ['How many museums and how many in Kyoto?', 'how many'],
    ['有多少博物馆，其中公立的有多少', '有多少'],
    ['How many museums are there, and which are public?', 'which'],
    ['有多少博物馆，哪些是公立的', '哪些'],
  ])('%s: is refused', async (question, word) => {
    expect(await ask(question)).toBe(`refused: A question is for one number; ask for the part with "${word}" apart`);
  });

  it.each(['公立的博物馆有多少', 'How many museums are public?', '文物数量有多少', 'Jade Cup的重量是多少，估价是多少'])(
    '%s: is answered',
    async question => {
      expect(await ask(question)).toMatch(/^MATCH/);
    },
  );
});

describe('kinds of a thing', () => {
  it.each([
    ['Was Jade Cup ever a museum?', 'Museum'],
    ['Has Jade Cup ever been a museum?', 'Museum'],
    ['Jade Cup曾经是博物馆吗', 'Museum'],
    ['Is Jade Cup currently an artifact?', 'Artifact'],
  ])('%s: asks for the label', async (question, of) => {
    expect(await ask(question)).toBe(`MATCH (t:Artifact) WHERE t.number = $p1 RETURN t, t:${of} AS ${of}`);
  });

  it.each([
    ['Is the museum Museum an artifact?', 'refused: It is not clear which "museum" is meant; write its name in quotes'],
    ['Is the museum Jade Cup an artifact?', 'refused: No "museum" has the name "jade cup"'],
    ['博物馆Jade Cup是文物吗', 'refused: No "博物馆" has the name "jade cup"'],
  ])('%s: is refused and not answered along a relation', async (question, refused) => {
    expect(await ask(question)).toBe(refused);
  });

  it.each(['Is the artifact Jade Cup a museum?', 'Is the museum Harbor Museum public?'])('%s: is answered', async question => {
    expect(await ask(question)).toMatch(/^MATCH/);
  });
});

describe('values of a property', () => {
  it.each(['有多少种类别', '文物有多少种类别', '类别有多少种', 'How many categories are there?', 'How many categories do artifacts have?'])(
    '%s: counts the different values',
    async question => {
      expect(await ask(question)).toMatch(/^MATCH \(t:Artifact\) RETURN count\(DISTINCT t\.category\) AS (?:数量|count)$/);
    },
  );

  it.each(['玉器有多少', 'Jade Cup的估价是多少'])('%s: counts no values', async question => {
    expect(await ask(question)).not.toContain('count(DISTINCT t.');
  });
});

describe('lists in an order', () => {
  it.each(['museums by number of artifacts', 'Museums by the number of artifacts'])('%s: counts nothing instead', async question => {
    expect(await ask(question)).toMatch(/^refused: It is not clear how "by (?:the )?number of" orders the answer/);
  });

  it.each(['number of artifacts by museum', 'top 3 museums by number of artifacts'])('%s: counts for each', async question => {
    expect(await ask(question)).toContain('RETURN t, count(DISTINCT n1) AS n ORDER BY n DESC');
  });

  it.each(['Sort museums by floor area', 'museums by floor area'])('%s: is ordered by the property', async question => {
    expect(await ask(question)).toBe('MATCH (t:Museum) RETURN DISTINCT t, t.`floor area` AS `floor area` ORDER BY `floor area`, t.name');
  });

  it.each([
    'museums sorted by floor area in descending order',
    'museums by floor area, largest first',
    'list museums in descending order of floor area',
    '博物馆按面积从高到低排序',
    '按面积降序排列的博物馆',
    '博物馆面积从大到小',
  ])('%s: begins with the highest value', async question => {
    expect(await ask(question)).toBe(
      'MATCH (t:Museum) RETURN DISTINCT t, t.`floor area` AS `floor area` ORDER BY `floor area` IS NULL, `floor area` DESC, t.name',
    );
  });

  it.each(['museums sorted by floor area', 'museums by floor area from low to high', '按面积排序的博物馆', '博物馆按面积升序'])(
    '%s: begins with the lowest value',
    async question => {
      expect(await ask(question)).toBe('MATCH (t:Museum) RETURN DISTINCT t, t.`floor area` AS `floor area` ORDER BY `floor area`, t.name');
    },
  );

  it.each([
    'artifacts sorted by museum',
    'museums in descending order',
    '博物馆降序',
    '各类别的文物数量从低到高',
    'artifacts in alphabetical order',
  ])('%s: is refused, because the order is not one of a property', async question => {
    expect(await ask(question)).toMatch(/^(?:refused|unknown): .*(?:sorted|descending order|降序|从低到高|alphabetical)/);
  });

  it('is ordered by name if nothing is said', async () => {
    expect(await ask('museums in Kyoto')).toContain('ORDER BY t.name');
  });
});

describe('events that have happened', () => {
  it.each([
    '每个博物馆有多少已结束的借展',
    'Which museum has the most loans that have ended?',
    'loans of 2025 from museums in Kyoto that have ended',
    'Who has published papers?',
  ])('%s: is refused where the event would limit nothing', async question => {
    expect(await ask(question)).toMatch(/^(refused|unknown): /);
  });

  it.each([
    ['loans that have ended', 't.end_date < $p1'],
    ['已结束的借展', 't.end_date < $p1'],
    ['2025年已结束的借展', 't.end_date >= $p1 AND t.end_date < $p2'],
    ['papers that have not been published', '(t.published_on IS NULL OR t.published_on >= $p1) RETURN'],
    ['papers that have never been published', '(t.published_on IS NULL OR t.published_on >= $p1) RETURN'],
  ])('%s: are limited once', async (question, condition) => {
    expect(await ask(question)).toContain(condition);
  });

  it('are not limited to today by a ranking of their dates', async () => {
    expect(await ask('the loan that started last')).not.toContain('<');
  });
});

describe('prepositions that tell a direction', () => {
  it.each([
    ['artifacts to Harbor Museum', 'to'],
    ['artifacts under Harbor Museum', 'under'],
  ])('%s: is refused if no relation says so', async (question, word) => {
    expect(await ask(question)).toMatch(new RegExp(`^refused: No relation on the way tells what "${word}" means before`));
  });

  it.each([
    ['loans to Harbor Museum', 'loaned_to'],
    ['loans from Harbor Museum', 'loaned_from'],
    ['artifacts in Harbor Museum', 'held_by'],
    ['Harbor Museum的文物', 'held_by'],
  ])('%s: follows the relation that says so', async (question, type) => {
    expect(await ask(question)).toContain(`:${type}]`);
  });

  const others = aWorld({
    labels: [namedLabel('Trip', ['行程'], []), namedLabel('City', ['城市'], []), namedLabel('Member', ['会员'], []), namedLabel('Book', ['书'], [])],
    edges: [
      edge('visits', ['游览'], 'Trip', 'City'),
      edge('starts_from', ['出发于'], 'Trip', 'Member'),
      edge('borrowed_by', ['借阅人'], 'Book', 'Member'),
      edge('written_by', ['作者'], 'Book', 'City'),
      edge('lives_in', ['住在'], 'Member', 'City'),
    ],
    toOne: { outgoing: ['visits'], incoming: [] },
    names: { City: ['Paris'], Member: ['Anna Stone'] },
  }); // prettier-ignore

  it.each([
    ['trips to Paris', '(t:Trip)-[r1:visits]->(n1:City)'],
    ['How many trips to Paris were there?', '(t:Trip)-[r1:visits]->(n1:City)'],
    ['members with trips to Paris', '(n1:Trip)-[r2:visits]->(n2:City)'],
    ['books to Anna Stone', '(t:Book)-[r1:borrowed_by]->(n1:Member)'],
    ['到Paris的行程', '(t:Trip)-[r1:visits]->(n1:City)'],
  ])('%s: follows the only relation, whose names tell no direction', async (question, path) => {
    expect(await others.ask(question)).toContain(path);
  });

  it.each(['trips to Anna Stone', 'trips to member "Anna Stone"', 'books to Paris'])(
    '%s: is refused if the relation tells the opposite direction',
    async question => {
      expect(await others.ask(question)).toMatch(/^refused: No relation on the way tells what "to" means before/);
    },
  );

  it.each([
    ['trips to and from Paris', 'to and from'],
    ['到和从Paris的行程', '到和从'],
  ])('%s: is refused for two directions', async (question, words) => {
    expect(await others.ask(question)).toBe(`refused: "${words}" are two directions of "paris"; ask for each apart`);
  });
});
