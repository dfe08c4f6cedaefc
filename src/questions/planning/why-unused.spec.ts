import { termsOf } from '../../../test/support/question-world.js';
import { namesValue, whyUnused } from './why-unused.js';

/** Returns the words of the question that a plan leaves out if it uses only `using`. */
const unused = async (question: string, using: Parameters<typeof whyUnused>[1] = {}) => {
  const reason = whyUnused(await termsOf(question), using);
  return reason && [...reason.en.matchAll(/"([^"]*)"/g)].map(([, word]) => word);
};

describe('whyUnused', () => {
  it.each([
    ['产品的单价', ['单价']],
    ['有多少产品', ['有多少']],
    ['产品的平均单价', ['平均', '单价']],
    ['每个客户的订单', ['每个']],
    ['最贵的产品和最便宜的产品', ['最便宜的']],
    ['分别的产品', ['分别']],
  ])('%s: a plan that uses nothing leaves out %j', async (question, words) => {
    expect(await unused(question)).toEqual(words);
  });

  it('returns nothing when all words are used', async () => {
    expect(await unused('产品的单价', { property: () => true })).toBeNull();
    expect(await unused('有多少产品', { counts: true })).toBeNull();
    expect(await unused('产品的平均单价', { property: () => true, aggregate: true })).toBeNull();
    expect(await unused('分别的产品', { lists: true })).toBeNull();
    const { groups } = await termsOf('每个客户的订单');
    const terms = await termsOf('每个客户的订单');
    expect(whyUnused({ ...terms, groups }, { groups })).toBeNull();
  });

  it.each(['国家是德国的客户', 'products supplied by Exotic', '按单价排名前3的产品'])(
    '%s: counts words as used that only explain others',
    async question => {
      expect(await unused(question, { property: ({ mention }) => question.startsWith('按') && mention.text === '单价' })).toBeNull();
    },
  );

  it('takes 多少 after a property as a question for its value', async () => {
    expect(await unused('Chai的单价是多少', { property: () => true })).toBeNull();
    expect(await unused('单价是多少产品', { property: () => true })).toEqual(['多少']);
  });
});

describe('namesValue', () => {
  it.each([
    ['国家是德国的客户', true],
    ['单价和德国的客户', false],
  ])('%s: %s', async (question, is) => {
    const terms = await termsOf(question);
    expect(namesValue(terms, terms.properties[0]!)).toBe(is);
  });
});
