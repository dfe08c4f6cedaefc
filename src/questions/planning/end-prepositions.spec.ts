import { aWorld, edge, namedLabel } from '../../../test/support/question-world.js';

/** Loans with two relations to museums, whose names tell the ends by which they lead to a museum. */
const worldOf = (from: [string, string], to: [string, string]) =>
  aWorld({
    labels: [
      namedLabel('Museum', ['博物馆'], [['city', 'string', '城市']]),
      namedLabel('Artifact', ['文物'], [['is_fragile', 'boolean', 'fragile', '易碎'], ['weight', 'int', '重量']]),
      namedLabel('Loan', ['借展'], [['start_date', 'date', '开始日期'], ['end_date', 'date', '结束日期'], ['fee', 'int', '费用']]),
    ],
    edges: [
      edge('held_by', ['收藏于'], 'Artifact', 'Museum'),
      edge('loan_of', ['借出文物'], 'Loan', 'Artifact'),
      edge(from[0], from[1], 'Loan', 'Museum'),
      edge(to[0], to[1], 'Loan', 'Museum'),
    ],
    toOne: { outgoing: ['held_by', 'loan_of', from[0], to[0]], incoming: [] },
    names: { Museum: ['Harbor Museum', 'River Museum'], Artifact: ['Jade Cup'] },
    values: { Museum: { city: ['Kyoto'] } },
  }); // prettier-ignore

const english = worldOf(['loaned_from', '借出馆'], ['loaned_to', '借入馆']);
const chinese = worldOf(['借出馆', 'loaned_from'], ['借入馆', 'loaned_to']);

