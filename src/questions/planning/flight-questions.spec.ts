import { airlines } from '../../../test/support/airline-world.js';

const { ask } = airlines;
const from = 'MATCH (t:Flight)-[r1:DEPARTS_FROM]->(n1:机场)';
const unmentored = 'WHERE NOT EXISTS { MATCH (t:飞行员)<-[:带教]-(n1:飞行员) }';
const captains = 'MATCH (t:飞行员)-[r1:CAPTAINS]->(n1:Flight)';

describe('questions about an airline', () => {
  it.each([
    ['CZ105是国际航班吗', 't.international = $p2'],
    ['Delta是低成本航空公司吗', 't.`low cost` = $p2'],
    ['刘洋是在职飞行员吗', 't.在职 = $p2'],
    ['刘洋在职吗', 'RETURN DISTINCT t, t.在职 AS 在职'],
  ])('%s: whether it is one of the kind, or what the value is', async (question, cypher) => {
    expect(await ask(question)).toContain(cypher);
  });

  it.each([
    ['从上海出发但不到达北京的航班', `${from} MATCH (t:Flight)-[r2:ARRIVES_AT]->(n2:机场)`],
    ['到达上海但不是从北京出发的航班有多少', 'MATCH (t:Flight)-[r1:ARRIVES_AT]->(n1:机场) MATCH (t:Flight)-[r2:DEPARTS_FROM]->(n2:机场)'],
    ['flights that depart from Orly and do not arrive at Changi', `${from} MATCH (t:Flight)-[r2:ARRIVES_AT]->(n2:机场)`],
    ['flights that depart from Orly but not from Changi', `${from} MATCH (t:Flight)-[r2:DEPARTS_FROM]->(n2:机场)`],
    ['flights captained by Ken Tanaka but not copiloted by Zoe Short', '<-[:CO_PILOTS]-'],
  ])('%s: each part has its own relation', async (question, cypher) => {
    expect((await ask(question)).replaceAll(/\[r\d:CO/g, '[:CO')).toContain(cypher);
  });

  it.each([
    ['哪些飞行员没有人带教', unmentored],
    ['没人带教的飞行员有几个', unmentored],
    ['没有飞行员带教的飞行员', unmentored],
    ['没有被带教的飞行员', unmentored],
    ['没有带教过的飞行员', 'WHERE NOT EXISTS { MATCH (t:飞行员)-[:带教]->(n1:飞行员) }'],
  ])('%s: who does it stands before the verb', async (question, cypher) => {
    expect(await ask(question)).toContain(cypher);
  });

  it.each([
    ['Is Zoe Short certified on the C919?', '-[r1:CERTIFIED_ON]-'],
    ['Is Ken Tanaka the captain of CZ105?', '(t:Flight)<-[r1:CAPTAINS]-(n1:飞行员)'],
    ['captains of cancelled flights', `${captains} WHERE n1.status = $p1 RETURN DISTINCT t`],
    ['Which captain has the most flights?', `${captains} RETURN t, count(DISTINCT n1) AS n ORDER BY n DESC`],
    ['上海的机场有多少出发航班', `${from} WHERE n1.城市 = $p1 RETURN count(DISTINCT t)`],
    ['枢纽机场有哪些到达航班', 'MATCH (t:Flight)-[r1:ARRIVES_AT]->(n1:机场) WHERE n1.枢纽 = $p1 RETURN DISTINCT t'],
    ['hub airports in China', 'MATCH (t:机场) WHERE t.枢纽 = $p1 AND t.国家 = $p2 RETURN DISTINCT t'],
    [
      'pilots certified on aircraft types made by Boeing',
      'MATCH (t:飞行员)-[r1:CERTIFIED_ON]->(n1:机型) WHERE n1.制造商 = $p1 RETURN DISTINCT t',
    ],
    ['飞行员最多的航空公司的电话', 'RETURN t, count(DISTINCT n1) AS n, t.phone AS phone ORDER BY n DESC'],
    ['the phone of the airline with the most pilots', 'RETURN t, count(DISTINCT n1) AS n, t.phone AS phone ORDER BY n DESC'],
    ['航班最多的机场的跑道数', 'say which'],
  ])('%s: asks for what is said', async (question, cypher) => {
    expect(await ask(question)).toContain(cypher);
  });

  it.each([
    ['列出每个航空公司的飞行员', /cannot be listed/],
    ['Which pilots does each airline have?', /cannot be listed/],
    ['Which pilots captain airports?', /does not lead|say which/],
  ])('%s: is refused and not answered as another question', async (question, reason) => {
    expect(await ask(question)).toMatch(reason);
  });
});
