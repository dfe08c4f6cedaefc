import { askAirlines } from '../../../test/support/airline-world.js';

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
    expect(await askAirlines(question)).toContain(pattern);
  });
});
