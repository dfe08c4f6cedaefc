import { aWorld, edge, linkOver, namedLabel } from '../../../test/support/question-world.js';
import { planGraphQuestion } from './plan-graph-question.js';

/** A hospital in which a ward, a patient and a member of staff have one name, and a patient has a name of his own. */
const world = aWorld({
  labels: [
    namedLabel('Patient', ['病人'], [['age', 'int', '年龄'], ['blood_type', 'string', '血型']]),
    namedLabel('Staff', ['员工'], [['role', 'string', '角色']]),
    namedLabel('Ward', ['病房'], []),
    namedLabel('Report', ['报告'], []),
  ],
  edges: [
    edge('lies_in', ['住在'], 'Patient', 'Ward'),
    edge('works_at', ['工作于'], 'Staff', 'Ward'),
    edge('mentors', ['带教'], 'Staff', 'Staff'),
    edge('written_by', ['作者是'], 'Report', 'Staff'),
  ],
  toOne: { outgoing: ['lies_in', 'works_at', 'written_by'], incoming: [] },
  names: { Patient: ['Klein', 'Tom Reed', 'Hill'], Staff: ['Klein', 'Hill'], Ward: ['Klein', 'East Ward'], Report: [] },
  values: { Patient: { blood_type: ['AB'] } },
}); // prettier-ignore

describe('a name that nodes of several labels have', () => {
  it.each([
    ['patients in Klein', 'MATCH (t:Patient)-[r1:lies_in]->(n1:Ward) WHERE n1.number = $p1 RETURN DISTINCT t'],
    ['病人在Klein', 'MATCH (t:Patient)-[r1:lies_in]->(n1:Ward) WHERE n1.number = $p1 RETURN DISTINCT t'],
    ['Klein的病人', 'MATCH (t:Patient)-[r1:lies_in]->(n1:Ward) WHERE n1.number = $p1 RETURN DISTINCT t'],
    ['How many patients are in Klein?', 'MATCH (t:Patient)-[r1:lies_in]->(n1:Ward) WHERE n1.number = $p1 RETURN count(DISTINCT t)'],
    ['how many patients does Klein have', 'MATCH (t:Patient)-[r1:lies_in]->(n1:Ward) WHERE n1.number = $p1 RETURN count(DISTINCT t)'],
    ['Klein有多少病人', 'MATCH (t:Patient)-[r1:lies_in]->(n1:Ward) WHERE n1.number = $p1 RETURN count(DISTINCT t)'],
    ['staff in Klein', 'MATCH (t:Staff)-[r1:works_at]->(n1:Ward) WHERE n1.number = $p1 RETURN DISTINCT t'],
    ['who works at Klein', 'MATCH (t:Staff)-[r1:works_at]->(n1:Ward) WHERE n1.number = $p1 RETURN DISTINCT t'],
    ['patients with blood type AB in Klein', 'MATCH (t:Patient)-[r1:lies_in]->(n1:Ward) WHERE t.blood_type = $p1 AND n1.number = $p2'],
  ])('%s: is that of something else behind a preposition', async (question, cypher) => {
    expect(await world.ask(question)).toContain(cypher);
  });

  it.each(['patient Klein', '病人Klein', 'Klein这个病人', 'age of patient Klein'])('%s: names what is asked for', async question => {
    expect(await world.ask(question)).toContain('MATCH (t:Patient) WHERE t.number = $p1 RETURN DISTINCT t');
  });

  it.each(['patients in Tom Reed', 'Tom Reed的病人'])('%s: a preposition is not left out', async question => {
    expect(await world.ask(question)).toMatch(/^refused: No relation leads from "(?:patients|病人)" to "tom reed"/);
  });

  it.each(['patient Tom Reed', 'patients, Tom Reed', '病人“Tom Reed”'])(
    '%s: a name of one label stands beside its label',
    async question => {
      expect(await world.ask(question)).toContain('MATCH (t:Patient) WHERE t.number = $p1 RETURN DISTINCT t');
    },
  );
});

it('does not take the writers who wrote with a part of a name for those who wrote it', async () => {
  const text = 'who wrote Hill';
  const linked = await linkOver(text, { ...world, nodes: [...world.nodes.values()] });
  const asPart = (meaning: (typeof linked.mentions)[number]['meanings'][number]) =>
    meaning.as === 'entity' ? { ...meaning, approximate: true } : meaning;
  const mentions = linked.mentions.map(mention => ({ ...mention, meanings: mention.meanings.map(asPart) }));
  const planned = await planGraphQuestion({ ...linked, mentions }, world.schema, world.nodes, 'en');
  expect(planned).toMatchObject({ reason: { en: expect.stringContaining('"wrote"') } });
});
