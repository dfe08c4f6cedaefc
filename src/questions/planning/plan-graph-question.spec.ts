import { Pace } from '../../common/turns/pace.js';
import { Lexicon } from '../linking/lexicon.js';
import { linkQuestion } from '../linking/link-question.js';
import { readTerms } from '../linking/read-terms.js';
import { languageOf } from '../../text/language.js';
import { type PlanSchema } from './add-constraints.js';
import { planGraphQuestion } from './plan-graph-question.js';

const labelOf = (name: string, alias: string) => ({
  name,
  aliases: [alias],
  displayProperty: '名称',
  keyProperties: ['编号'],
  properties: [{ name: '名称', type: 'string' }],
  rowCount: 9,
});
const schema: PlanSchema = {
  labels: [labelOf('用户', 'user'), labelOf('城市', 'city')],
  edges: [
    { type: '推荐', aliases: ['REFERRED'], sourceLabel: '用户', targetLabel: '用户', properties: [], rowCount: 9 },
    { type: '居住', aliases: ['LIVES_IN'], sourceLabel: '用户', targetLabel: '城市', properties: [], rowCount: 9 },
  ],
  toOne: { outgoing: [], incoming: [] },
};
const people = new Map(
  ['李雷', 'Jim'].map((display, id) => [
    display.toLowerCase(),
    { id, label: '用户', key: display, display, properties: { 编号: display } },
  ]),
);

const plan = async (question: string) => {
  const lexicon = await Lexicon.build(schema, [], new Pace());
  const linked = await linkQuestion(question, '2026-11-20', lexicon, {
    findByName: text => [...people].flatMap(([name, { id, label }]) => (name === text ? [{ id, label, by: 'display' as const }] : [])),
    findValues: () => [],
    search: () => Promise.resolve({ hits: [], total: 0, corrections: [], unread: 0 }),
  });
  const entities = new Map([...people.values()].map(node => [node.id, node]));
  return planGraphQuestion(readTerms(linked), schema, entities, languageOf(question));
};

describe('planGraphQuestion', () => {
  it.each(['谁推荐了李雷？', '李雷推荐了谁？', 'Who referred Jim?', '推荐了李雷的用户', 'users referred by Jim', '推荐最多的用户'])(
    '%s: does not answer with the node that is named',
    async question => {
      expect(await plan(question)).toHaveProperty('reason');
    },
  );

  it('answers by a relation between two labels', async () => {
    expect(await plan('李雷居住的城市')).toMatchObject({ cypher: expect.stringContaining('居住') });
  });
});
