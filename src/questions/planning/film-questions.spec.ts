import { edge, linkOver, nodesOf } from '../../../test/support/question-world.js';
import { languageOf } from '../../text/language.js';
import { confirmNames } from '../linking/confirm-names.js';
import { planGraphQuestion } from './plan-graph-question.js';
import { type PlanSchema } from './schema-paths.js';

const label = (name: string, aliases: string[] = []) => ({
  name,
  aliases,
  displayProperty: 'name',
  keyProperties: ['name'],
  properties: [{ name: 'name', type: 'string' }],
  rowCount: 9,
});
const fromMovie = (type: string, targetLabel: string) => edge(type, [], 'Movie', targetLabel);
const schema: PlanSchema = {
  labels: [label('Movie', ['film']), label('Person'), label('Tag'), label('Genre'), label('Rating')],
  edges: [
    fromMovie('written_by', 'Person'),
    fromMovie('starred_actors', 'Person'),
    fromMovie('has_tags', 'Tag'),
    fromMovie('has_genre', 'Genre'),
    fromMovie('has_rating', 'Rating'),
  ],
  toOne: { outgoing: [], incoming: [] },
};
const names: [display: string, label: string][] = [
  ['They Came Together', 'Movie'],
  ['Magic', 'Movie'],
  ['magic', 'Tag'],
  ['world', 'Tag'],
  ['The Story', 'Movie'],
  ['Darkness', 'Movie'],
  ['In Darkness', 'Movie'],
  ['Ann Lee', 'Person'],
];
const entities = nodesOf(names, 'name', true);

async function plan(question: string): Promise<{ cypher?: string; parameters?: object }> {
  const linked = await linkOver(question, { schema, nodes: [...entities.values()] });
  return (await planGraphQuestion(confirmNames(question, linked, entities), schema, entities, languageOf(question))) as object;
}

describe('questions about films', () => {
  const tags = 'MATCH (t:Tag)<-[r1:has_tags]-(n1:Movie) WHERE n1.name = $p1';
  const writers = 'MATCH (t:Person)<-[r1:written_by]-(n1:Movie) WHERE n1.name = $p1';
  const costars = 'MATCH (t:Person)<-[r1:starred_actors]-(n1:Movie) WHERE n1.name = $p1';

  it('keeps a name that is written as one', async () => {
    expect(await plan('who wrote The Story')).toMatchObject({ cypher: expect.stringContaining(writers), parameters: { p1: 'The Story' } });
  });

  it('reads what is said of films that a participle describes', async () => {
    const path = 'MATCH (t:Person)<-[r1:written_by]-(n1:Movie)-[r2:starred_actors]->(n2:Person) WHERE n2.name = $p1';
    expect(await plan('the movies starred by Ann Lee were written by who')).toMatchObject({ cypher: expect.stringContaining(path) });
    expect(await plan('movies starred by Ann Lee and written by who')).not.toHaveProperty('cypher');
  });

  it.each([
    ['what genres are the movies starred by Magic actors', 'starred_actors'],
    ['who are the writers that the actors in their films also appear in the film Magic', 'starred_actors'],
    ['what genres are the movies written by Magic writers', 'written_by'],
  ])('%s: takes the persons for the doers, and not their film', async (question, relation) => {
    expect(await plan(question)).toMatchObject({ cypher: expect.stringContaining(`:${relation}]`) });
  });

  it.each(['what is the story of Darkness'])('%s: is not guessed', async question => {
    expect(await plan(question)).not.toHaveProperty('cypher');
  });

  it.each([
    ['which words describe film They Came Together', tags, 'They Came Together'],
    ['can you describe movie Darkness in a few words', tags, 'Darkness'],
    ['which words describe Magic', tags, 'Magic'],
    ['who in the world wrote Magic', writers, 'Magic'],
    ['who appears in Darkness', costars, 'Darkness'],
    ['which film did Ann Lee write the story for', 'MATCH (t:Movie)-[r1:written_by]->(n1:Person) WHERE n1.name = $p1', 'Ann Lee'],
    ['what sort of film is Darkness', 'MATCH (t:Genre)<-[r1:has_genre]-(n1:Movie) WHERE n1.name = $p1', 'Darkness'],
    ['which films can be described by world', 'MATCH (t:Movie)-[r1:has_tags]->(n1:Tag) WHERE n1.name = $p1', 'world'],
  ])('%s', async (question, cypher, name) => {
    expect(await plan(question)).toMatchObject({ cypher: expect.stringContaining(cypher), parameters: { p1: name } });
  });
});
