import {
  aWorld,
  chineseLabel,
  edge,
  entities as nodes,
  linked,
  namedLabel,
  schema as trading,
} from '../../../test/support/question-world.js';
import { languageOf } from '../../text/language.js';
import { type GraphPlan } from './question-plan.js';
import { planGraphQuestion } from './plan-graph-question.js';

const { plan } = aWorld({
  labels: [chineseLabel('用户', ['user'], []), chineseLabel('城市', ['city'], [])],
  edges: [edge('推荐', 'REFERRED', '用户', '用户'), edge('居住', 'LIVES_IN', '用户', '城市')],
  toOne: { outgoing: [], incoming: [] },
  names: { 用户: ['李雷', 'Jim'] },
});

describe('planGraphQuestion', () => {
  const planTrading = async (question: string) => planGraphQuestion(await linked(question), trading, nodes, languageOf(question));

  it.each([
    ['谁推荐了李雷？', '用户<-[推荐]-用户'],
    ['李雷推荐了谁？', '用户-[推荐]->用户'],
    ['Who referred Jim?', '用户<-[推荐]-用户'],
    ['推荐了李雷的用户', '用户<-[推荐]-用户'],
    ['谁向李雷推荐', '用户<-[推荐]-用户'],
    ['被李雷推荐的用户', '用户-[推荐]->用户'],
    ['users referred by Jim', '用户-[推荐]->用户'],
    ['Who was Jim referred by?', '用户<-[推荐]-用户'],
  ])('%s: follows a relation of a label with itself as the voice of the verb says, and not to the named node', async (question, path) => {
    const planned = await plan(question);
    expect(planned).toMatchObject({ paths: [{ path }, ...Array(7).fill({})], cypher: expect.stringContaining('t <> n1') });
  });

  it('does not guess who is ranked by a relation of a label with itself', async () => {
    expect(await plan('推荐最多的用户')).toMatch(/^refused/);
  });

  it('denies what is named beside a thing of its kind of what is asked for, not of the node on the way', async () => {
    const { cypher } = (await planTrading('Which customers placed Chai but not Chang?')) as GraphPlan;
    expect(cypher).toMatch(/NOT EXISTS \{ MATCH \(t:客户\)-\[:下单\]->\(n\d:订单\)-\[:包含\]->\(n\d:产品\)/);
  });

  it('reads an event that has not happened as a date that is missing or after today', async () => {
    const dated = { name: '发货日期', type: 'date', column: 'shipped_date' };
    const labels = trading.labels.map(each => (each.name === '订单' ? { ...each, properties: [...each.properties, dated] } : each));
    const shipping = { ...trading.edges[0], type: 'SHIPPED', aliases: ['发货'], sourceLabel: '地区', targetLabel: '订单', properties: [], rowCount: 9 }; // prettier-ignore
    const own = { ...trading, labels, edges: [...trading.edges, shipping] };
    for (const question of ['没有发货的订单', 'orders not shipped'])
      expect(await planGraphQuestion(await linked(question, own), own, nodes, languageOf(question))).toMatchObject({
        cypher: 'MATCH (t:订单) WHERE (t.发货日期 IS NULL OR t.发货日期 >= $p1) RETURN DISTINCT t',
        parameters: { p1: '2026-11-21' },
      });
  });

  it('goes there and back for what shares a relation, as co- says', async () => {
    const planned = await plan('who co-lives with Jim');
    expect(planned).toMatchObject({ cypher: expect.stringContaining('(t:用户)-[r1:居住]->(n1:城市)<-[r2:居住]-(n2:用户)') });
    expect(await plan('the cities co-lived by Jim')).toMatch(/^refused/);
  });

  it('knows where one answer is expected, and where a relation was guessed', async () => {
    expect(await planTrading('When was the order of Alfreds placed?')).toMatchObject({ wantsOne: true, isGuessed: false });
    expect(await planTrading('Which customers in 华东 bought Chai?')).toMatchObject({ wantsOne: false, isGuessed: true });
  });

  it('answers by a relation between two labels', async () => {
    expect(await plan('李雷居住的城市')).toMatchObject({ cypher: expect.stringContaining('居住') });
  });

  it.each([
    ['华东的客户', 'list', 'RETURN DISTINCT t'],
    ['华东有多少客户', 'count', 'RETURN count(DISTINCT t) AS 数量'],
    ['每个类别的产品数', 'group', 'RETURN t.类别 AS 类别, count(DISTINCT t) AS 数量 ORDER BY 数量 DESC, 类别'],
    ['每个客户的订单数', 'group', 'RETURN t, count(DISTINCT n1) AS n ORDER BY n DESC'],
    ['产品的平均单价', 'aggregate', 'RETURN avg(t.单价) AS 平均单价'],
    ['Chai的单价', 'property', 'RETURN DISTINCT t, t.单价 AS 单价'],
    ['单价最高的3个产品', 'rank', 'RETURN DISTINCT t, t.单价 AS 单价 ORDER BY 单价 DESC'],
    ['最便宜的产品', 'rank', 'RETURN DISTINCT t, t.单价 AS 单价 ORDER BY 单价 ASC'],
    ['订单最多的客户', 'rank', 'MATCH (t:客户)-[r1:下单]->(n1:订单) RETURN t, count(DISTINCT n1) AS n ORDER BY n DESC'],
    [
      'Which customers placed the most orders?',
      'rank',
      'MATCH (t:客户)-[r1:下单]->(n1:订单) RETURN t, count(DISTINCT n1) AS n ORDER BY n DESC',
    ],
    ['Alfreds', 'entity', 'RETURN DISTINCT t'],
    ['Which countries do our customers come from?', 'list', 'WHERE t.国家 IS NOT NULL RETURN DISTINCT t.国家 AS 国家'],
    ['最近一笔订单是什么时候下的', 'aggregate', 'RETURN max(t.下单日期) AS 最近的下单日期'],
    ['When was the first order placed?', 'aggregate', 'RETURN min(t.下单日期)'],
  ])('%s: asks for a %s', async (question, kind, returns) => {
    expect(await planTrading(question)).toMatchObject({
      shape: { kind },
      cypher: expect.stringContaining(returns),
    });
  });

  it.each([
    ['Which customers placed at least two orders?', '>= $p1', 2],
    ['Which customers placed at most one order?', '<= $p1', 1],
    ['超过三个订单的客户', '> $p1', 3],
    ['不超过三个订单的客户', '<= $p1', 3],
    ['不到三个订单的客户', '< $p1', 3],
    ['Which customers placed exactly two orders?', '= $p1', 2],
    ['恰好有三个订单的客户', '= $p1', 3],
  ])('%s: compares a number of orders', async (question, condition, p1) => {
    expect(await planTrading(question)).toMatchObject({ cypher: expect.stringContaining(`WHERE n ${condition}`), parameters: { p1 } });
  });

  it.each([
    ['单价为0的产品', 0],
    ['哪些产品的单价等于18', 18],
    ['products whose unit price is 0', 0],
    ['products with a unit price equal to 18', 18],
    ['products whose unit price is exactly 18.5', 18.5],
  ])('%s: compares a property', async (question, p1) => {
    expect(await planTrading(question)).toMatchObject({ cypher: expect.stringContaining('WHERE t.单价 = $p1'), parameters: { p1 } });
  });

  it.each([
    '单价不等于18的产品',
    '单价不为0的产品',
    'products whose unit price is not exactly 18',
    'products whose unit price is not 0',
    '单价不是0的产品有哪些',
    "products whose unit price isn't 0",
  ])('%s: is not read as the opposite', async question => {
    expect(await planTrading(question)).toHaveProperty('reason');
  });

  it.each([
    '订单号等于10248的订单的单价',
    '2024年恰好有零个订单的客户',
    'Which customers placed exactly 0 orders in 2024?',
    '下单日期等于2024年的订单',
  ])('%s: is refused rather than compared with something else', async question => {
    const planned = await planTrading(question);
    expect('cypher' in planned ? planned.cypher : '').not.toMatch(/单价 =|n = /);
  });

  it('counts those of which there is none', async () => {
    expect(await planTrading('恰好有零个订单的客户')).toMatchObject({ cypher: expect.stringContaining('OPTIONAL MATCH') });
    expect(await planTrading('恰好有三个订单的客户')).toMatchObject({ cypher: expect.not.stringContaining('OPTIONAL MATCH') });
  });

  it.each(['哪个客户单价最高', '单价最高的客户', '哪个供应商单价最低'])('%s: does not rank others in its place', async question => {
    expect(await planTrading(question)).toHaveProperty('reason');
  });

  it.each([
    'Which customer placed the largest order?',
    '订单最大的客户',
    'Which supplier has the best products?',
    'Which supplier has the worst products?',
    'Which supplier has the newest products?',
    'top 3 customers with orders',
  ])('%s: does not rank by number', async question => {
    expect(await planTrading(question)).toMatchObject({ reason: { en: expect.stringMatching(/^It is not clear by what/) } });
  });

  it.each(['订单数最高的客户', 'Which customer has the highest number of orders?', 'Which customer placed the fewest orders?'])(
    '%s: ranks by number',
    async question => {
      expect(await planTrading(question)).toMatchObject({ shape: { kind: 'rank' }, cypher: expect.stringContaining('count(DISTINCT') });
    },
  );

  it('reports the limits of the answer', async () => {
    expect(await planTrading('2024年不是Alfreds的饮料的订单')).toMatchObject({
      shape: { of: { named: ['饮料'], excluded: ['Alfreds'], times: ['2024年'] } },
    });
  });

  it.each([
    ['没有下过订单的德国客户', { named: ['德国'], conditions: ['没有下过订单'] }],
    ['Which customers never ordered Chai?', { named: [], excluded: [], conditions: ['never ordered chai'] }],
    ['单价大于18的饮料', { conditions: ['单价大于18'] }],
    ['products with a unit price between 10 and 20', { conditions: ['unit price between 10 and 20'] }],
    ['订单数超过20的客户', { conditions: ['订单数超过20'] }],
    ['customers with more than 20 orders', { conditions: ['more than 20 orders'] }],
    ['有订单的客户', { conditions: ['有订单'] }],
  ])('%s: reports the conditions too', async (question, of) => {
    expect(await planTrading(question)).toMatchObject({ shape: { of } });
  });

  it.each(['只有订单的客户', '每月的订单', '每个客户的平均单价', '天气', '产品的平均单价和类别'])(
    '%s: has no plan, and a reason',
    async question => {
      expect(await planTrading(question)).toEqual({ reason: { zh: expect.any(String), en: expect.any(String) } });
    },
  );

  it.each([
    ['Which customers never ordered Chai or Chang?', '不理解'],
    ['没有既买过Chai又买过Chang的客户', '不理解'],
    ['Which customer placed the most orders of Chai?', '限定'],
    ['customers with more than 3 orders of Chai', '限定'],
    ['位于德国或买过Chai的客户', '或'],
    ['Which customers are in 德国 or ordered Chai?', '或'],
    ['products with a unit price over 20 or less than 10', '或'],
    ['Chai是最贵的产品吗？', '是否'],
    ['所有客户都在德国吗？', '是否'],
    ['Are all customers in 德国?', '是否'],
    ['Did Alfreds order Chai and Chang?', '分开问'],
    ['除了Chai还购买过Chang的客户', '除了'],
  ])('%s: is refused rather than read as something else', async (question, reason) => {
    expect(await planTrading(question)).toMatchObject({ reason: { zh: expect.stringContaining(reason) } });
  });

  it.each(['买过Chai或Chang的客户', '2023年或2024年的订单', 'orders on or after 2023-07-01', 'Did Alfreds order Chai?', 'Chai的订单数'])(
    '%s: is answered in Cypher',
    async question => {
      expect(await planTrading(question)).toHaveProperty('cypher');
    },
  );

  describe('given a value with two properties', () => {
    const { ask } = aWorld({
      labels: [namedLabel('Flight', [], [['origin', 'string'], ['destination', 'string']])],
      edges: [],
      toOne: { outgoing: [], incoming: [] },
      names: {},
      values: { Flight: { origin: ['Paris', 'Rome'], destination: ['Paris', 'Rome'] } },
    }); // prettier-ignore

    it.each([
      ['flights whose destination is Paris', 't.destination = $p1'],
      ['flights with origin Rome', 't.origin = $p1'],
      ['flights whose destination is Paris or Rome', 't.destination IN $p1'],
      ['flights with Paris as their destination', 't.destination = $p1'],
    ])('%s: takes the property named beside it', async (question, condition) => {
      expect(await ask(question)).toContain(condition);
    });

    it.each(['flights to Paris', 'How many flights not from Rome?'])('%s: does not guess', async question => {
      expect(await ask(question)).toMatch(/^refused: .*may be a value of origin or destination/);
    });
  });

  it('refuses a choice that nothing in the question matches', async () => {
    const token = Buffer.from(JSON.stringify(['node', '地区', 'W'])).toString('base64url');
    const planned = async (choices: string[]) => planGraphQuestion(await linked('华东的客户'), trading, nodes, 'zh', { choices });
    expect(await planned([token])).toMatchObject({ reason: { en: expect.stringContaining('"地区 W"') } });
    expect(await planned([Buffer.from(JSON.stringify(['node', '地区', 'E'])).toString('base64url')])).toHaveProperty('cypher');
  });

  it('asks which of two nodes with one name is excluded', async () => {
    const question = await linked('没有购买过Chai的客户');
    const mentions = question.mentions.map(mention => ({
      ...mention,
      meanings: mention.meanings.map(meaning =>
        meaning.as === 'entity' ? { ...meaning, nodes: [...meaning.nodes, { id: 5, label: '产品' }] } : meaning,
      ),
    }));
    expect(await planGraphQuestion({ ...question, mentions }, trading, nodes, 'zh')).toHaveProperty('choices.length', 2);
  });
});
