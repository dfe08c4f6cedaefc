import { NameSynonyms } from './name-synonyms.js';

describe('NameSynonyms', () => {
  const synonyms = new NameSynonyms([
    { kind: 'name', name: 'Volkswagen', synonym: '大众' },
    { kind: 'label', name: '客户', synonym: '大众' },
  ]);
  const lookUp = (text: string, names: string[]) => synonyms.lookUp(text, own => names.filter(name => name.toLowerCase() === own));

  it.each([
    ['德国', 'Germany'],
    ['美国', 'USA'],
    ['美国', 'United States'],
    ['英国', 'UK'],
    ['germany', '德国'],
    ['uk', '英国'],
    ['the netherlands', '荷兰'],
    ['捷克', 'Czech Republic'],
    ['大众', 'Volkswagen'],
  ])('finds %s where it is called %s', (text, name) => {
    expect(lookUp(text, [name])).toEqual([name]);
  });

  it('looks for other names only where nothing has the own one', () => {
    expect(lookUp('germany', ['Germany', '德国'])).toEqual(['Germany']);
  });

  it.each(['in', 'de', '客户', 'georgia tech'])('has no other names for %s', text => {
    expect(synonyms.find(text)).toEqual([]);
  });
});
