import { aWorld, edge, namedLabel } from '../../../test/support/question-world.js';

/** A university whose relations have passive names, with nouns for the doer among their aliases. */
const { ask } = aWorld({
  labels: [
    namedLabel('Student', ['学生'], [['birth_date', 'date']]),
    namedLabel('Professor', ['教授'], []),
    namedLabel('Scholarship', ['奖学金'], [['amount', 'int']]),
    namedLabel('Depot', ['车场'], []),
    namedLabel('Vehicle', ['车辆'], []),
    namedLabel('Shift', ['班次'], []),
  ],
  edges: [
    edge('received', ['获得'], 'Student', 'Scholarship'),
    edge('supervised_by', ['supervisor', '导师'], 'Student', 'Professor'),
    edge('mentored_by', ['mentor', '辅导'], 'Student', 'Student'),
    edge('referred_by', ['referrer', '推荐人'], 'Student', 'Student'),
    edge('reports_to', ['上级'], 'Professor', 'Professor'),
    edge('works_at', ['工作于'], 'Student', 'Depot'),
    edge('parked_at', ['停放于'], 'Vehicle', 'Depot'),
    edge('driven_by', ['驾驶'], 'Shift', 'Student'),
  ],
  toOne: { outgoing: ['supervised_by', 'mentored_by', 'referred_by', 'reports_to', 'works_at', 'parked_at', 'driven_by'], incoming: [] },
  names: { Student: ['Ann Lee', 'Bob Ray'], Professor: ['Carl Frey', '周静'], Scholarship: ['Merit Award'], Vehicle: ['V-100'] },
}); // prettier-ignore

const supervised = 'MATCH (t:Student)-[r1:supervised_by]->(n1:Professor) MATCH (t:Student)-[r2:received]->(n2:Scholarship) WHERE n1.number';

describe('questions about a university', () => {
  it.each([
    ['students of Carl Frey who received a scholarship', supervised],
    ['students who received a scholarship and are supervised by Carl Frey', supervised],
    ['Carl Frey的学生中谁获得了奖学金', supervised],
    ['Which students of Carl Frey received the Merit Award?', '(t:Student)-[r1:received]->(n1:Scholarship) MATCH (t:Student)-[r2:'],
  ])('%s: does not walk there and back over one relation', async (question, cypher) => {
    expect(await ask(question)).toContain(cypher);
  });

  it.each([
    ['students mentored by Bob Ray', '(t:Student)-[r1:mentored_by]->(n1:Student)'],
    ['Who is mentored by Bob Ray?', '(t:Student)-[r1:mentored_by]->(n1:Student)'],
    ['Who mentored Ann Lee?', '(t:Student)<-[r1:mentored_by]-(n1:Student)'],
    ['Bob Ray辅导过的学生', '(t:Student)-[r1:mentored_by]->(n1:Student)'],
    ['谁辅导了Ann Lee', '(t:Student)<-[r1:mentored_by]-(n1:Student)'],
    ['students referred by Bob Ray', '(t:Student)-[r1:referred_by]->(n1:Student)'],
    ['Who referred Ann Lee?', '(t:Student)<-[r1:referred_by]-(n1:Student)'],
    ['Who was referred by Bob Ray?', '(t:Student)-[r1:referred_by]->(n1:Student)'],
    ['推荐人是Bob Ray的学生', '(t:Student)-[r1:referred_by]->(n1:Student)'],
    ['Has Bob Ray referred Ann Lee?', '(t:Student)-[r1:referred_by]->(n1:Student) WHERE n1.number = $p1 AND t <> n1 AND t.number = $p2'],
    ['students who are not mentored', 'WHERE NOT EXISTS { MATCH (t:Student)-[:mentored_by]->(n1:Student) }'],
    ['周静的上级是谁', '(t:Professor)<-[r1:reports_to]-(n1:Professor)'],
    ['上级是周静的教授', '(t:Professor)-[r1:reports_to]->(n1:Professor)'],
  ])('%s: a noun for the doer does not turn a passive relation', async (question, pattern) => {
    expect(await ask(question)).toContain(pattern);
  });

  it.each([
    ['students who have driven the vehicle V-100', 'refused: "driven" relates "Shift" and "Student", and not "Vehicle"; name'],
    ['Which students have driven V-100?', 'refused: No relation leads from "students" to "v-100"'],
    ['驾驶V-100的学生', 'refused: No relation leads from "学生" to "v-100"'],
    ['Who drives V-100?', 'refused: "drives" relates "Shift" and "Student", and not "Vehicle"; name'],
  ])('%s: takes no path without the relation of the verb', async (question, reason) => {
    expect(await ask(question)).toContain(reason);
  });
});
