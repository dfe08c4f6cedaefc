import { linked } from '../../../test/support/question-world.js';
import { carriesMeaning } from './stop-words.js';

const refused = async (question: string): Promise<string[]> => (await linked(question)).unknown.filter(carriesMeaning);

/** Without the quoted part or the pictograph, each question would be answered for all customers, all products or the whole revenue. */
describe('marks that no name covers', () => {
  it.each([
    ['How many customers are there in 🇩🇪?', '🇩🇪'],
    ['revenue in 🇩🇪', '🇩🇪'],
    ['🎉🎉供应哪些产品', '🎉🎉'],
    ['有多少👍🏽客户', '👍🏽'],
    ['how many customers in "???"', '"???"'],
    ['customers whose country is "@@"', '"@@"'],
    ['"the" supplies which products', '"the"'],
    ['“的”供应哪些产品', '“的”'],
    ['《的》供应哪些产品', '《的》'],
    ["orders placed by 'and'", "'and'"],
    ['orders placed by "most"', '"most"'],
    ['revenue of "use"', '"use"'],
  ])('%s: %s is not understood', async (question, mark) => {
    expect(await refused(question)).toEqual([mark]);
  });

  it.each([
    'orders of "Alfreds"',
    "Alfreds' orders and Exotic's products",
    '"How many customers are there?"',
    '“Chai”的订单',
    'Chai🎉的订单',
    '有多少客户？😊',
    'How many customers are there? 👍🏽',
    'How many customers (in 华东) are there?!',
    'products whose category contains "the"',
  ])('%s: nothing is left', async question => {
    expect(await refused(question)).toEqual([]);
  });

  it('are not named twice', async () => {
    expect(await refused('orders of "Foo" and Chai')).toEqual(['foo']);
  });
});
