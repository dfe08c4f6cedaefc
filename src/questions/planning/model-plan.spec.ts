import { planMessages, readProposedPlan, type SchemaForModel } from './model-plan.js';

const schema: SchemaForModel = {
  nodes: [{ label: '客户', aliases: ['Customer'], properties: [{ name: 'city', type: 'string' }] }],
  edges: [{ type: '下单', aliases: [], from: '客户', to: '订单', properties: [] }],
};

describe('the request to a model for a plan', () => {
  it('holds the question with the schema, the day, and why its last proposal failed', () => {
    const messages = planMessages('who?', schema, '2025-01-02', { cypher: 'RETURN x', reason: 'no x' });
    expect(messages.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'user']);
    const texts = messages.map(({ content }) => content).join('\n');
    for (const part of [
      '(:`客户`) (also called Customer) {`city` string}',
      '(:`客户`)-[:`下单`]->(:`订单`)',
      '2025-01-02',
      '"who?"',
      'no x',
    ])
      expect(texts).toContain(part);
  });

  it('has a bound, however large the schema is', () => {
    const nodes = Array.from({ length: 5_000 }, (_, i) => ({ ...schema.nodes[0]!, label: `L${i}` }));
    expect(planMessages('who?', { nodes, edges: [] }, '2025-01-02')[0]!.content.length).toBeLessThan(20_000);
  });
});

it.each([
  [
    { cypher: ' RETURN 1 ', reading: 'One.' },
    { cypher: 'RETURN 1', reading: 'One.' },
  ],
  [{ cypher: 'RETURN 1' }, { cypher: 'RETURN 1', reading: '' }],
  [{ cypher: null }, null],
  [{ cypher: '' }, undefined],
  [{ cypher: 7 }, undefined],
  [{}, undefined],
  [undefined, undefined],
])('a proposal %j is read as %j', (found, plan) => {
  expect(readProposedPlan(found)).toEqual(plan);
});
