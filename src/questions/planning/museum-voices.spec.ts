import { aWorld, edge, namedLabel, propertiesOf } from '../../../test/support/question-world.js';

const labels = [
  namedLabel('Museum', ['博物馆'], [['opened_on', 'date']]),
  namedLabel('Researcher', ['研究员'], [['birth_date', 'date'], ['hired_on', 'date']]),
  namedLabel('Artifact', ['文物'], [['discovered_on', 'date']]),
  namedLabel('Paper', ['论文'], [['published_on', 'date']]),
]; // prettier-ignore
const names = {
  Museum: ['River Museum'],
  Researcher: ['May Quinn', '马洋', 'Felix Price', 'Nina Turner'],
  Artifact: ['Jade Cup', '漆盒'],
  Paper: ['On Glaze'],
};
const examined = { ...edge('examined', ['检查'], 'Researcher', 'Artifact'), properties: propertiesOf([['examined_on', 'date']]) };

/** Museums whose relations have passive English names, with Chinese verbs as aliases. */
const passive = aWorld({
  labels,
  edges: [
    edge('works_at', ['任职于'], 'Researcher', 'Museum'),
    edge('mentored_by', ['师从', '追随'], 'Researcher', 'Researcher'),
    edge('held_by', ['收藏于'], 'Artifact', 'Museum'),
    edge('restored_by', ['修复'], 'Artifact', 'Researcher'),
    edge('written_by', ['撰写'], 'Paper', 'Researcher'),
    examined,
    edge('saved', ['标记'], 'Researcher', 'Artifact'),
  ],
  toOne: { outgoing: ['works_at', 'mentored_by', 'held_by', 'restored_by', 'written_by'], incoming: [] },
  names,
});

/** The same museums with relations that lead from the doer and have Chinese names. */
const active = aWorld({
  labels,
  edges: [
    edge('任职于', ['works_at'], 'Researcher', 'Museum'),
    edge('指导', ['mentors'], 'Researcher', 'Researcher'),
    edge('收藏', ['holds'], 'Museum', 'Artifact'),
    edge('修复', ['restored'], 'Researcher', 'Artifact'),
    edge('撰写', ['wrote'], 'Researcher', 'Paper'),
    { ...examined, type: '检查', aliases: ['examined'] },
    edge('标记', ['saved'], 'Researcher', 'Artifact'),
  ],
  toOne: { outgoing: ['任职于'], incoming: ['指导', '收藏', '修复', '撰写'] },
  names,
});

const both = (questions: string[]) =>
  questions.flatMap(question => [[question, 'passive', passive.ask] as const, [question, 'active', active.ask] as const]);

describe('verbs of things that their relation does not speak of', () => {
  it.each(
    both([
      'Did River Museum restore Jade Cup?',
      'Was Jade Cup restored by River Museum?',
      'Which museums wrote papers?',
      'How many papers did River Museum write?',
      'Museums that restored Jade Cup',
      'What did River Museum restore?',
      'River Museum修复了哪些文物',
      'River Museum修复了Jade Cup吗',
      '被River Museum修复的文物',
      '哪些文物任职于River Museum',
      '任职于River Museum的文物',
    ]),
  )('%s: is refused with names that are %s', async (question, _, ask) => {
    expect(await ask(question)).toMatch(/^refused: ".*" relates "\w+" and "\w+", and not "\w+"/);
  });

  it.each(
    both([
      'artifacts restored by researchers who work at River Museum',
      'Which museums hold artifacts that May Quinn restored?',
      '任职于River Museum的研究员修复的文物',
      '收藏于River Museum的文物',
    ]),
  )('%s: are answered along several relations with names that are %s', async (question, _, ask) => {
    expect(await ask(question)).toMatch(/^MATCH /);
  });
});

