import { Pace } from '../../common/turns/pace.js';
import { type GraphSchema } from '../../cypher/semantics/graph-schema.js';
import { Lexicon } from '../linking/lexicon.js';
import { linkQuestion } from '../linking/link-question.js';
import { planGraphQuestion } from './plan-graph-question.js';

const nothing = {
  findByName: () => [],
  findValues: () => [],
  search: () => Promise.resolve({ hits: [], total: 0, corrections: [], unread: 0 }),
};

/** A relation between many labels, each time with as many names. */
function aSchema(edges: number): GraphSchema {
  const labels = Array.from({ length: 10 }, (_, index) => ({
    name: `类${index}`,
    aliases: [],
    displayProperty: null,
    keyProperties: [],
    properties: [],
    rowCount: 9,
  }));
  return {
    labels,
    edges: Array.from({ length: edges }, (_, index) => ({
      type: '关系',
      aliases: ['拥有', 'owns', ...Array.from({ length: 8 }, (_, other) => `verb${other} word${other}`)],
      sourceLabel: labels[index % 10]!.name,
      targetLabel: labels[(index * 3 + 1) % 10]!.name,
      properties: [],
      rowCount: 9,
    })),
  };
}

/** How often the planner reads the names of relations. */
async function namesRead(question: string, edges: number): Promise<number> {
  const schema = aSchema(edges);
  const lexicon = await Lexicon.build(schema, [], new Pace());
  const linked = await linkQuestion(question, '2026-11-20', lexicon, nothing, new Pace());
  let reads = 0;
  const counted = schema.edges.map(
    edge =>
      new Proxy(edge, {
        get: (target, name) => {
          if (name === 'aliases') reads++;
          return Reflect.get(target, name) as unknown;
        },
      }),
  );
  await planGraphQuestion(linked, { ...schema, edges: counted, toOne: { outgoing: [], incoming: [] } }, new Map(), 'zh');
  return reads;
}

describe('planGraphQuestion over a relation with many ends and names', () => {
  it.each(['拥有'.repeat(59), '类1拥有哪些类2', 'which 类1 owns 类2', '谁拥有类3', '有多少个类3拥有类4', '没有拥有类2的类1'])(
    'reads the names of relations as often as there are relations: %s',
    async question => {
      expect(await namesRead(question, 100)).toBeLessThanOrEqual(4 * 100);
      expect(await namesRead(question, 400)).toBeLessThanOrEqual(4 * 400);
    },
  );
});
