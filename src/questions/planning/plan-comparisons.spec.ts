import { entities, linked, schema } from '../../../test/support/question-world.js';
import { languageOf } from '../../text/language.js';
import { planGraphQuestion } from './plan-graph-question.js';

const plan = async (question: string) => planGraphQuestion(await linked(question), schema, entities, languageOf(question));

describe('comparisons of two named things', () => {
  it.each([
    ['Is Chai more expensive than Chang?', 'Chai', 'ORDER BY 单价 DESC'],
    ['Is Chang cheaper than Chai?', 'Chang', 'ORDER BY 单价 ASC'],
    ['Chai比Chang贵吗', 'Chai', 'ORDER BY 单价 DESC'],
    ['华东的客户比华南多吗', '华东', 'count(DISTINCT n1) AS n ORDER BY n DESC'],
    ['德国的客户比中国多吗', '德国', 'count(DISTINCT t) AS n ORDER BY n DESC'],
  ])('%s: wants to know whether %s comes first', async (question, first, order) => {
    expect(await plan(question)).toMatchObject({ shape: { whether: true, first }, top: 2, cypher: expect.stringContaining(order) });
  });

  it.each(['华东的客户多还是华南的客户多', '华东和华南哪个地区的客户多'])('%s: asks which', async question => {
    expect(await plan(question)).toMatchObject({ shape: { whether: false, first: null, kind: 'rank' }, top: 1 });
  });

  it.each([
    'Which customers have more orders than Alfreds?',
    'Are the products of Chai more expensive than Exotic?',
    '德国客户的订单比中国客户的多吗',
    'Chai is more expensive than Chang',
  ])('%s: is refused rather than read as something else', async question => {
    expect(await plan(question)).toHaveProperty('reason');
  });
});

describe('counts and averages over a relation', () => {
  it.each([
    ['下单超过20次的客户', 'WITH t, count(DISTINCT r1) AS n WHERE n > $p1'],
    ['customers with 20 or more orders', 'WITH t, count(DISTINCT n1) AS n WHERE n >= $p1'],
    ['每个客户各有多少订单', 'RETURN t, count(DISTINCT n1) AS n'],
    ['每个供应商的平均单价', 'WITH DISTINCT t, n1 WHERE n1.单价 IS NOT NULL RETURN t, avg(n1.单价)'],
    ['top 2 suppliers by average unit price', 'RETURN t, avg(n1.单价) AS `average unit price` ORDER BY `average unit price` DESC'],
    ['What is the average unit price per product?', 'MATCH (t:产品) RETURN avg(t.单价)'],
  ])('%s', async (question, cypher) => {
    expect(await plan(question)).toMatchObject({ cypher: expect.stringContaining(cypher) });
  });

  it('takes as many as a number before the noun says', async () => {
    expect(await plan('seven products with the highest unit price')).toMatchObject({ top: 7 });
  });

  it('does not average over a way of several relations', async () => {
    expect(await plan('每个客户的平均单价')).toHaveProperty('reason');
  });
});
