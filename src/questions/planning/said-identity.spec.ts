import { aWorld, cypherOf, edge, entities, namedLabel, planOver, schema } from '../../../test/support/question-world.js';
import { type GraphPlan } from './question-plan.js';

const ask = async (question: string) => cypherOf(await planOver(question, { schema, nodes: entities, values: [] }));
const isA = (label: string) => `MATCH (t:供应商) WHERE t.供应商编号 = $p1 RETURN t, t:${label} AS ${label}`;

describe('questions for what a thing is', () => {
  it.each([
    ['Is Exotic a product?', isA('产品')],
    ['Is Exotic a supplier?', isA('供应商')],
    ['Is "Exotic" one of our suppliers?', isA('供应商')],
    ['Exotic是客户吗？', isA('客户')],
    ['Exotic是不是客户', isA('客户')],
    ['Exotic是一家供应商吗', isA('供应商')],
    ['Who is Exotic?', 'MATCH (t:供应商) WHERE t.供应商编号 = $p1 RETURN t'],
    ['What is supplier Exotic?', 'MATCH (t:供应商) WHERE t.供应商编号 = $p1 RETURN t'],
    ["Who's Exotic?", 'MATCH (t:供应商) WHERE t.供应商编号 = $p1 RETURN t'],
    ['Exotic是谁', 'MATCH (t:供应商) WHERE t.供应商编号 = $p1 RETURN t'],
    ['谁是Exotic？', 'MATCH (t:供应商) WHERE t.供应商编号 = $p1 RETURN t'],
  ])('%s', async (question, cypher) => {
    expect(await ask(question)).toBe(cypher);
  });

  it('does not look among the things related to it', async () => {
    expect(await ask('Is Exotic a customer in 华东?')).toContain('No relation leads');
    expect(await ask('Exotic是华东的客户吗')).toContain('No relation leads');
    expect(await ask('Alfreds是华东的客户吗')).toContain('WHERE t.客户编号 = $p1 AND n1.地区编号 = $p2');
  });
});

describe('names that contain the name of a related label, or that a related node has too', () => {
  const related = aWorld({
    labels: [namedLabel('Customer', ['客户'], []), namedLabel('Order', ['订单'], []), namedLabel('Supplier', ['供应商'], [])],
    edges: [edge('placed', '下单', 'Customer', 'Order'), edge('delivers', '交付', 'Supplier', 'Order')],
    toOne: { outgoing: [], incoming: ['placed'] },
    names: { Customer: ['Max Order', '订单王', 'Ann'], Order: ['Ann', 'A1'], Supplier: ['Ann Ltd'] },
  });
  const oneOf = (label: string) => `MATCH (t:${label}) WHERE t.number = $p1 RETURN t`;

  it.each([
    ['Who is Max Order?', oneOf('Customer'), 'Max Order'],
    ["Who's Max Order?", oneOf('Customer'), 'Max Order'],
    ['Max Order是谁', oneOf('Customer'), 'Max Order'],
    ['订单王是谁', oneOf('Customer'), '订单王'],
    ['谁是订单王？', oneOf('Customer'), '订单王'],
    ['Who is Ann Ltd?', oneOf('Supplier'), 'Ann Ltd'],
    ['Who is customer Ann?', oneOf('Customer'), 'Ann'],
    ['客户Ann是谁', oneOf('Customer'), 'Ann'],
    ['What is order Ann?', oneOf('`Order`'), 'Ann'],
  ])('%s', async (question, cypher, name) => {
    const plan = await related.plan(question);
    expect(plan).toMatchObject({ cypher });
    expect([...related.nodes.values()].filter(({ key }) => key === String((plan as GraphPlan).parameters.p1))).toMatchObject([
      { display: name, label: cypher.includes('Order') ? 'Order' : expect.any(String) },
    ]);
  });

  it.each(['Who is Ann?', 'Ann是谁', 'What is Ann?'])('%s: asks which is meant', async question => {
    expect(await related.ask(question)).toBe('refused: 2 nodes are called "ann"');
  });
});

describe('questions for things of two kinds', () => {
  it.each([
    '有多少客户和产品？',
    '一共有多少客户、产品',
    '客户数和产品数',
    'How many suppliers and products are there?',
    'How many suppliers and how many products are there?',
    'List the suppliers and products',
    '华东有多少客户和订单',
  ])('%s: asks for each apart', async question => {
    expect(await ask(question)).toMatch(/^refused: A question is for things of one kind/);
  });

  it('lets the kinds limit another one', async () => {
    expect(await ask('有订单和产品的客户')).toContain('MATCH (t:客户)-[r1:下单]->(n1:订单)');
  });
});

describe('questions whether a value is a thing', () => {
  const league = aWorld({
    labels: [namedLabel('Player', ['球员'], [['nationality', 'string', '国籍']]), namedLabel('Club', ['俱乐部'], [['city', 'string', '城市']])],
    edges: [edge('plays_for', ['效力于'], 'Player', 'Club')],
    toOne: { outgoing: ['plays_for'], incoming: [] },
    names: { Player: ['Ann Lee'], Club: ['Harbour FC'] },
    values: { Player: { nationality: ['Spain'] }, Club: { city: ['苏州'] } },
  }); // prettier-ignore

  it.each(['Is Spain a player?', 'Who is Spain?', '苏州是俱乐部吗', '苏州是谁', '谁是苏州？'])('%s: is refused', async question => {
    expect(await league.ask(question)).toMatch(/^refused: "(?:spain|苏州)" is a value of "\w+" of "\w+", and not a thing of its own/);
  });

  it.each([
    ['players from Spain', 't.nationality'],
    ['苏州的俱乐部', 't.city'],
    ['Is Ann Lee a player?', 't'],
    ['Is Ann Lee a player from Spain?', 't.nationality'],
  ])('%s: is answered', async (question, part) => {
    expect(await league.ask(question)).toMatch(new RegExp(`^MATCH .*${part}`));
  });
});
