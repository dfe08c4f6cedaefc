import { intentsOf, type Mention, meaningOf } from './meaning.js';

const mention: Mention = {
  text: 'region',
  start: 0,
  end: 6,
  meanings: [
    { as: 'label', label: '地区' },
    { as: 'dimension', metricId: 1, dimension: '地区' },
    { as: 'intent', intent: { kind: 'count' } },
  ],
};

describe('a mention', () => {
  it('has the first meaning of a kind, or none', () => {
    expect([meaningOf(mention, 'dimension'), meaningOf(mention, 'entity')]).toEqual([mention.meanings[1], null]);
  });

  it('has an intent of a kind, or none', () => {
    expect([intentsOf(mention, 'count'), intentsOf(mention, 'group')]).toEqual([{ kind: 'count' }, null]);
  });
});
