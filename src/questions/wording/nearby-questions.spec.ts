import { entities, linked, metrics, schema } from '../../../test/support/question-world.js';
import { type Language } from '../../text/language.js';
import { nearbyQuestions } from './nearby-questions.js';

const near = async (text: string, language: Language) => {
  const question = await linked(text);
  return nearbyQuestions(question, question.unknown, { text, schema, metrics, entities, language });
};

describe('nearbyQuestions', () => {
  it.each([
    ['Which happy customers ordered Chai?', 'en', 'Which customers ordered Chai?'],
    ['Which customers ordered Chai happily?', 'en', 'Which customers ordered Chai?'],
    ['revenue of unhappy customers in 华东', 'zh', 'revenue of customers in 华东'],
    ['华东的满意客户有哪些', 'zh', '华东的客户有哪些'],
  ] as const)('%s (%s): leaves out the words that were not understood', async (text, language, nearest) => {
    expect((await near(text, language))[0]).toBe(nearest);
  });

  it('leaves out a thing that limits the question, with what joins it', async () => {
    expect((await near('Which customers in 华东 did ordered Chai?', 'en')).slice(0, 2)).toEqual([
      'Which customers did ordered Chai?',
      'Which customers in 华东 did ordered?',
    ]);
    expect(await near('德国的客户下了2024年的哪些订单', 'zh')).toContain('客户下了2024年的哪些订单');
  });

  it.each(['What is the weather of Chai?', 'Which customers complained about Chai?', '华东的满意度是多少', '哪些客户讨厌了Chai'])(
    'leaves out nothing that the rest needs: %s',
    async text => {
      const [first] = await near(text, 'en');
      expect(first).toMatch(/^(?:Which \S+ does|How many)/);
    },
  );

  it.each([
    ['销售额的天气', 'zh', ['各地区的销售额', '销售额是多少']],
    ['weather of revenue', 'en', ['revenue by region', 'What is the revenue?']],
    ['天气好的产品', 'zh', ['每个产品有多少订单', '单价最高的产品是哪个', '有多少产品']],
    ['weather of products', 'en', ['How many orders does each product have?', 'Which product has the highest unit price?', 'How many products are there?']],
  ] as const)('%s (%s): asks plainly about what is named', async (text, language, plain) => {
    expect(await near(text, language)).toEqual(expect.arrayContaining([...plain]));
  });

  it('has none for words that name nothing', async () => {
    expect(await near('weather', 'en')).toEqual([]);
  });
}); // prettier-ignore
