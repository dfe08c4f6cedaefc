import { aWorld, chineseLabel, edge } from '../../../test/support/question-world.js';

/**
 * `COACHES` is also the plural of the label Coach. `PLAYS_FOR` contains the verb of the label Player. `SCORED_IN` has several edges between
 * two nodes.
 */
const { ask } = aWorld({
  labels: [
    chineseLabel('球队', ['Club'], [['城市', 'string', 'city']]),
    chineseLabel('球员', ['Player'], [['国籍', 'string', 'nationality'], ['位置', 'string', 'position'], ['出生日期', 'date', 'born_on'], ['薪水', 'int', 'salary'], ['队长', 'boolean', 'captain']]),
    chineseLabel('教练', ['Coach'], []),
    chineseLabel('比赛', ['Match'], [['观众人数', 'int', 'attendance']]),
  ],
  edges: [
    { ...edge('效力于', 'PLAYS_FOR', '球员', '球队'), properties: [{ name: '加盟日期', type: 'date', column: 'joined_on' }] },
    edge('执教', 'COACHES', '教练', '球队'),
    edge('师从', 'LEARNED_FROM', '教练', '教练'),
    { ...edge('进球', 'SCORED_IN', '球员', '比赛'), properties: [{ name: '点球', type: 'boolean', column: 'penalty' }] },
  ],
  toOne: { outgoing: ['效力于', '执教'], incoming: ['执教'] },
  names: { 球队: ['上海海鸥', 'Riverside Rovers'], 教练: ['Felipe Rocha'], 球员: ['Diego Novak'], 比赛: ['M033'] },
  values: { 球队: { 城市: ['上海'] }, 球员: { 国籍: ['巴西', '日本'], 位置: ['后卫'] } },
}); // prettier-ignore

describe('questions about a league', () => {
  it.each([
    ['List all coaches', 'MATCH (t:教练) RETURN DISTINCT t'],
    ['How many coaches are there?', 'MATCH (t:教练) RETURN count(DISTINCT t)'],
    ['Which coaches does Riverside Rovers have?', 'MATCH (t:教练)-[r1:执教]->(n1:球队) WHERE n1.编号 = $p1'],
    ['Who coaches Riverside Rovers?', 'MATCH (t:教练)-[r1:执教]->(n1:球队) WHERE n1.编号 = $p1'],
    ['谁执教上海海鸥？', 'MATCH (t:教练)-[r1:执教]->(n1:球队) WHERE n1.编号 = $p1'],
    ['谁师从Felipe Rocha？', 'MATCH (t:教练)-[r1:师从]->(n1:教练) WHERE n1.编号 = $p1'],
    ['上海的球队有哪些后卫？', 'MATCH (t:球员)-[r1:效力于]->(n1:球队) WHERE t.位置 = $p1 AND n1.城市 = $p2'],
    ['Which players scored in M033?', 'MATCH (t:球员)-[r1:进球]->(n1:比赛) WHERE n1.编号 = $p1'],
  ])('%s: tells the label from the relation that is called like it', async (question, cypher) => {
    expect(await ask(question)).toContain(cypher);
  });

  it('counts a relation by its edges', async () => {
    expect(await ask('进球最多的球员是谁？')).toContain('MATCH (t:球员)-[r1:进球]->(n1:比赛) RETURN t, count(DISTINCT r1) AS n');
  });

  it('sums what 总 stands before', async () => {
    expect(await ask('球员的总薪水是多少')).toContain('sum(t.薪水)');
  });

  it.each([
    ['哪些球队有至少2名巴西球员？', /limited by what a relation leads to/],
    ['哪些球队有不到2名巴西球员？', /limited by what a relation leads to/],
    ['加盟日期在2021年的球员有多少？', /not a date of the things that are asked for/],
    ['点球进球的球员有哪些？', /true or false/],
    ['上海海鸥的队长是谁？', /several ways/],
    ['Diego Novak有多少进球？', /is a relation/],
    ['各球队的教练是谁？', /cannot be listed/],
    ['总共有多少薪水？', /Is their sum asked for/],
    ['哪些球队既有巴西球员又有日本球员？', /two values of one property/],
    ['Which players have the same salary?', /alike/],
    ['How many matches were played?', /does not lead/],
  ])('%s: is refused and not answered as another question', async (question, reason) => {
    expect(await ask(question)).toMatch(reason);
  });
});
