import { metrics, schema } from '../../../test/support/question-world.js';
import { Pace } from '../../common/turns/pace.js';
import { Lexicon } from './lexicon.js';
import { withSynonyms } from './synonyms-of-schema.js';

describe('withSynonyms', () => {
  it('lets each kind of thing be called by its synonyms', async () => {
    const named = withSynonyms(schema, metrics, [
      { kind: 'label', name: '客户', synonym: '甲方' },
      { kind: 'relation', name: '供应', synonym: '供货' },
      { kind: 'property', name: '单价', synonym: '价格' },
      { kind: 'metric', name: '销售额', synonym: '营业额' },
      { kind: 'dimension', name: '地区', synonym: '大区' },
    ]);
    const lexicon = await Lexicon.build(named.schema, named.metrics, new Pace());
    expect(['甲方', '供货', '价格', '营业额', '大区'].map(text => lexicon.find(text))).toMatchObject([
      [{ as: 'label', label: '客户' }],
      [{ as: 'relation', type: '供应' }],
      [{ as: 'property', property: '单价' }],
      [{ as: 'metric', metricId: 1 }],
      [{ as: 'dimension', dimension: '地区' }],
    ]);
    expect((await Lexicon.build(schema, metrics, new Pace())).find('甲方')).toEqual([]);
  });
});
