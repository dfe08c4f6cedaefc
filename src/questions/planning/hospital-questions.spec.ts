import { aWorld, edge, namedLabel } from '../../../test/support/question-world.js';

const { ask, plan } = aWorld({
  labels: [
    namedLabel('Department', ['科室'], [['floor', 'int'], ['phone', 'string', '电话']]),
    namedLabel('Doctor', ['医生'], [['gender', 'string', '性别'], ['title', 'string', '职称'], ['salary', 'int', '工资'], ['birth date', 'date', '出生日期'], ['mobile', 'string']]),
    namedLabel('Patient', ['患者'], [['gender', 'string', '性别'], ['city', 'string', '城市'], ['weight', 'int', '体重']]),
    namedLabel('Disease', ['疾病'], [['category', 'string', '类别'], ['contagious', 'boolean', '传染']]),
    namedLabel('Drug', ['药品', '药'], [['manufacturer', 'string', '厂家'], ['prescription only', 'boolean', '处方药'], ['stock', 'int', '库存']]),
  ],
  edges: [
    edge('works in', ['任职于'], 'Doctor', 'Department'),
    edge('heads', ['领导'], 'Doctor', 'Department'),
    edge('visited', ['看过', '就诊'], 'Patient', 'Doctor'),
    edge('family doctor', ['家庭医生'], 'Patient', 'Doctor'),
    edge('diagnosed with', ['患有'], 'Patient', 'Disease'),
    edge('takes', ['服用'], 'Patient', 'Drug'),
    edge('treats', ['治疗'], 'Drug', 'Disease'),
  ],
  toOne: { outgoing: ['works in', 'family doctor'], incoming: ['heads'] },
  names: { Department: ['Urology'], Doctor: ['Liam Newton'], Disease: ['Diabetes'], Drug: ['Insulin', 'Aspirin'] },
  values: { Patient: { city: ['London'], gender: ['female'] }, Doctor: { gender: ['female'] }, Drug: { manufacturer: ['Bayer'] } },
}); // prettier-ignore

describe('questions about a hospital', () => {
  const drugs = 'MATCH (t:Drug)<-[r1:takes]-(n1:Patient)';
  it.each([
    ['被最多患者服用的药品是什么？', drugs],
    ['最多患者服用的药品是哪个？', drugs],
    ['The most patients take which drug?', drugs],
    ['服用药品最多的患者', 'MATCH (t:Patient)-[r1:takes]->(n1:Drug)'],
    ['服用最多药品的患者是谁？', 'MATCH (t:Patient)-[r1:takes]->(n1:Drug)'],
    ['哪种药治疗最多疾病？', 'MATCH (t:Drug)-[r1:treats]->(n1:Disease)'],
    ['哪位医生看过最多患者？', 'MATCH (t:Doctor)<-[r1:visited]-(n1:Patient)'],
    ['Top 3 diseases by number of patients', 'MATCH (t:Disease)<-[r1:`diagnosed with`]-(n1:Patient)'],
  ])('%s: ranks what is asked for by the most of the other', async (question, pattern) => {
    expect(await ask(question)).toContain(`${pattern} RETURN t, count(DISTINCT n1) AS n ORDER BY n DESC`);
  });

  const noDoctor = 'NOT EXISTS { MATCH (t:Patient)-[:`family doctor`]->(n1:Doctor) }';
  it.each([
    ['Patients from London without a family doctor', `MATCH (t:Patient) WHERE t.city = $p1 AND ${noDoctor} RETURN DISTINCT t`],
    ['London没有家庭医生的患者有哪些？', `MATCH (t:Patient) WHERE t.city = $p1 AND ${noDoctor} RETURN DISTINCT t`],
    ['How many patients do not have a family doctor?', `MATCH (t:Patient) WHERE ${noDoctor} RETURN count(DISTINCT t)`],
    ['Which patients take no drugs?', 'MATCH (t:Patient) WHERE NOT EXISTS { MATCH (t:Patient)-[:takes]->(n1:Drug) } RETURN DISTINCT t'],
    ['Which drugs treat no disease?', 'MATCH (t:Drug) WHERE NOT EXISTS { MATCH (t:Drug)-[:treats]->(n1:Disease) } RETURN DISTINCT t'],
  ])('%s: denies what it says', async (question, cypher) => {
    expect(await ask(question)).toContain(cypher);
  });

  it('says which year a month was taken of', async () => {
    expect(await plan('How many doctors were born in May?')).toMatchObject({
      notes: [{ en: '"may" names no year and is read as of 2026' }],
    });
  });

  it.each([
    ['Which manufacturers make drugs that treat Diabetes?', 'RETURN DISTINCT t.manufacturer AS manufacturer'],
    ['List the drug manufacturers', 'RETURN DISTINCT t.manufacturer AS manufacturer'],
    ['有哪些药品厂家？', 'RETURN DISTINCT t.manufacturer AS manufacturer'],
    ['非处方药有哪些？', 'MATCH (t:Drug) WHERE t.`prescription only` = $p1 RETURN DISTINCT t'],
    [
      'Which patients with Diabetes take Insulin?',
      'MATCH (t:Patient)-[r1:takes]->(n1:Drug) MATCH (t:Patient)-[r2:`diagnosed with`]->(n2:Disease)',
    ],
    ['体重少于50的患者', 'MATCH (t:Patient) WHERE t.weight < $p1 RETURN DISTINCT t'],
  ])('%s: lists what is asked for', async (question, cypher) => {
    expect(await ask(question)).toContain(cypher);
  });

  it.each([
    ['Which doctors work in the department they head?', /"they" stands for/],
    ['Which patients take a drug that treats their disease?', /"their" stands for/],
    ['Which patients take all drugs made by Bayer?', /leave out "all"/],
    ['服用所有药品的患者', /leave out "所有"/],
    ['Which drugs treat each other?', /leave out "each other"/],
    ['List all department heads', /It is not clear who/],
    ['Which department heads are female?', /It is not clear who/],
    ['Which disease category has the most patients?', /cannot be ranked/],
    ['Which patients take a drug of the manufacturer of Aspirin?', /It is not clear how "manufacturer" limits/],
    ['Which drugs are out of stock?', /It is not clear how "stock" limits/],
    ['Which patients take a contagious drug?', /"contagious" is not a property of "drug"/],
    ['Doctors with the same title as Liam Newton', /same value/],
    ['How many patients visited doctors who earn more than 40000?', /It is not clear what/],
    ['Aspirin是哪家生产的？', /unknown: 哪家生产/],
    ['贵的药有哪些？', /unknown: 贵药/],
  ])('%s: is refused and not answered as another question', async (question, reason) => {
    expect(await ask(question)).toMatch(reason);
  });
});
