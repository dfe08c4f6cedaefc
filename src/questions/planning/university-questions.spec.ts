import { aWorld, edge, namedLabel, propertiesOf } from '../../../test/support/question-world.js';

/** A world whose events have their dates in relations, where a club counts as a person and one verb is a noun too. */
const { ask } = aWorld({
  labels: [
    namedLabel('Student', ['学生'], [['gender', 'string'], ['birth date', 'date'], ['enrolment date', 'date']]),
    namedLabel('Teacher', ['老师', '教师'], []),
    namedLabel('Club', ['社团'], [['category', 'string', '类别'], ['founding date', 'date'], ['annual fee', 'int', '年费']]),
    namedLabel('Course', ['课程'], [['credits', 'int', '学分'], ['launch date', 'date']]),
    namedLabel('Book', ['书'], [['price', 'int', '价格'], ['publication year', 'int'], ['copies', 'int']]),
    namedLabel('Department', ['学院'], []),
  ],
  edges: [
    { ...edge('borrowed', ['借', '借了', 'borrow'], 'Student', 'Book'), properties: propertiesOf([['loan date', 'date']]) },
    { ...edge('joined', ['参加', '加入', 'member'], 'Student', 'Club'), properties: propertiesOf([['joining date', 'date']]) },
    edge('advises', ['指导', '导师', 'advisor'], 'Teacher', 'Student'),
    edge('sponsored by', ['sponsor'], 'Club', 'Department'),
    edge('requires', ['先修课', 'prerequisite'], 'Course', 'Course'),
  ],
  toOne: { outgoing: ['sponsored by'], incoming: ['advises'] },
  names: { Student: ['徐超'], Book: ['Emma'], Club: ['Chess Club', '篮球社'], Course: ['Compilers', 'Algebra'] },
  values: { Student: { gender: ['female'] }, Club: { category: ['体育'] } },
}); // prettier-ignore

describe('questions about a university', () => {
  it.each([
    ['Is Algebra a prerequisite of Compilers?', '(t:Course)-[r1:requires]->(n1:Course)'],
    ['Does Compilers have Algebra as prerequisite?', '(t:Course)<-[r1:requires]-(n1:Course)'],
    ['When did 徐超 borrow Emma?', 'r1.`loan date` AS `loan date`'],
    ['徐超是什么时候借的Emma？', 'r1.`loan date` AS `loan date`'],
    ['Who joined the most clubs?', 'MATCH (t:Student)-[r1:joined]->(n1:Club) RETURN t, count'],
    ['谁参加的社团最多', 'MATCH (t:Student)-[r1:joined]->(n1:Club) RETURN t, count'],
    ['Female members of the Chess Club', 'MATCH (t:Student)-[r1:joined]->(n1:Club) WHERE'],
    ['徐超的导师是谁', 'MATCH (t:Teacher)-[r1:advises]->(n1:Student)'],
    ['Which departments sponsor a club?', 'MATCH (t:Department)<-[r1:`sponsored by`]-(n1:Club)'],
    ['Which books have more than 5 copies?', 'WHERE t.copies > $p1'],
  ])('%s: asks for what is said', async (question, cypher) => {
    expect(await ask(question)).toContain(cypher);
  });

  it.each([
    ['每类书的平均价格', /by what "每类" groups/],
    ['各类社团的平均年费', /by what "各类" groups/],
    ['除了篮球社，体育社团还有哪些', /is left out too/],
  ])('%s: is refused and not answered as another question', async (question, reason) => {
    expect(await ask(question)).toMatch(reason);
  });
});