describe('questions that turn a relation round', () => {
  it.each(
    both([
      'Did 漆盒 restore 马洋?',
      '漆盒修复了马洋吗',
      'Was 马洋 restored by 漆盒?',
      '漆盒修复了谁',
      'Who was restored by 漆盒?',
      'Which researcher did 漆盒 restore?',
      '被漆盒修复的研究员',
      'Which artifacts restored 马洋?',
      '哪些文物修复了马洋',
      'Which papers wrote 马洋?',
      'What did On Glaze write?',
      'On Glaze撰写了谁',
      'Which researchers were examined by Jade Cup?',
      'How many researchers did Jade Cup examine?',
      'Jade Cup检查了哪些研究员',
      'Jade Cup有没有检查May Quinn',
      '谁被Jade Cup检查过',
      '检查过马洋的文物',
      'the researchers that Jade Cup examined',
      'Which artifacts saved May Quinn?',
      'Which museums are held by Jade Cup?',
      'Which artifacts hold more than 3 museums?',
      'Which museums work at May Quinn?',
      'Which artifacts did not examine May Quinn?',
      '没有检查过马洋的文物',
    ]),
  )('%s: is refused with names that are %s', async (question, _, ask) => {
    expect(await ask(question)).toMatch(/^refused: In the relation ".*" the subject of ".*" is "(?:Researcher|Museum)"/);
  });

  it.each(
    both([
      'Did 马洋 restore 漆盒?',
      '马洋修复了漆盒吗',
      'Was 漆盒 restored by 马洋?',
      '谁修复了漆盒',
      '漆盒被谁修复了',
      'Which artifacts were restored by 马洋?',
      '被马洋修复的文物',
      'Which researchers examined Jade Cup?',
      '检查过Jade Cup的研究员',
      'artifacts that 马洋 restored',
      'Which museum holds Jade Cup?',
      'Jade Cup收藏于哪个博物馆',
      'Which museum does May Quinn work at?',
      'Who restored artifacts held by River Museum?',
      'Who wrote On Glaze?',
      'Who is the restorer of 漆盒?',
    ]),
  )('%s: is answered with names that are %s', async (question, _, ask) => {
    expect(await ask(question)).toMatch(/^MATCH \(t:.*\)(?:-|<-)\[r1:/);
  });
});

describe('questions whether something has a role', () => {
  it.each(both(['Is Jade Cup a restorer?', 'Is On Glaze a writer?']))('%s: is refused with names that are %s', async (question, _, ask) => {
    expect(await ask(question)).toMatch(/^refused: "(?:restorer|writer)" is said of "Researcher"/);
  });

  it.each(['Which researchers did not examine Jade Cup?', '没有检查过Jade Cup的研究员'])('%s: denies the relation', async question => {
    expect(await passive.ask(question)).toContain('WHERE NOT EXISTS { MATCH (t:Researcher)-[:examined]->');
  });
});

describe('Chinese verbs for a relation that is called mentored_by', () => {
  const [mentors, mentees] = ['MATCH (t:Researcher)<-[r1:mentored_by]-', 'MATCH (t:Researcher)-[r1:mentored_by]->'];

  it.each([
    ['Felix Price师从谁', mentors],
    ['谁师从Felix Price', mentees],
    ['师从Felix Price的有哪些研究员', mentees],
    ['Felix Price指导了谁', mentees],
    ['谁指导了Felix Price', mentors],
    ['被Felix Price追随的研究员', mentees],
    ['Who mentored Felix Price?', mentors],
  ])('%s: the verb tells who does it', async (question, pattern) => {
    expect(await passive.ask(question)).toContain(pattern);
  });

  it.each(['Felix Price追随谁', '谁追随Felix Price', 'Felix Price追随过哪些研究员'])('%s: is refused', async question => {
    expect(await passive.ask(question)).toMatch(/^refused: It is not clear whether "追随" has the direction of "mentored_by"/);
  });

  it.each(['Is May Quinn a mentor?', 'Is Felix Price the mentor?'])('%s: does not count her own mentor', async question => {
    expect(await passive.ask(question)).toMatch(/^refused: It is not clear whose "mentor" is meant/);
  });
});

const noDate = /^refused: The relation ".*" has no date/;

describe('questions for the time of a relation', () => {
  it.each(
    both([
      'When did May Quinn save artifacts?',
      '马洋是什么时候标记这些文物的',
      '马洋什么时候标记文物的',
      'When did 马洋 restore artifacts?',
      '马洋修复文物是什么时候',
      'When did River Museum hold artifacts?',
      'When did May Quinn last save an artifact?',
      'Which artifact did May Quinn save last?',
    ]),
  )('%s: takes no date of the artifacts (%s names)', async (question, _, ask) => {
    expect(await ask(question)).toMatch(noDate);
  });

  it.each(
    both([
      'When did May Quinn last examine an artifact?',
      'May Quinn最近一次检查文物是什么时候',
      'When was the last artifact examined?',
      'When did May Quinn last examine Jade Cup?',
      'When was Jade Cup last examined?',
    ]),
  )('%s: takes the last date of the relation (%s names)', async (question, _, ask) => {
    expect(await ask(question)).toContain('RETURN max(r1.examined_on)');
  });

  it.each(both(['Which artifact did May Quinn examine last?', 'May Quinn最后一次检查的文物']))(
    '%s: ranks by the date of the relation (%s names)',
    async (question, _, ask) => {
      expect(await ask(question)).toContain('RETURN t, max(r1.examined_on) AS examined_on ORDER BY examined_on DESC');
    },
  );

  it.each(both(['last artifact examined by May Quinn', 'May Quinn检查的最近的文物']))(
    '%s: does not choose between two dates (%s names)',
    async (question, _, ask) => {
      expect(await ask(question)).toMatch(/^refused: ".*" may go by a date of "Artifact" or of/);
    },
  );

  it.each([
    ['When did May Quinn examine artifacts?', 'r1.examined_on AS examined_on'],
    ['When was the last artifact discovered?', 'RETURN max(t.discovered_on)'],
    ['When were the artifacts that May Quinn saved discovered?', 't.discovered_on AS discovered_on'],
    ['When were the papers of 马洋 published?', 't.published_on AS published_on'],
    ['马洋撰写的论文是什么时候', 't.published_on AS published_on'],
    ['newest artifact examined by May Quinn', 'ORDER BY discovered_on DESC'],
    ['latest paper written by 马洋', 'ORDER BY published_on DESC'],
  ])('%s: takes the date that is said', async (question, returned) => {
    expect(await passive.ask(question)).toContain(returned);
  });
});

describe('a ranking beside a condition with another verb', () => {
  it.each([
    'Which artifact discovered in 1950 did May Quinn examine last?',
    'Which artifact did May Quinn last examine?',
    'When did May Quinn examine Jade Cup last?',
    'May Quinn上次检查Jade Cup是什么时候',
    'Which researcher hired in 2020 examined Jade Cup last?',
  ])('%s: goes by the date of its own verb', async question => {
    expect(await passive.ask(question)).toContain('max(r1.examined_on)');
  });

  it.each(['Who examined Jade Cup last?', '谁上次检查了Jade Cup'])(
    '%s: is refused instead of ranked by the date of the condition',
    async question => {
      expect(await passive.ask(question)).toMatch(/^refused: /);
    },
  );
});

describe('conditions behind "by"', () => {
  it.each(['papers by researchers hired after 2015', 'number of papers by researchers hired after 2015'])(
    '%s: is refused',
    async question => {
      expect(await passive.ask(question)).toMatch(/^refused: "by researchers" may tell who did it or by whom to count/);
    },
  );

  it.each(['papers written by researchers hired after 2015', '2015年之后入职的研究员撰写的论文'])(
    '%s: limits the doers',
    async question => {
      expect(await passive.ask(question)).toContain('(t:Paper)-[r1:written_by]->(n1:Researcher) WHERE n1.hired_on >= $p1');
    },
  );

  it('counts by a singular noun', async () => {
    expect(await passive.ask('number of papers by researcher')).toContain('count(DISTINCT n1)');
  });
});
