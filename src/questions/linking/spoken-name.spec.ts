import { spokenName } from './spoken-name.js';

describe('spokenName', () => {
  it.each([
    ['单价', ['unit_price'], 'en', 'unit price'],
    ['单价', ['unit_price'], 'zh', '单价'],
    ['Customer', ['客户'], 'zh', '客户'],
    ['Customer', ['Client', '客户'], 'en', 'Customer'],
    ['单价', ['价格'], 'en', '单价'],
  ] as const)('speaks of %s, also called %j, in %s as %s', (name, aliases, language, spoken) => {
    expect(spokenName(name, [...aliases], language)).toBe(spoken);
  });
});
