import { aWorld, edge, namedLabel } from '../../../test/support/question-world.js';

/** Loans with two relations to museums, whose names tell the ends by which they lead to a museum. */
const worldOf = (from: [string, string], to: [string, string]) =>
  aWorld({
    labels: [
      namedLabel('Museum', ['博物馆'], [['city', 'string', '城市']]),
      namedLabel('Artifact', ['文物'], [['is_fragile', 'boolean', 'fragile', '易碎']]),
      namedLabel('Loan', ['借展'], [['start_date', 'date', '开始日期'], ['end_date', 'date', '结束日期']]),
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
