import { aWorld, edge, namedLabel, propertiesOf } from '../../../test/support/question-world.js';

/** Clubs whose scouts watch players. Clubs and stadiums have a city, and `coach` is a label and the verb of a relation. */
const { ask } = aWorld({
  labels: [
    namedLabel('Club', ['俱乐部'], [['city', 'string'], ['founded', 'date']]),
    namedLabel('Stadium', ['球场'], [['city', 'string']]),
    namedLabel('Player', ['球员'], [['born', 'date']]),
    namedLabel('Coach', ['教练'], []),
    namedLabel('Scout', ['球探'], []),
    namedLabel('Relic', ['藏品'], [['朝代', 'string'], ['估价（元）', 'int'], ['重量（克）', 'int']]),
  ],
  edges: [
    edge('OWNS', ['拥有'], 'Club', 'Stadium'),
    edge('PLAYS_FOR', ['效力于'], 'Player', 'Club'),
    edge('COACHES', ['执教'], 'Coach', 'Club'),
    edge('WORKS_FOR', ['受雇于'], 'Scout', 'Club'),
    { ...edge('WATCHED', ['考察'], 'Scout', 'Player'), properties: propertiesOf([['watched_on', 'date']]) },
    edge('RECOMMENDED', ['推荐'], 'Scout', 'Player'),
    edge('FEEDER_OF', ['隶属于', '上级', 'parent'], 'Club', 'Club'),
    edge('KEEPS', ['收藏'], 'Club', 'Relic'),
  ],
  toOne: { outgoing: ['PLAYS_FOR', 'COACHES', 'WORKS_FOR', 'FEEDER_OF'], incoming: ['OWNS', 'KEEPS'] },
  names: {
    Club: ['River United', '海鸥俱乐部'],
    Stadium: ['Harbour Park', '海湾球场'],
    Player: ['Ann Lee', 'Ben Roe', '李明', '王芳'],
    Coach: ['Sal Conte'],
    Scout: ['Vera Watch'],
  },
  values: { Relic: { 朝代: ['元', '清'] } },
}); // prettier-ignore

describe('questions about clubs and their scouts', () => {
  it.each([
    ['Who watched Ann Lee?', 'MATCH (t:Scout)-[r1:WATCHED]->(n1:Player) WHERE'],
    ['Who works for River United?', 'MATCH (t:Scout)-[r1:WORKS_FOR]->(n1:Club) WHERE'],
    ['Where is Harbour Park?', 'MATCH (t:Stadium) WHERE'],
    ['海湾球场在哪里？', 'MATCH (t:Stadium) WHERE'],
    ['Where does Ann Lee play?', 'MATCH (t:Club)<-[r1:PLAYS_FOR]-(n1:Player) WHERE'],
    ['Players who play for the same club as Ann Lee', 'MATCH (t:Player)-[r1:PLAYS_FOR]->(n1:Club)<-[r2:PLAYS_FOR]-(n2:Player) WHERE'],
    ['Scouts of River United', 'MATCH (t:Scout)-[r1:WORKS_FOR]->(n1:Club) WHERE'],
    ['Which coaches does River United have?', 'MATCH (t:Coach)-[r1:COACHES]->(n1:Club) WHERE'],
    ['Who coached River United?', 'MATCH (t:Coach)-[r1:COACHES]->(n1:Club) WHERE'],
    ['估价超过500元的藏品', 'MATCH (t:Relic) WHERE t.`估价（元）` > $p1 RETURN'],
    ['重量超过500克的藏品有多少', 'MATCH (t:Relic) WHERE t.`重量（克）` > $p1 RETURN'],
    ['元藏品', 'WHERE t.朝代 = $p1'],
  ])('%s: is answered', async (question, cypher) => {
    expect(await ask(question)).toContain(cypher);
  });

  it.each([
    ['Does Ann Lee play for the same club as Ben Roe?', /the same cannot be told/],
    ['李明和王芳是同样的俱乐部吗？', /the same cannot be told/],
    ['Is River United a parent?', /whose "parent"/],
    ['海鸥俱乐部是上级吗？', /whose "上级"/],
    ['Where was Ann Lee born?', /only has a time/],
    ['Who watches River United?', /several ways/],
    ['Which clubs did Vera Watch recommend?', /relates "Scout" and "Player"/],
    ['Did Vera Watch watch River United?', /relates "Scout" and "Player"/],
    ['Which players coached River United?', /relates "Coach" and "Club"/],
    ['Scouts of River United who recommended a player', /is not said of/],
    ['李明和王芳的俱乐部分别是什么？', /side by side/],
    ['Result of Ann Lee', /result/],
  ])('%s: is refused and not answered as another question', async (question, reason) => {
    expect(await ask(question)).toMatch(reason);
  });
});
