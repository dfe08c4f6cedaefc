import { startTestApp, type TestApp } from './support/app.js';
import { displays } from './support/displays.js';
import { ingest, upload } from './support/ingestion.js';

let test: TestApp;
beforeAll(async () => {
  test = await startTestApp();
});
afterAll(() => test.close());

/** Each group of questions has a small graph of its own. */
describe('questions', () => {
  describe('namesakes', () => {
    let films: number;
    beforeAll(async () => {
      await upload(test, 'people', 'id,name\n1,Anna Bell\n2,Anna Bell\n3,Carl Dent\n');
      await upload(test, 'films', 'id,title,director,writer\n1,Heat,1,3\n2,Anna Bell,3,2\n3,Cold,2,1\n');
      const mapping = `version: 1
nodes:
  - {id: p, label: Person, table: people, key: [id], display: name, columns: [{column: id, property: id}, {column: name, property: name}]}
  - {id: f, label: Film, table: films, key: [id], display: title, columns: [{column: id, property: id}, {column: title, property: title}]}
edges:
  - {type: directed_by, table: films, from: {node: f, match: {id: id}}, to: {node: p, match: {director: id}}}
  - {type: written_by, table: films, from: {node: f, match: {id: id}}, to: {node: p, match: {writer: id}}}`;
      films = (await ingest(test, mapping)).graphId;
    });
    const askFilms = async (question: string, more = {}) =>
      (
        await test.admin
          .post(`/api/graphs/${films}/query`)
          .send({ question, ...more })
          .expect(200)
      ).body;

    it('are asked back, and the token of a choice answers', async () => {
      const { status, choices, rows, answer } = await askFilms('Which films did Anna Bell direct?');
      expect([status, rows, choices.map(({ text }: { text: string }) => text)]).toEqual([
        'ambiguous',
        [],
        ['Anna Bell (Person 1)', 'Anna Bell (Person 2)'],
      ]);
      expect(answer.text).toContain('Which is meant?');
      const chosen = await askFilms('Which films did Anna Bell direct?', { choices: [choices[1].token] });
      expect([chosen.status, chosen.choices, displays(chosen.rows)]).toEqual(['succeeded', null, ['Cold']]);
    });

    it('are passed over if they have another label and the question cannot mean them', async () => {
      expect(displays((await askFilms('Who directed the film Anna Bell?')).rows)).toEqual(['Carl Dent']);
    });

    it('do not keep relations that are as good as each other from being asked back', async () => {
      const { status, choices } = await askFilms('films of Carl Dent');
      expect(status).toBe('ambiguous');
      const directed = choices.find(({ text }: { text: string }) => text.includes('directed_by'));
      expect(displays((await askFilms('films of Carl Dent', { choices: [directed.token] })).rows)).toEqual(['Anna Bell']);
    });

    it('are chosen for a question only', async () => {
      await test.admin
        .post(`/api/graphs/${films}/query`)
        .send({ search: 'Anna', choices: ['x'] })
        .expect(422);
    });

    it.each([
      ['Who wrote the films directed by Carl Dent?', ['Anna Bell']],
      ['Which films share a writer with Heat?', []],
      ['Did Carl Dent direct Heat?', []],
      ['Did Carl Dent write Heat?', ['Heat']],
    ])('%s: %j', async (question, expected) => {
      expect(displays((await askFilms(question)).rows)).toEqual(expected);
    });
  });

  describe('lists', () => {
    let records: number;
    beforeAll(async () => {
      await upload(test, 'records', 'id,title,tags\n1,One,"{live,demo}"\n2,Two,{live}\n3,Three,{demo}\n4,Four,\n', 'tags:text[]');
      const mapping = `version: 1
nodes:
  - label: Record
    id: record
    table: records
    key: [id]
    display: title
    columns: [{column: id, property: id, type: int}, {column: title, property: title}, {column: tags, property: tags, type: 'string[]'}]`;
      records = (await ingest(test, mapping)).graphId;
    });

    it.each([
      ['Which records are live?', ['One', 'Two']],
      ['Which records have the tags live or demo?', ['One', 'Two', 'Three']],
      ['Which records are not live?', ['Three', 'Four']],
    ])('%s: compares each text of a list', async (question, expected) => {
      const { body } = await test.admin.post(`/api/graphs/${records}/query`).send({ question }).expect(200);
      expect([displays(body.rows).sort(), body.warnings]).toEqual([[...expected].sort(), []]);
    });
  });

  it('names another spelling only of a word that it did not understand', async () => {
    await upload(test, 'months', 'id,title\n1,May\n2,Futterkiste\n');
    const mapping = `version: 1
nodes:
  - label: Month
    id: month
    table: months
    key: [id]
    display: title
    columns: [{column: id, property: id, type: int}, {column: title, property: title}]`;
    const { graphId } = await ingest(test, mapping);
    const warningsOf = async (question: string) =>
      (await test.admin.post(`/api/graphs/${graphId}/query`).send({ question }).expect(200)).body.warnings;
    const missed = 'Not answered: Not understood: futterkisste';
    const other = 'Nothing is spelled "futterkisste"; searched for the similar "futterkiste"';
    expect([await warningsOf('Futterkisste?'), await warningsOf('How many owls?'), await warningsOf('How many months of them?')]).toEqual([
      [missed, expect.stringMatching(/^If "futterkisste" is another word .*POST \/api\/graphs\/\d+\/lexicon/), other],
      ['Not answered: Not understood: owls', expect.stringMatching(/^If "owls" is another word/)],
      [expect.stringMatching(/^Not answered/)],
    ]);
  });

  it.each([
    [40, 'Which cup has the highest price?', 31, 'and at least 21 more.', ['More tie with the last of these; only 31 are shown']],
    [31, 'Which cup has the highest price?', 31, 'and 21 more.', []],
    [4, 'Top 3 cups by price', 4, 'Cup 3 (5).', ['4 are shown, because several have the same value as number 3']],
    [3, 'Top 3 cups by price', 3, 'Cup 2 (5).', []],
    [5, '按price排名前3的cup', 5, 'Cup 4（5）。', ['第 3 名有并列，因此列出 5 个']],
  ])('finds %i that tie, answers %s with %i, and says so', async (count, question, shown, sentence, warnings) => {
    const rows = Array.from({ length: count }, (_, i) => `${i},Cup ${i},5`).join('\n');
    await upload(test, `cups${count}`, `id,title,price\n${rows}\n`);
    const mapping = `version: 1
nodes:
  - label: Cup
    id: cup
    table: cups${count}
    key: [id]
    display: title
    columns: [{column: id, property: id, type: int}, {column: title, property: title}, {column: price, property: price, type: int}]`;
    const { graphId } = await ingest(test, mapping);
    const { body } = await test.admin.post(`/api/graphs/${graphId}/query`).send({ question }).expect(200);
    expect([body.rows.length, body.answer.text, body.warnings]).toEqual([shown, expect.stringContaining(sentence), warnings]);
  });
});
