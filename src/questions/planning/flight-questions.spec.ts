import { cypherOver, edge, namedLabel, nodesOf, propertiesOf } from '../../../test/support/question-world.js';
import { type PlanSchema } from './schema-paths.js';

/** Two relations between the same labels, a mentor of pilots, booleans beside nouns, and a relation that is called like a date. */
const schema: PlanSchema = {
  labels: [
    namedLabel('Airport', ['机场'], [['city', 'string', '城市'], ['country', 'string', '国家'], ['hub', 'boolean', '枢纽'], ['runways', 'int', '跑道数']]),
    namedLabel('Airline', ['航空公司'], [['country', 'string', '国家'], ['low cost', 'boolean', '低成本'], ['phone', 'string', '电话']]),
    namedLabel('Pilot', ['飞行员'], [['rank', 'string', '职级'], ['active', 'boolean', '在职'], ['gender', 'string', '性别'], ['hours', 'int', '飞行小时']]),
    namedLabel('Flight', ['航班'], [['international', 'boolean', '国际'], ['status', 'string', '状态']]),
    namedLabel('Aircraft type', ['机型'], [['maker', 'string', '制造商'], ['seats', 'int', '座位数']]),
    namedLabel('Part', ['零件'], [['stock', 'int', '库存'], ['safety stock', 'int', '安全库存']]),
    namedLabel('Order', ['采购单'], []),
  ],
  edges: [
    edge('DEPARTS_FROM', ['出发', 'depart from'], 'Flight', 'Airport'),
    edge('ARRIVES_AT', ['到达', 'arrive at'], 'Flight', 'Airport'),
    edge('HUB_AT', [], 'Airline', 'Airport'),
    edge('CAPTAINS', ['机长', 'captain', 'captained'], 'Pilot', 'Flight'),
    edge('CO_PILOTS', ['副驾驶', 'copilot', 'copiloted'], 'Pilot', 'Flight'),
    edge('mentors', ['带教'], 'Pilot', 'Pilot'),
    edge('works for', ['受雇于'], 'Pilot', 'Airline'),
    { ...edge('CERTIFIED_ON', ['持有资质'], 'Pilot', 'Aircraft type'), properties: propertiesOf([['certified on', 'date']]) },
    edge('组成', ['CONSISTS_OF'], 'Part', 'Part'),
    edge('订购', ['INCLUDES'], 'Order', 'Part'),
  ],
  toOne: { outgoing: ['DEPARTS_FROM', 'ARRIVES_AT', 'works for'], incoming: ['CAPTAINS', 'CO_PILOTS'] },
}; // prettier-ignore
const names: [display: string, label: string][] = [['CZ105', 'Flight'], ['Delta', 'Airline'], ['刘洋', 'Pilot'], ['Ken Tanaka', 'Pilot'], ['Zoe Short', 'Pilot'], ['Changi', 'Airport'], ['Orly', 'Airport'], ['减速机', 'Part'], ['C919', 'Aircraft type']]; // prettier-ignore
const nodes = nodesOf(names, 'number');
const values = [
  ...['上海', '北京'].map(value => ({ label: 'Airport', property: 'city', value })),
  { label: 'Airport', property: 'country', value: 'China' },
  { label: 'Flight', property: 'status', value: 'cancelled' },
  { label: 'Aircraft type', property: 'maker', value: 'Boeing' },
];

const plan = (question: string) => cypherOver(question, { schema, nodes, values });
const from = 'MATCH (t:Flight)-[r1:DEPARTS_FROM]->(n1:Airport)';
const unmentored = 'WHERE NOT EXISTS { MATCH (t:Pilot)<-[:mentors]-(n1:Pilot) }';
const captains = 'MATCH (t:Pilot)-[r1:CAPTAINS]->(n1:Flight)';

