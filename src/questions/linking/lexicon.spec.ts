import { metrics, schema } from '../../../test/support/question-world.js';
import { Pace } from '../../common/turns/pace.js';
import { normalizeText } from '../../graph-index/tokenize-text.js';
import { Lexicon, stemsOf } from './lexicon.js';

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

  it('takes a verb for a synonym of relations only', async () => {
    const tag = { ...schema.labels[0]!, name: 'Tag', aliases: [] };
    const tags = await Lexicon.build({ labels: [tag], edges: [{ ...schema.edges[0]!, type: 'has_tags', aliases: [] }] }, [], new Pace());
    expect(tags.find('describes')).toEqual([{ as: 'relation', type: 'has_tags', part: true }]);
    expect(tags.find('words')).toContainEqual({ as: 'label', label: 'Tag' });
  });

  it('knows all meanings of one name, each once', async () => {
    expect((await lexicon).find('region').map(({ as }) => as)).toEqual(['label', 'dimension']);
  });

  it('leaves the word of a metric to the label that it is the plural of', async () => {
    const trip = { ...schema.labels[0]!, name: 'Trip', aliases: [] };
    const trips = await Lexicon.build({ labels: [trip], edges: [] }, [{ ...metrics[0]!, name: 'trips', aliases: [] }], new Pace());
    expect(trips.find('trips').map(({ as }) => as)).toEqual(['metric', 'label']);
  });

  it('takes forms of one name as the same name', async () => {
    const label = { ...schema.labels[0]!, aliases: ['Customer', 'customers', 'CUSTOMER'] };
    const forms = await Lexicon.build({ labels: [label], edges: [] }, [], new Pace());
    expect(forms.find('customer')).toEqual([{ as: 'label', label: '客户' }]);
  });

  it.each([
    ['directed', 'directed_by'],
    ['directors', 'directed_by'],
    ['acts', 'starred_actors'],
    ['screenwriter', 'written_by'],
    ['spoken', 'in_language'],
  ])('finds by %s the relation %s, one of whose words has its root or sense', async (word, type) => {
    const edges = ['directed_by', 'written_by', 'starred_actors', 'in_language'].map(name => ({
      ...schema.edges[0]!,
      type: name,
      aliases: [],
    }));
    const films = await Lexicon.build({ labels: [], edges }, [], new Pace());
    expect(films.find(word)).toEqual([{ as: 'relation', type, part: true }]);
  });

  it('takes a name for itself rather than for a synonym of another', async () => {
    const labels = ['Film', 'Picture'].map(name => ({ ...schema.labels[0]!, name, aliases: [], properties: [] }));
    const both = await Lexicon.build({ labels, edges: [] }, [], new Pace());
    expect(both.find('pictures')).toEqual([{ as: 'label', label: 'Picture' }]);
    expect(both.find('movies').map(meaning => meaning.as === 'label' && meaning.label)).toEqual(['Film', 'Picture']);
  });

  it.each(['constructor', '__proto__', 'toString'])('knows names that are called %s', async name => {
    const label = { ...schema.labels[0]!, name, aliases: [], properties: [] };
    const edge = { ...schema.edges[0]!, type: `has_${name}`, aliases: [] };
    const own = await Lexicon.build({ labels: [label], edges: [edge] }, [], new Pace());
    expect(own.find(normalizeText(name.replaceAll('_', ' ')))).toContainEqual({ as: 'label', label: name });
  });

  it('knows nothing else', async () => {
    expect((await lexicon).find('warehouse')).toEqual([]);
  });
});

describe('stemsOf', () => {
  it.each([
    ['supplies', 'supplied'],
    ['orders', 'order'],
    ['located', 'locating'],
    ['unit prices', 'unit price'],
  ])('makes one of %s and %s', (a, b) => {
    expect(stemsOf(a)).toBe(stemsOf(b));
  });

  it.each(['note', 'most', 'gas', '单价'])('leaves %s as it is', word => {
    expect(stemsOf(word)).toBe(word);
  });
});
