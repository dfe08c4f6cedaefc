import { termsOf } from '../../../test/support/question-world.js';
import { type Mention } from '../linking/meaning.js';
import { follows, grouping, groupLabel, groupProperty } from './find-groups.js';

describe('follows', () => {
  const at = (start: number, end: number): Mention => ({ text: '', start, end, meanings: [] });

  it.each([
    ['right after', at(3, 5), at(0, 3), true],
    ['after two characters', at(5, 6), at(0, 3), true],
    ['after three', at(6, 7), at(0, 3), false],
    ['before', at(0, 3), at(3, 5), false],
  ])('%s a word: %s', (_, mention, word, is) => {
    expect(follows(mention, word)).toBe(is);
  });
});

describe('groupLabel', () => {
  it.each([
    ['每个客户的订单数', '客户'],
    ['number of orders by customer', '客户'],
    ['客户的订单数', undefined],
    ['每个类别的产品数', undefined],
  ])('finds in %s the label %s', async (question, label) => {
    expect(groupLabel(await termsOf(question))?.label).toBe(label);
  });
});

describe('groupProperty', () => {
  it.each([
    ['每个类别的产品数', '产品', '类别'],
    ['number of products by category', '产品', '类别'],
    ['每个类别的产品数', '客户', undefined],
    ['类别和产品数', '产品', undefined],
  ])('finds in %s over %s the property %s', async (question, label, property) => {
    expect(groupProperty(await termsOf(question), label)?.property).toBe(property);
  });
});

describe('grouping', () => {
  it('returns the words that name the property', async () => {
    const terms = await termsOf('每个类别的单价');
    const { groups, property } = grouping(terms, groupProperty(terms, '产品'));
    expect(groups.map(({ text }) => text)).toEqual(['每个']);
    expect(terms.properties.map(term => [term.mention.text, property(term)])).toEqual([
      ['类别', true],
      ['单价', false],
    ]);
  });

  it('returns nothing when nothing is grouped', async () => {
    const terms = await termsOf('每个类别的单价');
    const { groups, property } = grouping(terms, null);
    expect([groups, terms.properties.some(property)]).toEqual([[], false]);
  });
});
