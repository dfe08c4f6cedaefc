import { startTestApp, type TestApp } from './support/app.js';
import { displays } from './support/displays.js';
import { ingest, upload } from './support/ingestion.js';

const mapping = `version: 1
nodes:
  - label: 科室
    aliases: [Department]
    id: department
    table: departments
    key: [id]
    display: name
    columns: [{column: id, property: 科室编号, type: int}, {column: name, property: 名称, type: string}]
  - label: 医生
    aliases: [Doctor]
    id: doctor
    table: doctors
    key: [id]
    display: name
    columns: [{column: id, property: 工号, type: int}, {column: name, property: 姓名, type: string}, {column: active, property: 在职, type: boolean}, {column: surgeon, property: surgeon, type: boolean}]
edges:
  - {type: 上级, table: departments, key: [id], from: {node: department, match: {id: id}}, to: {node: department, match: {parent: id}}}
  - {type: 任职于, aliases: [WORKS_IN], table: doctors, key: [id], from: {node: doctor, match: {id: id}}, to: {node: department, match: {dept: id}}}`;

describe('conditions of questions', () => {
  let test: TestApp;
  let graph: number;
  beforeAll(async () => {
    test = await startTestApp();
    await upload(test, 'departments', 'id,name,parent\n1,内科,\n2,心内科,1\n3,呼吸科,1\n4,骨科,\n', 'id:int,parent:int');
    const doctors = 'id,name,active,surgeon,dept\n1,张三,true,true,2\n2,李四,false,true,2\n3,王五,true,false,4\n4,赵六,,false,4\n';
    await upload(test, 'doctors', doctors, 'id:int,active:boolean,surgeon:boolean,dept:int');
    graph = (await ingest(test, mapping)).graphId;
  });
  afterAll(() => test.close());

  const ask = async (question: string) =>
    (
      await test.admin
        .post(`/api/graphs/${graph}/query`)
        .send({ question, include: ['plan'] })
        .expect(200)
    ).body;

  it.each([
    ['哪些医生是在职的', ['张三', '王五']],
    ['在职的医生有哪些', ['张三', '王五']],
    ['列出所有在职医生', ['张三', '王五']],
    ['Which doctors are surgeon?', ['张三', '李四']],
    ['骨科的在职医生有哪些', ['王五']],
    ['有多少在职的医生', [2]],
  ])('%s: a boolean limits', async (question, expected) => {
    const { rows, plan } = await ask(question);
    expect([plan.kind, displays(rows).sort()]).toEqual(['cypher', [...expected].sort()]);
  });

  it.each([
    ['张三在职吗', /^是/],
    ['李四在职吗', /^否/],
    ['Is 王五 a surgeon?', /^No/],
  ])('%s', async (question, sentence) => {
    expect((await ask(question)).answer.text).toMatch(sentence);
  });

  it('says neither yes nor no of an unknown value', async () => {
    expect((await ask('赵六在职吗')).answer.text).not.toMatch(/^[是否]：/);
  });

  it.each(['按在职统计医生数量', 'How many doctors are there by surgeon?', '列出医生的姓名和是否在职'])(
    '%s: does not leave the others out',
    async question => {
      const { rows, plan } = await ask(question);
      const counted = rows.reduce((sum: number, row: unknown[]) => sum + Number(typeof row[1] === 'number' ? row[1] : 1), 0);
      expect([plan.kind, plan.kind === 'search' ? 4 : counted]).toEqual([plan.kind, 4]);
    },
  );

  it('tells the value of a boolean that is asked for', async () => {
    const { rows } = await ask('李四的在职是什么');
    expect(rows.map((row: unknown[]) => row[1])).toEqual([false]);
  });

  it.each(['内科下面有哪些科室', '内科里面有什么科室', '内科以下的科室有哪些'])('%s is not answered with itself', async question => {
    const { rows, plan, status } = await ask(question);
    const named = plan.kind === 'cypher' ? displays(rows).sort() : [];
    expect([named.includes('内科'), status === 'ambiguous' || plan.kind === 'search' || named.length === 2]).toEqual([false, true]);
  });

  it.each([
    'Which doctors do not not work in 骨科?',
    'Which doctors work in department -1?',
    'Which doctors work in department 1 to department 3?',
    'Which doctors work in department 99?',
  ])('%s is refused', async question => {
    const { plan } = await ask(question);
    expect(plan.kind).toBe('search');
  });
});
