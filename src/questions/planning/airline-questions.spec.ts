import { cypherOf, planOver } from '../../../test/support/question-world.js';
import { airlines } from '../../../test/support/airline-world.js';

const { ask, plan } = airlines;

describe('questions about airlines', () => {
  it.each([
    ['Which flights of Delta were delayed?', 'WHERE t.status = $p1 AND n1.key = $p2 RETURN DISTINCT t ORDER'],
    ['delayed flights of Air France', 'WHERE t.status = $p1 AND n1.key = $p2 RETURN DISTINCT t ORDER'],
    ['flights with the status delayed', 'MATCH (t:Flight) WHERE t.status = $p1 RETURN DISTINCT t ORDER'],
    ['Was CZ105 delayed?', 'MATCH (t:Flight) WHERE t.key = $p1 AND t.status = $p2 RETURN DISTINCT t ORDER'],
    ['What is the delay of CZ105?', 'WHERE t.key = $p1 RETURN DISTINCT t, t.`delay minutes`'],
    ['职级是副驾驶的飞行员有哪些', 'MATCH (t:飞行员) WHERE t.职级 = $p1 RETURN DISTINCT t ORDER'],
    ['Which pilots have the rank 副驾驶?', 'MATCH (t:飞行员) WHERE t.职级 = $p1 RETURN DISTINCT t ORDER'],
    ['CZ105的副驾驶是谁', 'MATCH (t:飞行员)-[r1:CO_PILOTS]->(n1:Flight) WHERE n1.key = $p1'],
  ])('%s: takes a value by its exact name before another form of a name of the schema', async (question, pattern) => {
    expect(await ask(question)).toContain(pattern);
  });

  it.each([
    ['国家是法国的航空公司有哪些', '"国家" of "Airline" has no known value "法国"'],
    ['哪些航空公司的国家是法国', '"国家" of "Airline" has no known value "法国"'],
    ['passengers whose nationality is Germany', '"nationality" of "乘客" has no known value "germany"'],
    ['Which flights have the status economy?', '"status" of "Flight" has no known value "economy"'],
    ['职级是Delta的飞行员', '"职级" has no known value "delta"'],
    ['tickets whose name is economy', 'Nothing has the name "economy"; it is a value of a property'],
    ['法国有多少家航空公司', 'No "Airline" has "法国" as its country; it is only a value of "机场"'],
  ])('%s: looks for a value only in the property that is named beside it', async (question, reason) => {
    expect(await ask(question)).toBe(`refused: ${reason}`);
  });

  it.each([
    ['国家是德国的航空公司有哪些', 'MATCH (t:Airline) WHERE t.country = $p1'],
    ['How many airlines operate flights departing from airports in 法国?', 'WHERE n2.国家 = $p1'],
  ])('%s: takes the value of what the question names', async (question, pattern) => {
    expect(await ask(question)).toContain(pattern);
  });

  it('flights from airports whose country is Germany: takes the value of what the question names', async () => {
    // DEPARTS_FROM and ARRIVES_AT both lead to an airport, and "from" alone chooses neither.
    expect(await ask('flights from airports whose country is Germany')).toMatch(/^refused/);
    const edges = airlines.schema.edges.filter(({ type }) => type !== 'ARRIVES_AT');
    const found = await planOver('flights from airports whose country is Germany', { ...airlines, schema: { ...airlines.schema, edges } });
    expect(cypherOf(found)).toContain('MATCH (t:Flight)-[r1:DEPARTS_FROM]->(n1:机场) WHERE n1.国家 = $p1');
  });

  it.each([
    ['total seats of the aircraft of Delta', 'WITH DISTINCT t, n1 RETURN sum(t.座位数)'],
    ['average seats of aircraft in service', 'WITH DISTINCT t, n1 RETURN avg(t.座位数)'],
    ['在役飞机的平均座位数', 'WITH DISTINCT t, n1 RETURN avg(t.座位数)'],
    ['Delta的飞机的总座位数', 'WITH DISTINCT t, n1 RETURN sum(t.座位数)'],
    ['average seats of aircraft types', 'MATCH (t:机型) RETURN avg(t.座位数)'],
  ])('%s: counts each of the things that are named', async (question, pattern) => {
    expect(await ask(question)).toContain(pattern);
  });

  it.each([
    ['谁最早入职', 'ORDER BY 入职日期 ASC'],
    ['Who was hired last?', 'ORDER BY 入职日期 DESC'],
    ['Who was hired in 2020?', 'WHERE t.入职日期 >= $p1'],
    ['谁最早入会', 'ORDER BY 入会日期 ASC'],
    ['Who joined first?', 'ORDER BY 入会日期 ASC'],
    ['pilots who joined in 2020', 'MATCH (t:飞行员) WHERE t.入职日期 >= $p1'],
  ])('%s: takes the date that is called by what happens before one that means the same', async (question, part) => {
    expect(await ask(question)).toContain(part);
  });

  it.each([
    ['Which pilots from Germany work for Lufthansa?', '(n1:Airline) WHERE n1.key = $p1 AND t.国籍 = $p2 RETURN DISTINCT t'],
    ['How many pilots from Germany work for Lufthansa?', '(n1:Airline) WHERE n1.key = $p1 AND t.国籍 = $p2 RETURN count(DISTINCT t)'],
    ['Which airlines from Germany operate flights?', '-[r1:OPERATES]->(n1:Flight) WHERE t.country = $p1'],
  ])('%s: takes what something is from as its own', async (question, pattern) => {
    expect(await ask(question)).toContain(pattern);
  });

  it.each([
    ['How many aircraft does Lufthansa own?', 'MATCH (t:Aircraft)<-[r1:OWNS]-(n1:Airline) WHERE n1.key = $p1 RETURN count(DISTINCT t)'],
    ['Which airlines own aircraft in service?', 'MATCH (t:Airline)-[r1:OWNS]->(n1:Aircraft)'],
    ['pilots who work for their own airline', 'must be the same in both places'],
  ])('%s: tells the verb from what is their own', async (question, pattern) => {
    expect(await ask(question)).toContain(pattern);
  });

  it.each([
    ['Who has the highest salary among the pilots of Lufthansa?', 1],
    ['Which pilots of Lufthansa have the highest salary?', 5],
    ['Who are the pilots with the highest salary?', 5],
  ])('%s: asks for as many as its verb says', async (question, top) => {
    expect(await plan(question)).toMatchObject({ top });
  });
});
