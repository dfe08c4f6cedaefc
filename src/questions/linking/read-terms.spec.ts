import { termsOf } from '../../../test/support/question-world.js';
import { readTerms } from './read-terms.js';

const texts = (terms: { mention: { text: string } }[]): string[] => terms.map(({ mention }) => mention.text);

describe('readTerms', () => {
  it('gives each mention one meaning', async () => {
    const terms = await termsOf('2025年华东的客户下单的饮料单价大于18的产品');
    expect({
      labels: texts(terms.labels),
      relations: texts(terms.relations),
      properties: texts(terms.properties),
      entities: texts(terms.entities),
      values: texts(terms.values),
      times: texts(terms.times),
      compares: texts(terms.compares),
    }).toEqual({
      labels: ['客户', '产品'],
      relations: ['下单'],
      properties: ['单价'],
      entities: ['华东'],
      values: ['饮料'],
      times: ['2025年'],
      compares: ['大于18'],
    });
  });

  it('takes a mention that may be a label or a node as the label', () => {
    const meanings = [
      { as: 'entity' as const, nodes: [{ id: 1, label: '产品' }], approximate: false },
      { as: 'label' as const, label: '地区' },
    ];
    const { labels, entities } = readTerms({
      text: 'east',
      today: '2026-11-20',
      mentions: [{ text: 'east', start: 0, end: 4, meanings }],
      unknown: [],
    });
    expect([texts(labels), texts(entities)]).toEqual([['east'], []]);
  });

  it.each(['华东地区的客户', '地区华东的客户', '地区“华东”的客户'])('%s: takes the label beside an entity as its kind', async question => {
    const { labels, entities } = await termsOf(question);
    expect([texts(labels), texts(entities)]).toEqual([['客户'], ['华东']]);
  });

  it('asks for a label that stands apart from the entity', async () => {
    expect(texts((await termsOf('华东的地区')).labels)).toEqual(['地区']);
  });

  it('ranks by the first ranking and keeps the others', async () => {
    const { top, further } = await termsOf('最贵的产品和最便宜的产品');
    expect([top?.mention.text, top?.descending, further.map(({ text }) => text)]).toEqual(['最贵的', true, ['最便宜的']]);
  });

  it.each([
    ['哪些供应商既供应Chai又供应Chang', '既'],
    ['suppliers of both Chai and Chang', 'both'],
    ['客户都有哪些', null],
    ['平均单价', null],
  ])('%s: the word for all at once is %s', async (question, word) => {
    expect((await termsOf(question)).together).toBe(word);
  });
});
