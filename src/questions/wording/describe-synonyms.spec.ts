import { entities, linked, metrics } from '../../../test/support/question-world.js';
import { describeSynonyms } from './describe-synonyms.js';

describe('describeSynonyms', () => {
  it('names what was read by a synonym, and only that', async () => {
    const question = await linked('华东的客户的销售额');
    const renamed = {
      ...question,
      mentions: question.mentions.map(mention => (mention.text === '客户' ? { ...mention, text: '金主' } : { ...mention })),
    };
    const synonyms = [
      { kind: 'label' as const, name: '客户', synonym: '金主' },
      { kind: 'metric' as const, name: '销售额', synonym: '流水' },
    ];
    expect(describeSynonyms(renamed, synonyms, entities, metrics, 'zh')).toEqual(['将“金主”理解为“客户”（同义词）']);
    expect(describeSynonyms(question, synonyms, entities, metrics, 'zh')).toEqual([]);
  });

  it('names an entity read by a synonym', async () => {
    const question = await linked('Chai');
    const renamed = { ...question, mentions: question.mentions.map(mention => ({ ...mention, text: 'tea' })) };
    expect(describeSynonyms(renamed, [{ kind: 'name', name: 'Chai', synonym: 'Tea' }], entities, metrics, 'en')).toEqual([
      '"tea" was read as "Chai" (synonym)',
    ]);
  });
});
