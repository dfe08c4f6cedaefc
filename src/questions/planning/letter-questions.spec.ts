import { cypherOf, planOver } from '../../../test/support/question-world.js';
import { supplies } from '../../../test/support/supply-world.js';

/** Values of one letter, values that are words of English grammar, and values that only a sign tells apart. */
const values = Object.entries({
  等级: [...'ADIMST', 'A-', 'B-'],
  省份: ['江苏', '广东'],
  国家: ['US'],
  行业: ['IT', 'AA', 'AA-', 'P2', 'P2+'],
  语言: ['C++', 'C'],
}).flatMap(([property, all]) => all.map(value => ({ label: '供应商', property, value })));
const world = { ...supplies, values };
const limits = async (question: string) => {
  const plan = await planOver(question, world);
  return typeof plan === 'string' ? plan : [plan.cypher.replace(/ RETURN .*/, ''), Object.values(plan.parameters)];
};

describe('values of one letter', () => {
  it.each([
    ['A等级的供应商有哪些', ['A']],
    ['等级A的供应商', ['A']],
    ['A级供应商有哪些', ['A']],
    ['A类供应商', ['A']],
    ['suppliers with level A', ['A']],
    ['suppliers whose grade is A', ['A']],
    ['grade a suppliers', ['A']],
    ['Grade I suppliers', ['I']],
    ['A suppliers', ['A']],
    ['Which M suppliers are there?', ['M']],
    ['等级为A-的供应商有哪些', ['A-']],
    ['等级A－的供应商', ['A-']],
    ['等级A\u2212的供应商', ['A-']],
    ['suppliers with level A-', ['A-']],
    ['Which suppliers have grade B-?', ['B-']],
  ])('%s: %j', async (question, value) => {
    expect(await limits(question)).toEqual(['MATCH (t:供应商) WHERE t.等级 = $p1', value]);
  });

  it.each([
    ['A、D、S等级的供应商有哪些', ['A', 'D', 'S']],
    ['等级为A或D的供应商', ['A', 'D']],
    ['等级为A-或D的供应商', ['A-', 'D']],
    ['suppliers of grade A or D', ['A', 'D']],
  ])('%s: %j', async (question, all) => {
    expect(await limits(question)).toEqual(['MATCH (t:供应商) WHERE t.等级 IN $p1', [all]]);
  });

  it.each([
    ['宏达轴承的等级是A吗', '编号', '等级', [0, 'A']],
    ['宏达轴承是A级吗', '编号', '等级', [0, 'A']],
    ['Is 宏达轴承 level A?', '编号', '等级', [0, 'A']],
    ['广东有没有T等级的供应商', '省份', '等级', ['广东', 'T']],
    ['Grade S suppliers in 江苏', '等级', '省份', ['S', '江苏']],
  ])('%s: %s and %s', async (question, first, second, both) => {
    expect(await limits(question)).toEqual([`MATCH (t:供应商) WHERE t.${first} = $p1 AND t.${second} = $p2`, both]);
  });

  it.each([
    ['B等级的供应商有哪些', 'b'],
    ['E类供应商', 'e'],
    ['suppliers with level E', 'e'],
    ['grade e suppliers', 'e'],
    ['供应商A供应哪些零件', 'a'],
    ['What did A supply?', 'a'],
    ['Which suppliers supply A', 'a'],
  ])('%s: %s is not understood', async (question, letter) => {
    expect(await planOver(question, world)).toBe(`unknown: ${letter}`);
  });

  it.each(['A supplier of Bolt', 'which supplier has a part', "What's the grade of 宏达轴承?", 'what grade does a supplier have'])(
    '%s: has an article or an ending',
    async question => {
      expect(cypherOf(await planOver(question, world))).not.toMatch(/等级 =|unknown|refused/);
    },
  );
});

describe('names that are words of grammar elsewhere', () => {
  it.each([
    ['suppliers in the US', '国家', 'US'],
    ['suppliers in us', '国家', 'US'],
    ['IT行业的供应商', '行业', 'IT'],
    ['suppliers in the IT industry', '行业', 'IT'],
  ])('%s: %s', async (question, property, value) => {
    expect(await limits(question)).toEqual([`MATCH (t:供应商) WHERE t.${property} = $p1`, [value]]);
  });

  it.each([
    ['ME的供应商有哪些', 'me'],
    ['Which suppliers are in AS?', 'as'],
    ['suppliers in the IS industry', 'is'],
  ])('%s: %s is not understood', async (question, word) => {
    expect(await planOver(question, { ...world, values: [] })).toBe(`unknown: ${word}`);
  });

  it.each(['what do they supply us', 'list一下供应商'])('%s: is grammar', async question => {
    expect(cypherOf(await planOver(question, world))).not.toMatch(/unknown/);
  });
});

describe('names that end with a sign', () => {
  it.each([
    ['suppliers whose language is C++', '语言', 'C++'],
    ['C++语言的供应商', '语言', 'C++'],
    ['语言是C的供应商', '语言', 'C'],
    ['AA-行业的供应商', '行业', 'AA-'],
    ['P2+行业的供应商', '行业', 'P2+'],
    ['P2行业的供应商', '行业', 'P2'],
    ['AA行业的供应商', '行业', 'AA'],
  ])('%s: %s', async (question, property, value) => {
    expect(await limits(question)).toEqual([`MATCH (t:供应商) WHERE t.${property} = $p1`, [value]]);
  });

  it.each([
    ['C#语言的供应商', 'c#'],
    ['AA+行业的供应商', 'aa+'],
    ['D- suppliers', 'd'],
  ])('%s: %s is not understood', async (question, name) => {
    expect(await planOver(question, world)).toBe(`unknown: ${name}`);
  });
});