describe('questions about an airline', () => {
  it.each([
    ['CZ105是国际航班吗', 't.international = $p2'],
    ['Delta是低成本航空公司吗', 't.`low cost` = $p2'],
    ['刘洋是在职飞行员吗', 't.active = $p2'],
    ['刘洋在职吗', 'RETURN DISTINCT t, t.active AS active'],
  ])('%s: whether it is one of the kind, or what the value is', async (question, cypher) => {
    expect(await plan(question)).toContain(cypher);
  });

  it.each([
    ['从上海出发但不到达北京的航班', `${from} MATCH (t:Flight)-[r2:ARRIVES_AT]->(n2:Airport)`],
    [
      '到达上海但不是从北京出发的航班有多少',
      'MATCH (t:Flight)-[r1:ARRIVES_AT]->(n1:Airport) MATCH (t:Flight)-[r2:DEPARTS_FROM]->(n2:Airport)',
    ],
    ['flights that depart from Orly and do not arrive at Changi', `${from} MATCH (t:Flight)-[r2:ARRIVES_AT]->(n2:Airport)`],
    ['flights that depart from Orly but not from Changi', `${from} MATCH (t:Flight)-[r2:DEPARTS_FROM]->(n2:Airport)`],
    ['flights captained by Ken Tanaka but not copiloted by Zoe Short', '<-[:CO_PILOTS]-'],
  ])('%s: each part has its own relation', async (question, cypher) => {
    expect((await plan(question)).replaceAll(/\[r\d:CO/g, '[:CO')).toContain(cypher);
  });

  it.each([
    ['哪些飞行员没有人带教', unmentored],
    ['没人带教的飞行员有几个', unmentored],
    ['没有飞行员带教的飞行员', unmentored],
    ['没有被带教的飞行员', unmentored],
    ['没有带教过的飞行员', 'WHERE NOT EXISTS { MATCH (t:Pilot)-[:mentors]->(n1:Pilot) }'],
  ])('%s: who does it stands before the verb', async (question, cypher) => {
    expect(await plan(question)).toContain(cypher);
  });

  it.each([
    ['Is Zoe Short certified on the C919?', '-[r1:CERTIFIED_ON]-'],
    ['Is Ken Tanaka the captain of CZ105?', '(t:Flight)<-[r1:CAPTAINS]-(n1:Pilot)'],
    ['captains of cancelled flights', `${captains} WHERE n1.status = $p1 RETURN DISTINCT t`],
    ['Which captain has the most flights?', `${captains} RETURN t, count(DISTINCT n1) AS n ORDER BY n DESC`],
    ['上海的机场有多少出发航班', `${from} WHERE n1.city = $p1 RETURN count(DISTINCT t)`],
    ['枢纽机场有哪些到达航班', 'MATCH (t:Flight)-[r1:ARRIVES_AT]->(n1:Airport) WHERE n1.hub = $p1 RETURN DISTINCT t'],
    ['hub airports in China', 'MATCH (t:Airport) WHERE t.hub = $p1 AND t.country = $p2 RETURN DISTINCT t'],
    [
      'pilots certified on aircraft types made by Boeing',
      'MATCH (t:Pilot)-[r1:CERTIFIED_ON]->(n1:`Aircraft type`) WHERE n1.maker = $p1 RETURN DISTINCT t',
    ],
    ['飞行员最多的航空公司的电话', 'RETURN t, count(DISTINCT n1) AS n, t.phone AS phone ORDER BY n DESC'],
    ['the phone of the airline with the most pilots', 'RETURN t, count(DISTINCT n1) AS n, t.phone AS phone ORDER BY n DESC'],
    ['航班最多的机场的跑道数', 'say which'],
    ['减速机由哪些零件组成', 'MATCH (t:Part)<-[r1:组成]-(n1:Part)'],
    ['组成减速机的零件', 'MATCH (t:Part)<-[r1:组成]-(n1:Part)'],
  ])('%s: asks for what is said', async (question, cypher) => {
    expect(await plan(question)).toContain(cypher);
  });

  it.each([
    ['列出每个航空公司的飞行员', /cannot be listed/],
    ['Which pilots does each airline have?', /cannot be listed/],
    ['库存等于安全库存的零件', /another property/],
    ['哪些零件包含减速机', /It is not clear whether "包含" is 订购 or 组成/],
    ['Which pilots captain airports?', /does not lead|say which/],
  ])('%s: is refused and not answered as another question', async (question, reason) => {
    expect(await plan(question)).toMatch(reason);
  });
});
