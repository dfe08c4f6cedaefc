import { aWorld, edge, namedLabel } from '../../../test/support/question-world.js';

/** Books, articles and lines. Employees are related to a line only through its operator. */
const { ask } = aWorld({
  labels: [
    namedLabel('Book', ['书'], []),
    namedLabel('Publisher', ['出版社'], [['founded', 'date']]),
    namedLabel('Author', ['作者'], [['birth_date', 'date']]),
    namedLabel('Reader', ['读者'], []),
    namedLabel('Article', ['文章'], []),
    namedLabel('Line', ['线路'], [['opened', 'date']]),
    namedLabel('Operator', ['运营商'], []),
    namedLabel('Employee', ['员工'], []),
  ],
  edges: [
    edge('published_by', ['出版'], 'Book', 'Publisher'),
    edge('written_by', ['作者是'], 'Book', 'Author'),
    edge('saved', ['收藏'], 'Reader', 'Article'),
    edge('viewed', ['浏览'], 'Reader', 'Article'),
    edge('shared', ['分享'], 'Reader', 'Article'),
    edge('operates', ['运营'], 'Operator', 'Line'),
    edge('employs', ['雇用'], 'Operator', 'Employee'),
  ],
  toOne: { outgoing: ['published_by', 'written_by'], incoming: ['operates', 'employs'] },
  names: { Book: ['Emma Stone'], Publisher: ['Foxglove'], Reader: ['Tom Hall', 'Ann Lee'], Article: ['On Trains'], Line: ['Line Seven', '七号线'] },
}); // prettier-ignore

const byTom = 'AND NOT EXISTS { MATCH (t:Article)<-[:viewed]-(n2:Reader) WHERE n2.number = $p2 }';

describe('questions about a press', () => {
  it.each([
    ['Which articles did Tom Hall save but not view?', byTom],
    ['Tom Hall收藏但没有浏览的文章', byTom],
    ['articles saved by Tom Hall but not viewed by Tom Hall', byTom],
    ['articles saved by Tom Hall but not viewed', byTom],
    ['Which articles were saved by Tom Hall but never viewed?', byTom],
    ['被Tom Hall收藏但没有浏览的文章', byTom],
    ['articles that were saved but not viewed', 'NOT EXISTS { MATCH (t:Article)<-[:viewed]-(n1:Reader) }'],
  ])('%s: denies what the named reader does', async (question, cypher) => {
    expect(await ask(question)).toContain(cypher);
  });

  it.each([
    'articles saved but not viewed by Tom Hall',
    'articles saved by Tom Hall but not viewed and not shared',
    'articles saved by Tom Hall and Ann Lee but not viewed',
    'articles saved by Tom Hall or Ann Lee but not viewed',
    'Which readers saved but did not view On Trains?',
    'readers who saved but never viewed On Trains',
    'articles viewed and saved by Tom Hall',
    'Tom Hall收藏并浏览的文章',
  ])('%s: asks to name the thing with each verb', async question => {
    expect(await ask(question)).toMatch(/^refused: Name ".*" with each of/);
  });

  // A pattern that tries to match from each space of a long run takes minutes here.
  it('reads a long run of spaces between two verbs once', async () => {
    expect(await ask(`articles saved${' '.repeat(3_900)}xx viewed by Tom Hall`)).toMatch(/^(?:unknown|refused)/);
    expect(await ask(`articles saved${' '.repeat(3_900)}and viewed by Tom Hall`)).toMatch(/^refused: Name ".*" with each of/);
  });

  it('refuses a pronoun that limits what is denied', async () => {
    expect(await ask('readers who saved On Trains but did not view it')).toContain('the negation "not" is not understood');
  });

  it.each(['When was Emma Stone published?', 'Emma Stone是什么时候出版的', 'When did Foxglove publish Emma Stone?'])(
    '%s: takes no date of the publisher',
    async question => {
      expect(await ask(question)).toContain('has no date');
    },
  );

  it.each([
    ['七号线是谁运营的', '(t:Operator)-[r1:operates]->(n1:Line)'],
    ['谁运营七号线', '(t:Operator)-[r1:operates]->(n1:Line)'],
    ['Who operates Line Seven?', '(t:Operator)-[r1:operates]->(n1:Line)'],
    ['Line Seven is operated by whom?', '(t:Operator)-[r1:operates]->(n1:Line)'],
    ['Who published Emma Stone?', '(t:Publisher)<-[r1:published_by]-(n1:Book)'],
  ])('%s: asks for the doer, though other persons are behind it', async (question, pattern) => {
    expect(await ask(question)).toContain(pattern);
  });
});
