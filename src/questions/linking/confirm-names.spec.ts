import { confirmNames } from './confirm-names.js';

const node = (id: number, display: string, label = 'Film') => ({ id, label, labels: [label], key: `k${id}`, display, properties: {} });
const nodes = [node(1, 'Heat'), node(2, 'HEAT'), node(3, '华为技术有限公司'), node(4, 'Kobe Beef'), node(5, 'Fair Weather Films'), node(6, '下面高乡'), node(7, 'Help'), node(8, 'Help!'), node(9, 'C'), node(10, 'C++'), node(11, 'Stone House'), node(12, 'Grace Stone'), node(13, 'River Museum')]; // prettier-ignore
const entities = new Map(nodes.map(each => [each.id, each]));

const confirm = (question: string, text: string, ids: number[], approximate: boolean) => {
  const normalized = question.toLowerCase();
  const start = normalized.indexOf(text);
  const meanings = [{ as: 'entity' as const, approximate, nodes: ids.map(id => ({ id, label: 'Film' })) }];
  const linked = { text: normalized, today: '2026-11-20', mentions: [{ text, start, end: start + text.length, meanings }], unknown: [] };
  const { mentions, unknown } = confirmNames(question, linked, entities);
  return [
    mentions.flatMap(each => each.meanings.flatMap(meaning => (meaning.as === 'entity' ? meaning.nodes.map(({ id }) => id) : []))),
    unknown,
  ];
};

describe('confirmNames', () => {
  it.each([
    ['who made Heat', 'heat', [1, 2], false, [1]],
    ['who made heat', 'heat', [1, 2], false, [1, 2]],
    ['who acted in Help! then', 'help', [7, 8], false, [8]],
    ['who acted in Help?', 'help', [7, 8], false, [7]],
    ['who acted in Help!', 'help', [7, 8], false, [8]],
    ['who wrote in C++', 'c++', [9, 10], false, [10]],
    ['who wrote in c++', 'c++', [9, 10], false, [10]],
    ['who wrote in C', 'c', [9, 10], false, [9]],
    ['华为的订单', '华为', [3], true, [3]],
    ['supplier of Kobe Beaf', 'kobe beaf', [4], true, [4]],
    ['Which papers did Stone write?', 'stone', [11, 12, 13], true, [11, 12]],
    ['Stone写了哪些论文', 'stone', [11, 12], true, [11, 12]],
    ['artifacts in Rivers Museum', 'rivers museum', [13], true, [13]],
  ])('%s: "%s" of %j (approximate: %s) is %j', (question, text, ids, approximate, kept) => {
    expect(confirm(question, text, ids, approximate)).toEqual([kept, []]);
  });

  it.each([
    ['what is the weather', 'weather', [5], true],
    ['artifacts in the Museum of Rivers', 'rivers', [13], true],
    ['高乡在哪里', '高', [6], true],
    ['who wrote in C#', 'c#', [9, 10], false],
  ])('%s: "%s" of %j (approximate: %s) is not a name', (question, text, ids, approximate) => {
    expect(confirm(question, text, ids, approximate)).toEqual([[], [text]]);
  });

  it('keeps a name behind a property and "of"', () => {
    const text = 'what is the tier of rivers';
    const meaning = { as: 'property' as const, owner: 'node' as const, ownerName: 'Film', property: 'tier', type: 'string' };
    const named = { as: 'entity' as const, approximate: true, nodes: [{ id: 13, label: 'Film' }] };
    const mentions = [
      { text: 'tier', start: 12, end: 16, meanings: [meaning] },
      { text: 'rivers', start: 20, end: 26, meanings: [named] },
    ];
    const linked = { text, today: '2026-11-20', mentions, unknown: [] };
    expect(confirmNames('What is the Tier of Rivers', linked, entities).unknown).toEqual([]);
  });

  it('keeps a name behind the plural of a label and "of"', () => {
    const text = 'what are the tiers of rivers';
    const label = { as: 'label' as const, label: 'Tier' };
    const named = { as: 'entity' as const, approximate: true, nodes: [{ id: 13, label: 'Film' }] };
    const mentions = [
      { text: 'tiers', start: 13, end: 18, meanings: [label] },
      { text: 'rivers', start: 22, end: 28, meanings: [named] },
    ];
    const linked = { text, today: '2026-11-20', mentions, unknown: [] };
    expect(confirmNames('What are the Tiers of Rivers', linked, entities).unknown).toEqual([]);
  });
});
