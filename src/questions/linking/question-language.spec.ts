import { linked } from '../../../test/support/question-world.js';
import { languageOfQuestion } from './question-language.js';

describe('languageOfQuestion', () => {
  it.each([
    ['Which customers are in 华东?', 'en'],
    ['How many orders are there?', 'en'],
    ['Chai的单价', 'zh'],
    ['Alfreds 订单', 'zh'],
    ['华东', 'zh'],
    ['Chai', 'en'],
    ['Which customers are in 西北?', 'en'],
    ['西北的客户', 'zh'],
  ])('%s: %s', async (question, language) => {
    expect(languageOfQuestion(await linked(question))).toBe(language);
  });
});
