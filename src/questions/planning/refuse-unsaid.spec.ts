import { aWorld, edge } from '../../../test/support/question-world.js';

const label = (name: string, alias: string, properties: [name: string, type: string][]) => ({
  name,
  aliases: [alias],
  displayProperty: 'name',
  keyProperties: ['id'],
  properties: [{ name: 'id', type: 'int' }, { name: 'name', type: 'string' }, ...properties.map(([own, type]) => ({ name: own, type }))],
  rowCount: 9,
});

/** Museums with their artifacts and researchers, whose relations say who holds, restores and writes. */
const { ask } = aWorld({
  labels: [
    label('Museum', '博物馆', [['city', 'string'], ['opened_on', 'date']]),
    label('Researcher', '研究员', [['country', 'string'], ['hired_on', 'date'], ['left_on', 'date']]),
    label('Artifact', '文物', [['weight_kg', 'decimal(8,2)'], ['is_fragile', 'boolean']]),
    label('Paper', '论文', [['pages', 'int']]),
  ],
  edges: [
    edge('held_by', '收藏于', 'Artifact', 'Museum'),
    edge('works_at', '任职于', 'Researcher', 'Museum'),
    edge('restored_by', '修复', 'Artifact', 'Researcher'),
    edge('written_by', '撰写', 'Paper', 'Researcher'),
  ],
  toOne: { outgoing: ['held_by', 'works_at', 'written_by'], incoming: [] },
  names: {
    Museum: ['Harbor Museum', 'Kestrel Hall'],
    Researcher: ['刘丽华', 'May Quinn'],
    Artifact: ['漆盒', 'Jade Cup'],
    Paper: ['On Kiln Studies'],
  },
  values: { Museum: { city: ['Kyoto', 'London'] }, Researcher: { country: ['Japan'] } },
}); // prettier-ignore

describe('a question about the graph', () => {
  it.each([
    'Why did 刘丽华 write On Kiln Studies?',
    '刘丽华为什么撰写On Kiln Studies',
    'How did 刘丽华 write On Kiln Studies?',
    '刘丽华怎么撰写论文',
    'Which papers will 刘丽华 write?',
    'Which papers should 刘丽华 write?',
    'Who can restore 漆盒?',
    'Who used to work at Harbor Museum?',
    '谁想修复漆盒',
    '谁会修复漆盒',
    '刘丽华正在修复哪些文物',
    '刘丽华可以撰写的论文',
    '刘丽华想要的论文',
    '研究员们会修复哪些文物',
    'Who would like to restore 漆盒?',
    'Which researchers should work at Harbor Museum?',
  ])('is refused that asks for reasons, manners or plans: %s', async question => {
    expect(await ask(question)).toMatch(/^refused: /);
  });

  it.each([
    'Museums between Kyoto and London',
    'Kyoto和London之间的博物馆',
    '刘丽华和May Quinn之间的论文',
    'Artifacts off Harbor Museum',
    'Researchers up Harbor Museum',
    'Both papers of 刘丽华',
    'Which papers were given to 刘丽华?',
  ])('is refused where a word beside a name is not read: %s', async question => {
    expect(await ask(question)).toMatch(/^refused: It is not clear what/);
  });

  it.each([
    'Which papers did 刘丽华 use?',
    'Which papers does 刘丽华 like?',
    'Which papers does 刘丽华 need?',
    'Which papers did researchers of Harbor Museum like?',
    'Which papers did 刘丽华 sell?',
    '刘丽华买了哪些论文',
    '被刘丽华购买的论文',
    '刘丽华看了哪些论文',
    'Who bought Harbor Museum?',
    'Who made On Kiln Studies?',
    'Which researchers go to Harbor Museum?',
    'Which researchers live in Kyoto?',
    '住在Kyoto的研究员',
    'Which artifacts were made in Kyoto?',
    'Does Harbor Museum sell Jade Cup?',
    'Which museum sold the most artifacts?',
    'Number of artifacts sold by Harbor Museum',
    '没有卖过文物的博物馆',
  ])('is refused for a verb that no relation carries: %s', async question => {
    expect(await ask(question)).toMatch(/^refused: The graph has no relation/);
  });

  it.each(['Who currently works at Harbor Museum?', '现在任职于Harbor Museum的研究员有哪些'])(
    'is refused where an end may limit what is so now: %s',
    async question => {
      expect(await ask(question)).toMatch(/^refused: .*left_on/);
    },
  );

  it.each([
    'Which papers did 刘丽华 write?',
    'Could you tell me which papers 刘丽华 has written?',
    'I would like to see the papers written by 刘丽华',
    '请问能告诉我刘丽华撰写的论文吗',
    '我想知道刘丽华撰写了哪些论文',
    'Which researchers live in Japan?',
    'Who works at Harbor Museum?',
    'How many museums are there now?',
    '现在有多少博物馆',
    '刘丽华还没撰写的论文',
    'Get all papers of 刘丽华',
    'museums in Kyoto or London',
    '我想要刘丽华的论文',
    '我们想要Harbor Museum的研究员',
    '给刘丽华的论文',
    'I might need the papers of 刘丽华',
    'How do I find the papers of 刘丽华?',
    'Which papers do we use of 刘丽华?',
  ])('is answered: %s', async question => {
    expect(await ask(question)).toMatch(/^MATCH/);
  });
});

/** Relations whose verbs are also words of questions. */
const work = aWorld({
  labels: [label('Person', '人员', []), label('Service', '服务', [])],
  edges: [edge('uses', '使用', 'Person', 'Service'), edge('referred_by', '推荐', 'Person', 'Person')],
  toOne: { outgoing: ['referred_by'], incoming: [] },
  names: { Person: ['Ann', '李雷'], Service: ['Auth'] },
});

describe('a verb of general use that a relation has', () => {
  it.each(['Which services does Ann use?', 'What services does Ann use?', 'Which persons use Auth?'])(
    'is not refused: %s',
    async question => {
      expect(await work.ask(question)).toContain('uses');
    },
  );

  it.each([
    ['李雷是谁推荐的', '(t)'],
    ['谁推荐了李雷', '(t)'],
  ])('is read in the direction of the passive name: %s', async question => {
    expect(await work.ask(question)).toMatch(/^MATCH .*<-\[r1:referred_by\]-\(n1:Person\)/);
  });
});
