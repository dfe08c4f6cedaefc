import { aWorld, edge, namedLabel } from '../../../test/support/question-world.js';

/** Nodes whose names are numbers: in `10 people` the number counts, in `order 10` it is a name. */
const world = aWorld({
  labels: [
    namedLabel('Person', ['people', '人员'], [['score', 'int', '分数']]),
    namedLabel('Customer', ['客户'], []),
    namedLabel('Order', ['订单'], [['amount', 'float', '金额']]),
  ],
  edges: [edge('placed', ['下单'], 'Customer', 'Order')],
  toOne: { outgoing: [], incoming: ['placed'] },
  names: { Person: ['10'], Customer: ['3'], Order: ['10'] },
});
const plan = async (question: string) => {
  const found = await world.plan(question);
  return typeof found === 'string' ? found : [found.cypher, found.top];
};

describe('numbers that count', () => {
  it.each(['the 10 people with the highest score', '10 people with the highest score', 'the ten people with the highest score'])(
    '%s: the first ten',
    async question => {
      expect(await plan(question)).toEqual([
        expect.stringMatching(/^MATCH \(t:Person\) WHERE t.score IS NOT NULL.* ORDER BY score DESC/),
        10,
      ]);
    },
  );

  it.each([
    'Which 3 customers placed the most orders?',
    'Which three customers placed the most orders?',
    '哪3个客户下单最多',
    '哪三个客户下单最多？',
  ])('%s: the first three', async question => {
    expect(await plan(question)).toEqual([expect.stringMatching(/^MATCH \(t:Customer\)-\[r1:placed\]->\(n1:`Order`\) RETURN t, count/), 3]);
  });

  it.each([
    ['10% of people', 'unknown: 10%'],
    ['人员的10%', 'unknown: 10%'],
    ['show 10 people', 'unknown: 10'],
    ['Which 3 customers placed order 10?', 'unknown: 3'],
    ['top 0 orders by amount', 'unknown: top 0'],
    ['金额最高的0个订单', 'unknown: 最高的0个'],
    ['the 0 people with the highest score', 'unknown: 0'],
  ])('%s: %s', async (question, refused) => {
    expect(await plan(question)).toBe(refused);
  });

  it.each(['Who placed order 10', '谁下了10号订单'])('%s: is a name', async question => {
    expect(await plan(question)).toEqual([expect.stringContaining('(n1:`Order`) WHERE n1.number = $p1'), null]);
  });
});
