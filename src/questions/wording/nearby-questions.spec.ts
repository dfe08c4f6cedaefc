import { entities, linked, metrics, schema } from '../../../test/support/question-world.js';
import { type Language } from '../../text/language.js';
import { nearbyQuestions } from './nearby-questions.js';

const near = async (text: string, language: Language) => {
  const question = await linked(text);
  return nearbyQuestions(question, question.unknown, { text, schema, metrics, entities, language });
};
const plain = /^(?:Which \S+ does|Which \S+ has|How many|What is the revenue|revenue by)|^(?:每个|有多少|单价最高|\S+的\S+有哪些)/;

describe('nearbyQuestions', () => {
  it.each([
    ['Which happy customers ordered Chai?', 'en', 'Which customers ordered Chai?'],
    ['Which happy customers ordered from happy suppliers?', 'en', 'Which customers ordered from suppliers?'],
    ['Which customers ordered Chai happily?', 'en', 'Which customers ordered Chai?'],
    ['revenue of unhappy customers in 华东', 'zh', 'revenue of customers in 华东'],
    ['华东的满意客户有哪些', 'zh', '华东的客户有哪些'],
  ] as const)('%s (%s): leaves out the words that were not understood', async (text, language, nearest) => {
    expect((await near(text, language))[0]).toBe(nearest);
  });

  it.each([
    'What is the weather of Chai?',
    'Which customers complained about Chai?',
    'Which customers have no cancelled orders?',
    'Which customers who joined in 2024 ordered Chai?',
    '华东的满意度是多少',
    '哪些客户讨厌了Chai',
    '哪些客户没有取消订单',
    'Chai属于哪尊产品',
    'Which customers in 华东 praised products of Exotic?',
    'When did Exotic praise products?',
    'Which orders did Alfreds praise?',
    'Are Chai and Chang stolen products?',
    'products with price over 10 quids',
    '称赞订单最多的客户',
    'Which customers ordered Chai and Chang in 华东?',
    '华东的客户下了哪些订单',
  ])('leaves out nothing that the rest needs: %s', async text => {
    for (const question of await near(text, 'en')) expect(question).toMatch(plain);
    for (const question of await near(text, 'zh')) expect(question).toMatch(plain);
  });

  it.each([
    ['销售额的天气', 'zh', ['各地区的销售额', '销售额是多少']],
    ['weather of revenue', 'en', ['revenue by region', 'What is the revenue?']],
    ['天气好的产品', 'zh', ['每个产品有多少订单', '单价最高的产品是哪个', '有多少产品']],
    ['weather of products', 'en', ['How many orders does each product have?', 'Which product has the highest unit price?', 'How many products are there?']],
  ] as const)('%s (%s): asks plainly about what is named', async (text, language, questions) => {
    expect(await near(text, language)).toEqual(expect.arrayContaining([...questions]));
  });

  it('names the dimension and the metric in words that make a sentence', async () => {
    const fees = { ...metrics[0]!, name: '借展费', aliases: ['loan fees'], dimensions: [{ name: '借出馆', aliases: ['from museum'], source: null }, { name: '类别', aliases: ['category'], source: null }] }; // prettier-ignore
    const question = { ...(await linked('revenue')), unknown: ['weather'] };
    const near = nearbyQuestions(question, ['weather'], { text: 'weather of revenue', schema, metrics: [fees], entities, language: 'en' });
    expect(near).toEqual(['loan fees by category', 'What are the loan fees?']);
  });

  it('has none for words that name nothing, and none that was asked', async () => {
    expect(await near('weather', 'en')).toEqual([]);
    expect(await near('how many customers are there', 'en')).not.toContain('How many customers are there?');
  });

  it('has no plural of a plural, and no English sentence around a Chinese name', async () => {
    const named = (name: string, alias: string) => ({ ...schema, labels: schema.labels.map(label => (label.name === '产品' ? { ...label, name, aliases: [alias] } : label)), edges: [] }); // prettier-ignore
    const of = async (own: typeof schema, text: string) => {
      const question = await linked(text, own);
      return nearbyQuestions(question, question.unknown, { text, schema: own, metrics, entities, language: 'en' });
    };
    expect(await of(named('Products', 'Item'), 'weather of products')).toContain('How many products are there?');
    expect(await of(named('People', 'Crowd'), 'weather of people')).toContain('How many people are there?');
    expect(await of(named('Person', 'Human'), 'weather of a person')).toContain('How many people are there?');
    expect(await of(named('Constructor', 'Builder'), 'weather of a constructor')).toContain('How many constructors are there?');
    expect((await of(named('产品', '货'), 'weather of 产品')).join()).not.toMatch(/How many/);
  });
}); // prettier-ignore
