import { languageOf } from './language.js';

describe('languageOf', () => {
  it.each([
    ['Which customers?', 'en'],
    ['Königlich', 'en'],
    ['Chai的单价', 'zh'],
    ['', 'en'],
  ])('takes %j for %s', (text, language) => {
    expect(languageOf(text)).toBe(language);
  });
});