describe('from and to before a name', () => {
  it.each([
    ['Loans from River Museum to Harbor Museum', english, 'loaned_from', 'loaned_to'],
    ['How many loans from River Museum to Harbor Museum?', english, 'loaned_from', 'loaned_to'],
    ['Loans to Harbor Museum from River Museum', english, 'loaned_to', 'loaned_from'],
    ['从River Museum到Harbor Museum的借展', english, 'loaned_from', 'loaned_to'],
    ['从River Museum到Harbor Museum的借展有多少', chinese, '借出馆', '借入馆'],
  ])('%s: each tells the relation of its name', async (question, world, first, second) => {
    expect(await world.ask(question)).toMatch(
      new RegExp(`^MATCH \\(t:Loan\\)-\\[r1:${first}\\]->\\(n1:Museum\\) MATCH \\(t:Loan\\)-\\[r2:${second}\\]->\\(n2:Museum\\) WHERE n1`),
    );
  });

  it.each([
    ['How many loans are from Harbor Museum?', 'loaned_from'],
    ['loans to Harbor Museum or River Museum', 'loaned_to'],
    ['到Harbor Museum的借展有哪些', 'loaned_to'],
  ])('%s: tells one relation of several', async (question, type) => {
    expect(await english.ask(question)).toContain(`MATCH (t:Loan)-[r1:${type}]->(n1:Museum) WHERE`);
  });

  it.each([
    'loans from "River Museum" to "Harbor Museum"',
    'loans from museum River Museum to museum Harbor Museum',
    'loans from the museum "River Museum" into the museum "Harbor Museum"',
    'loans of artifacts from River Museum to Harbor Museum',
    '从“River Museum”到“Harbor Museum”的借展',
    '从博物馆River Museum到博物馆Harbor Museum的借展',
    '列出从River Museum到Harbor Museum的借展',
  ])('%s: passes over quotes and the word for the kind of the name', async question => {
    const cypher = await english.ask(question);
    expect(cypher).toMatch(/\(t:Loan\)-\[r\d:loaned_from\]->\((n\d):Museum\) .*\1\.number = \$p\d/);
    expect(cypher).toMatch(/\(t:Loan\)-\[r\d:loaned_to\]->\((n\d):Museum\) .*\1\.number = \$p\d/);
  });

  it.each([
    ['loans into Harbor Museum', 'loaned_to'],
    ['loans not to Harbor Museum', 'loaned_to'],
    ['total fee of loans to Harbor Museum', 'loaned_to'],
    ['不是从Harbor Museum的借展', 'loaned_from'],
    ['来自Harbor Museum的借展', 'loaned_from'],
  ])('%s: belongs to the asked noun', async (question, type) => {
    expect(await english.ask(question)).toContain(`MATCH (t:Loan)-[r1:${type}]->(n1:Museum) WHERE`);
  });

  it.each([
    'loans related to Harbor Museum',
    'loans linked to Harbor Museum',
    'loans connected to museum Harbor Museum',
    'loans up to "Harbor Museum"',
    'loans different from Harbor Museum',
    'loans apart from Harbor Museum',
    '关联到Harbor Museum的借展',
  ])('%s: belongs to another word, so the question asks back', async question => {
    expect(await english.ask(question)).toBe('refused: "harbor museum" can be read in several ways here');
  });

  it.each([
    ['loans to and from Harbor Museum', 'to and from'],
    ['loans from and to Harbor Museum', 'from and to'],
    ['loans both to and from the museum "Harbor Museum"', 'to and from'],
    ['loans to/from Harbor Museum', 'to/from'],
    ['到和从Harbor Museum的借展', '到和从'],
    ['从、到“Harbor Museum”的借展', '从、到'],
  ])('%s: is refused, because one path has one direction', async (question, words) => {
    expect(await english.ask(question)).toBe(`refused: "${words}" are two directions of "harbor museum"; ask for each apart`);
  });

  it.each(['loans of artifacts with weight over 5 from Harbor Museum', 'loans of artifacts with weight over 5 to Harbor Museum'])(
    '%s: the loans or the artifacts may be meant',
    async question => {
      expect(await english.ask(question)).toContain('It is not clear to which word the preposition before "harbor museum" belongs');
    },
  );

  it.each(['请问从River Museum到Harbor Museum的借展', '帮我查从River Museum到Harbor Museum的借展'])(
    '%s: begins with 从',
    async question => {
      expect(await english.ask(question)).toMatch(/loaned_from.*loaned_to/);
    },
  );

  it.each(['How many loans to Harbor Museum or from River Museum?', 'loans to Harbor Museum and from River Museum'])(
    '%s: is refused, because the names are joined but not their directions',
    async question => {
      expect(await english.ask(question)).toMatch(/^refused: "to … from" are two directions of "harbor museum (?:or|and) from /);
    },
  );

  it('names no relation that does not lead to what is asked for', async () => {
    expect(await english.ask('artifacts from Harbor Museum')).toContain('MATCH (t:Artifact)-[r1:held_by]->(n1:Museum)');
  });

  it.each([
    ['Loans of Harbor Museum', '"harbor museum" can be read in several ways here'],
    ['Harbor Museum的借展', '"harbor museum" can be read in several ways here'],
    ['Loans between River Museum and Harbor Museum', 'It is not clear what "between" means beside "river museum"; leave it out, or say what it limits'],
    ['Artifacts loaned from River Museum to Harbor Museum', 'It is not clear how "harbor museum" limits the answer together with the name before it; name its relation, or ask apart'],
  ])('%s: is not guessed', async (question, reason) => {
    expect(await english.ask(question)).toBe(`refused: ${reason}`);
  }); // prettier-ignore
});

describe('characters of a Chinese verb that also name an end', () => {
  const world = aWorld({
    labels: [namedLabel('Person', ['人'], []), namedLabel('Country', ['国家'], []), namedLabel('Film', ['电影'], []), namedLabel('Company', ['公司'], [])],
    edges: [
      edge('出生于', ['born in'], 'Person', 'Country'),
      edge('居住于', ['lives in'], 'Person', 'Country'),
      edge('出品', ['produced'], 'Company', 'Film'),
      edge('发行', ['distributed'], 'Company', 'Film'),
      edge('加入', ['joined'], 'Person', 'Company'),
      edge('离开', ['left'], 'Person', 'Company'),
      edge('起点', ['start'], 'Film', 'Country'),
      edge('放映于', ['shown in'], 'Film', 'Country'),
    ],
    toOne: { outgoing: ['出生于', '居住于'], incoming: [] },
    names: { Country: ['法国'], Company: ['华谊'] },
  }); // prettier-ignore

  it.each(['来自法国的人', '来自法国的人有多少', '来自华谊的电影', '由华谊的电影', '到华谊的人', 'people from 法国'])(
    '%s: are not taken for the end',
    async question => {
      expect(await world.ask(question)).toMatch(/^refused: "(?:法国|华谊)" can be read in several ways here/);
    },
  );

  it('tell no end if no other relation says the opposite', async () => {
    expect(await world.ask('从法国的电影')).toMatch(/^refused: "法国" can be read in several ways here/);
  });
});

describe('from and to beside a property', () => {
  it.each([
    'fee of loans from River Museum to Harbor Museum',
    'loans from River Museum to Harbor Museum sorted by fee',
    '从River Museum到Harbor Museum的借展的费用',
    '从River Museum到Harbor Museum的借展按费用从高到低',
  ])('%s: tell the ends of what has the property', async question => {
    const cypher = await english.ask(question);
    expect(cypher).toMatch(/\(t:Loan\)-\[r\d:loaned_from\]->\((n\d):Museum\) .*\1\.number = \$p\d/);
    expect(cypher).toMatch(/\(t:Loan\)-\[r\d:loaned_to\]->\((n\d):Museum\) .*\1\.number = \$p\d/);
    expect(cypher).toContain('t.fee AS fee');
  });
});

describe('from and to before a name of several labels', () => {
  const depots = aWorld({
    labels: [
      namedLabel('Depot', ['仓库'], []),
      namedLabel('Parcel', ['包裹'], []),
      namedLabel('Shipper', ['货主'], []),
      namedLabel('Driver', ['司机'], [['city', 'string', '城市']]),
    ],
    edges: [
      edge('sent_from', ['发出仓库'], 'Parcel', 'Depot'),
      edge('sent_to', ['到达仓库'], 'Parcel', 'Depot'),
      edge('shipped_by', ['发货人'], 'Parcel', 'Shipper'),
      edge('handles', ['经手'], 'Driver', 'Parcel'),
      edge('trained_at', ['培训于'], 'Driver', 'Depot'),
    ],
    toOne: { outgoing: ['sent_from', 'sent_to', 'shipped_by', 'trained_at'], incoming: ['handles'] },
    names: { Depot: ['North', 'South', 'Lake'], Shipper: ['North'], Driver: ['Lake', 'Ben Hill'], Parcel: [] },
    values: { Driver: { city: ['London', '上海'] } },
  }); // prettier-ignore

  it.each(['parcels from North', 'parcels from North to South', '从North到South的包裹'])('%s: do not choose a label', async question => {
    expect(await depots.ask(question)).toBe('refused: "north" can be read in several ways here');
  });

  it.each(['parcels from depot North to South', 'parcels from South', '从South到仓库North的包裹'])('%s: tell the end', async question => {
    expect(await depots.ask(question)).toMatch(/^MATCH \(t:Parcel\)-\[r1:sent_(?:from|to)\]->\(n1:Depot\)/);
  });

  it.each([
    ['parcels from London to South', 'from'],
    ['parcels from South to London', 'to'],
    ['从上海到South的包裹', '从'],
  ])('%s: need a relation that tells %s', async (question, word) => {
    expect(await depots.ask(question)).toContain(`refused: No relation on the way tells what "${word}" means`);
  });

  it('leave a limit of another noun alone', async () => {
    expect(await depots.ask('parcels of drivers from London')).toContain('(t:Parcel)<-[r1:handles]-(n1:Driver) WHERE n1.city = $p1');
  });
});

describe('a noun whose name begins that of a relation', () => {
  it.each(['loans of Jade Cup', 'Which loans of Jade Cup are there?'])('%s: asks for the noun', async question => {
    expect(await english.plan(question)).toMatchObject({
      cypher: expect.stringContaining('MATCH (t:Loan)-[r1:loan_of]->(n1:Artifact) WHERE'),
      shape: { subject: 'loans' },
    });
  });

  it('is a verb in the form of one', async () => {
    expect(await english.ask('artifacts loaned from River Museum')).toContain(
      'MATCH (t:Artifact)<-[r1:loan_of]-(n1:Loan)-[r2:loaned_from]',
    );
  });
});

describe('是不是', () => {
  it.each(['Jade Cup是不是易碎文物？', 'Jade Cup是易碎文物吗？', 'Is Jade Cup a fragile artifact?'])(
    '%s: asks for yes or no',
    async question => {
      expect(await english.plan(question)).toMatchObject({
        cypher: expect.stringContaining('MATCH (t:Artifact) WHERE t.number = $p1 AND t.is_fragile = $p2'),
        shape: { whether: true },
      });
    },
  );

  it.each(['易碎的文物有没有', '哪些文物是易碎的'])('%s: other questions stay as they were', async question => {
    expect(await english.ask(question)).toContain('WHERE t.is_fragile = $p1');
  });
});
