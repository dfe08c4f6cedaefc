import { type Client, startTestApp, type TestApp } from './support/app.js';
import { displays } from './support/displays.js';
import { createTradingGraph, type TradingGraph } from './support/trading-graph.js';
import { everyNth } from './support/tier.js';

describe('follow-up questions', () => {
  let test: TestApp;
  let graph: TradingGraph;
  let owner: Client;
  beforeAll(async () => {
    test = await startTestApp();
    owner = await test.asUser('follower');
    graph = await createTradingGraph(test, owner);
  });
  afterAll(() => test.close());

  const send = (body: object) => owner.post(`/api/graphs/${graph.id}/query`).send({ include: ['plan'], ...body });
  const ask = async (question: string, more: object = {}) => (await send({ question, ...more }).expect(200)).body;

  it.each(
    everyNth(
      [
        ['华东的客户有哪些', '那华南呢？', '华南的客户有哪些'],
        ['Which customers are in 华东?', 'And in 华南?', 'Which customers are in 华南?'],
        ['德国有多少客户', '中国呢', '中国有多少客户'],
        ['Exotic Liquids供应哪些产品', 'Tokyo Traders呢', 'Tokyo Traders供应哪些产品'],
        ['How many orders were there?', 'And in 2024?', 'How many orders were there in 2024?'],
        ['有多少订单', '2024年呢', '2024年有多少订单'],
        ['Which customers are in 华东?', 'What about 华南?', 'Which customers are in 华南?'],
        ['德国有多少客户', '那只看中国呢', '中国有多少客户'],
        ['哪些产品的单价大于18', '大于30的呢', '哪些产品的单价大于30'],
        ['Which products have a unit price over 18?', 'And over 30?', 'Which products have a unit price over 30?'],
        ['单价最高的产品是哪个', '那最低的呢', '单价最低的产品是哪个'],
      ],
      3,
    ),
  )('%s, then %s', async (first, then, whole) => {
    const earlier = await ask(first);
    const { rows, plan, warnings } = await ask(then, { context: { query_id: earlier.query_id } });
    const expected = await ask(whole);
    expect(expected.plan.kind).toBe('cypher');
    expect({ rows, cypher: plan.cypher }).toEqual({ rows: expected.rows, cypher: expected.plan.cypher });
    expect(warnings[0]).toContain(plan.read_as);
  });

  it.each([
    ['Exotic Liquids，它供应哪些产品', 'Exotic Liquids供应哪些产品'],
    ['Exotic Liquids, which products does it supply?', 'Which products does Exotic Liquids supply?'],
    ['The supplier Exotic Liquids: what products does it supply?', 'Which products does Exotic Liquids supply?'],
  ])('%s: a pronoun stands for what is named first, apart', async (question, whole) => {
    const [{ rows, plan }, expected] = [await ask(question), await ask(whole)];
    expect(expected.plan.kind).toBe('cypher');
    expect({ rows, cypher: plan.cypher }).toEqual({ rows: expected.rows, cypher: expected.plan.cypher });
  });

  it('goes on from a follow-up', async () => {
    const first = await ask('德国有多少客户');
    const second = await ask('中国呢', { context: { query_id: first.query_id } });
    const third = await ask('德国呢', { context: { query_id: second.query_id } });
    expect([third.rows, third.plan.cypher]).toEqual([first.rows, first.plan.cypher]);
  });

  it.each([
    ['华东的客户有哪些', '他们下了哪些订单', '华东的客户下了哪些订单'],
    ['Which customers are in 华东?', 'Which orders did they place?', 'Which orders did customers in 华东 place?'],
    ['Exotic Liquids供应哪些产品', '其中单价最高的是哪个', null],
  ])('%s, then %s: stands for all that was found', async (first, then, whole) => {
    const earlier = await ask(first);
    const { rows, warnings, plan } = await ask(then, { context: { query_id: earlier.query_id } });
    expect(plan.kind).toBe('cypher');
    expect(warnings[0]).toContain(displays(earlier.rows)[0]);
    if (whole === null) expect(displays(earlier.rows)).toContain(displays(rows)[0]);
    else expect(displays(rows).sort()).toEqual(displays((await ask(whole)).rows).sort());
  });

  it('limits a count to what was found', async () => {
    const earlier = await ask('Exotic Liquids供应哪些产品');
    const all = displays(earlier.rows);
    const some = await ask('其中哪些单价大于18.5', { context: { query_id: earlier.query_id } });
    const dear = displays((await ask('单价大于18.5的产品有哪些')).rows);
    expect(displays(some.rows).sort()).toEqual(all.filter(name => dear.includes(name)).sort());
    expect(dear.length).toBeGreaterThan(some.rows.length);
  });

  it('takes the text of the earlier question too', async () => {
    const { rows } = await ask('中国呢', { context: { question: '德国有多少客户' } });
    expect(rows).toEqual((await ask('中国有多少客户')).rows);
  });

  it('is read as it stands where it says all', async () => {
    const earlier = await ask('德国有多少客户');
    const { rows, warnings } = await ask('中国有多少客户', { context: { query_id: earlier.query_id } });
    expect([rows, warnings]).toEqual([(await ask('中国有多少客户')).rows, []]);
  });

  it('says that it is read on its own where it names nothing', async () => {
    const earlier = await ask('Chai的供应商是谁');
    const { warnings } = await ask('单价是多少', { context: { query_id: earlier.query_id } });
    expect(warnings).toContainEqual(expect.stringContaining('单独理解'));
  });

  it.each(['他们下了哪些订单', 'Which orders did they place?', '其中哪些来自德国'])(
    '%s is refused without what it follows',
    async question => {
      const { plan, warnings } = await ask(question);
      expect([plan.kind, warnings[0]]).toEqual(['search', expect.stringMatching(/context/)]);
    },
  );

  it.each(
    everyNth(
      [
        ['华东的客户有哪些', '海苔呢'],
        ['有多少客户', '它的单价是多少'],
        ['有多少客户', '他们下了哪些订单'],
        ['华东的客户有哪些', '他们买过Chai吗'],
        ['华东的客户有哪些', '他们的销售额是多少'],
        ['华东的客户有哪些', 'Which products did they both order?'],
        ['华东的客户有哪些', 'Which of them did they know?'],
      ],
      3,
    ),
  )('%s, then %s is refused', async (first, then) => {
    const earlier = await ask(first);
    expect((await ask(then, { context: { query_id: earlier.query_id } })).plan.kind).toBe('search');
  });

  it('refuses an id that is not of a question of the graph', async () => {
    const { body } = await send({ cypher: 'MATCH (n) RETURN n LIMIT 1' }).expect(200);
    const ids = [body.query_id, 2_000_000_000];
    for (const query_id of ids) {
      const refused = await send({ question: '中国呢', context: { query_id } }).expect(422);
      expect(refused.body.detail.errors[0]).toMatchObject({ loc: ['body', 'context', 'query_id'], type: 'query_not_found' });
    }
    for (const context of [{}, { query_id: 1, question: 'x' }])
      expect((await send({ question: '中国呢', context }).expect(422)).body.detail.errors[0]).toMatchObject({ loc: ['body', 'context'] });
    await send({ search: '中国', context: { question: 'x' } }).expect(422);
  });
});
