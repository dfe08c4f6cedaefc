import { aWorld, edge, linkOver } from '../../../test/support/question-world.js';
import { type LinkedQuestion } from '../linking/link-question.js';
import { wordGraphAnswer } from '../wording/word-answer.js';
import { planGraphQuestion } from './plan-graph-question.js';
import { type GraphPlan } from './question-plan.js';

const label = (name: string, alias: string, properties: [name: string, type: string, column?: string][]) => ({
  name,
  aliases: [alias],
  displayProperty: 'name',
  keyProperties: ['number'],
  properties: [{ name: 'number', type: 'int' }, ...properties.map(([own, type, column]) => ({ name: own, type, ...(column !== undefined && { column }) }))],
  rowCount: 9,
}); // prettier-ignore
const { schema, nodes, values, plan } = aWorld({
  labels: [
    label('Branch', '分公司', [['opened', 'date'], ['phone', 'string']]),
    label('Policy', '保单', [['premium', 'int', '保费'], ['start_date', 'date']]),
    label('Holder', '投保人', [['city', 'string', '城市']]),
  ],
  edges: [edge('ISSUED', '签发', 'Branch', 'Policy'), edge('HOLDS', '持有', 'Holder', 'Policy')],
  toOne: { outgoing: [], incoming: ['ISSUED', 'HOLDS'] },
  names: { Branch: ['London Branch'], Holder: ['高静'], Policy: ['P1', 'P2'] },
  values: { Holder: { city: ['Oslo'] } },
}); // prettier-ignore

const sentence = async (question: string, rows: unknown[][]): Promise<string> => {
  const found = await plan(question);
  return typeof found === 'string' ? found : wordGraphAnswer(found.shape, rows, /\p{Script=Han}/u.test(question) ? 'zh' : 'en');
};

/** Plans a question in which a pronoun stands for `P1` and `P2`, the nodes that an earlier question found. */
async function afterPolicies(question: string, pronoun: string, isPart: boolean): Promise<GraphPlan> {
  const both = [2, 3].map(id => ({ id, label: 'Policy' }));
  const linked = await linkOver(question, { schema, nodes: [...nodes.values()], values });
  const start = linked.text.indexOf(pronoun);
  const meaning = isPart
    ? ({ as: 'label', label: 'Policy' } as const)
    : ({ as: 'entity', nodes: both, approximate: false, isSet: true } as const);
  const mention = { text: pronoun, start, end: start + pronoun.length, meanings: [meaning] };
  const found: LinkedQuestion = {
    ...linked,
    mentions: [...linked.mentions, mention].sort((a, b) => a.start - b.start),
    ...(isPart && { among: { text: pronoun, label: 'Policy', nodes: both } }),
  };
  return (await planGraphQuestion(found, schema, nodes, 'en')) as GraphPlan;
}

describe('the words of a sentence', () => {
  it.each([
    ['When did London Branch open?', [['x', '1998-05-01']], 'The opened date of x is 1998-05-01.'],
    ['Which branch opened first?', [['x', '1998-05-01']], 'Branch with the earliest opened date: x (1998-05-01).'],
    ['What is the start date of P1?', [['x', '1998-05-01']], 'The start date of x is 1998-05-01.'],
    ['What are the premiums of P1?', [['x', 5]], 'The premium of x is 5.'],
    ['Which policy has the highest premium?', [['x', 5]], 'Policy with the highest premium: x (5).'],
    ['高静的保单有几个', [[9]], '高静的保单共有 9 个。'],
    ['高静的policy有几个', [[9]], '高静的保单共有 9 个。'],
    ['P1的保费是多少', [['x', 5]], 'x的保费是 5。'],
    ['P1的premium是多少', [['x', 5]], 'x的保费是 5。'],
    ['保费最高的保单', [['x', 5]], '保费最高的保单：x（5）。'],
    ['哪些投保人持有最多保单', [['x', 5]], '保单数最高的投保人：x（5）。'],
    ['每个分公司签发的保单数', [['x', 5]], '按分公司统计的保单数：x（5）。'],
    ['Which holders hold the most policies?', [['x', 5]], 'Holder with the highest number of policies: x (5).'],
  ])('%s', async (question, rows, expected) => {
    expect(await sentence(question, rows)).toBe(expected);
  });

  it.each([
    ['Which of them have the highest premium?', 'of them', true, { subject: 'Policy', of: { isAmong: true, named: [] } }],
    ['How many of them are there?', 'of them', true, { subject: 'Policy', of: { isAmong: true, named: [] } }],
    ['What is their total premium?', 'their', false, { subject: 'Policy', of: { isAmong: false, named: ['them'] } }],
  ])('%s', async (question, pronoun, isPart, shape) => {
    expect(await afterPolicies(question, pronoun, isPart)).toMatchObject({ shape });
  });
});
