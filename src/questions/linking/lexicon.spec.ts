import { metrics, schema } from '../../../test/support/question-world.js';
import { Pace } from '../../common/turns/pace.js';
import { Lexicon, stemWords } from './lexicon.js';

describe('Lexicon', () => {
  const lexicon = Lexicon.build(schema, metrics, new Pace());

  it.each([
    ['供应商', { as: 'label', label: '供应商' }],
    ['suppliers', { as: 'label', label: '供应商' }],
    ['located in', { as: 'relation', type: '位于' }],
    ['单价', { as: 'property', owner: 'node', ownerName: '产品', property: '单价', type: 'decimal(12,2)' }],
    ['unit prices', { as: 'property', owner: 'node', ownerName: '产品', property: '单价', type: 'decimal(12,2)' }],
    ['revenue', { as: 'metric', metricId: 1 }],
    ['region', { as: 'dimension', metricId: 1, dimension: '地区' }],
  ])('finds by %s: %j', async (name, meaning) => {
    expect((await lexicon).find(name)).toContainEqual(meaning);
  });

  it('knows all meanings of one name, each once', async () => {
    expect((await lexicon).find('region').map(({ as }) => as)).toEqual(['label', 'dimension']);
  });

  it('takes forms of one name as the same name', async () => {
    const label = { ...schema.labels[0]!, aliases: ['Customer', 'customers', 'CUSTOMER'] };
    const forms = await Lexicon.build({ labels: [label], edges: [] }, [], new Pace());
    expect(forms.find('customer')).toEqual([{ as: 'label', label: '客户' }]);
  });

  it('knows nothing else', async () => {
    expect((await lexicon).find('warehouse')).toEqual([]);
  });
});

describe('stemWords', () => {
  it.each([
    ['supplies', 'supplied'],
    ['orders', 'order'],
    ['located', 'locating'],
    ['unit prices', 'unit price'],
  ])('makes one of %s and %s', (a, b) => {
    expect(stemWords(a)).toBe(stemWords(b));
  });

  it.each(['note', 'most', 'gas', '单价'])('leaves %s as it is', word => {
    expect(stemWords(word)).toBe(word);
  });
});
