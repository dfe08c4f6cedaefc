import { createLog } from '../src/common/logging/log.js';
import { NotInSqlError } from '../src/cypher/semantics/not-in-sql.error.js';
import { graphTables } from '../src/database/graph-tables.js';
import { LoadedGraphs } from '../src/retrieval/process/loaded-graphs.js';
import { RetrievalDatabase } from '../src/retrieval/process/retrieval-database.js';
import { type ForcedExecutor, runCypher } from '../src/retrieval/process/run-cypher.js';
import { type RetrievalAnswer } from '../src/retrieval/protocol.js';
import { type TestApp, startTestApp } from './support/app.js';
import { cypherRequest } from './support/cypher-request.js';
import { aGraph, aJob, counts, ingest, runToEnd, upload } from './support/ingestion.js';
import { localParts } from './support/local-parts.js';

let app: TestApp;
let database: RetrievalDatabase;
let graphs: LoadedGraphs;
beforeAll(async () => {
  app = await startTestApp();
  database = RetrievalDatabase.open({ databaseUrl: app.databaseUrl }, 2, 16_000_000, createLog('error'));
  graphs = new LoadedGraphs(database, 64_000_000, localParts(64_000_000), null, () => undefined);
});
afterAll(async () => {
  await database.close();
  await app.close();
});

const customers = `id,name,level,region
1,华东贸易,9,east
2,北方机械,3,north
3,南海渔业,,south
`;
const suppliers = `id,name
1,甲钢铁
2,乙化工
`;
const orders = `id,customer
10,1
11,2
`;

const mapping = (table: string, labels = `[公司, {name: 贵宾, aliases: [Vip], when: level >= 5}]`, more = ''): string => `version: 1
nodes:
  - id: c
    label: 客户
    aliases: [Customer]
    labels: ${labels}
    table: ${table}
    key: [id]
    columns: [{column: id, type: int}, {column: name, property: 名称}, {column: level, type: int}, {column: region}]${more}
  - {id: s, label: 供应商, labels: [公司], table: suppliers, key: [id], columns: [{column: id, type: int}, {column: name, property: 名称}]}
  - {id: o, label: 订单, table: orders, key: [id], columns: [{column: id, type: int}]}
edges:
  - {type: 下单, table: orders, from: {node: c, match: {customer: id}}, to: {node: o, match: {id: id}}}
`;
const types = 'id:int,name:text,level:int,region:text';

let tables = 0;
async function customerTable(csv = customers): Promise<string> {
  const name = `customers${++tables}`;
  await upload(app, name, csv, types);
  return name;
}
beforeAll(async () => {
  await upload(app, 'suppliers', suppliers, 'id:int,name:text');
  await upload(app, 'orders', orders, 'id:int,customer:int');
});

async function ask(graphId: number, cypher: string): Promise<any> {
  const { body, status } = await app.admin.post(`/api/graphs/${graphId}/query`).send({ cypher, include: ['plan', 'graph'] });
  if (status !== 200) throw new Error(JSON.stringify(body));
  return body;
}

/** @throws NotInSqlError where SQL leaves the query to memory */
function forced(graphId: number, text: string, executor: ForcedExecutor): Promise<RetrievalAnswer> {
  return runCypher(database, graphs, cypherRequest(graphId, text), new AbortController().signal, executor);
}

/** The labels of each node in the graph's table. */
async function stored(graphId: number): Promise<Record<string, string[]>> {
  const { rows } = await app.pool.query(`SELECT label || ' ' || key AS node, labels FROM ${graphTables(graphId).nodes} ORDER BY 1`);
  return Object.fromEntries(rows.map(({ node, labels }) => [node, labels]));
}

async function labelCounts(graphId: number): Promise<Record<string, Record<string, number>>> {
  const { body } = await app.admin.get(`/api/graphs/${graphId}/schema`).expect(200);
  const found: Record<string, Record<string, number>> = {};
  // The schema has one row for each job that yields a label.
  for (const { label, labels } of body.nodes) for (const { name, count } of labels) (found[label] ??= {})[name] = count;
  return found;
}

describe('further labels in queries', () => {
  let graphId: number;
  beforeAll(async () => {
    ({ graphId } = await ingest(app, mapping(await customerTable())));
  });

  it.each<[match: string, result: string, rows: unknown[][]]>([
    ['MATCH (n:贵宾)', 'n.名称 AS x', [['华东贸易']]],
    ['MATCH (n:Vip)', 'n.名称 AS x', [['华东贸易']]],
    ['MATCH (n:vip)', 'count(n) AS x', [[1]]],
    ['MATCH (n:公司)', 'n.名称 AS x ORDER BY x', [['乙化工'], ['北方机械'], ['华东贸易'], ['南海渔业'], ['甲钢铁']]],
    ['MATCH (n:Customer:Vip)', 'n.id AS x', [[1]]],
    ['MATCH (n:供应商:贵宾)', 'n.id AS x', []],
    ['MATCH (n:公司 {id: 1})', 'n.名称 AS x ORDER BY x', [['华东贸易'], ['甲钢铁']]],
    ['MATCH (n:客户 {id: 1})', 'n.名称 AS x', [['华东贸易']]],
    ['MATCH (n:供应商|贵宾)', 'n.名称 AS x ORDER BY x', [['乙化工'], ['华东贸易'], ['甲钢铁']]],
    ['MATCH (n) WHERE n:贵宾', 'n.名称 AS x', [['华东贸易']]],
    ['MATCH (n:客户) WHERE NOT n:Vip', 'n.名称 AS x ORDER BY x', [['北方机械'], ['南海渔业']]],
    ['MATCH (n) WHERE n:公司:贵宾 OR n:订单', 'labels(n)[0] AS x ORDER BY x', [['客户'], ['订单'], ['订单']]],
    ['MATCH (n:客户)', 'labels(n) AS x ORDER BY n.id', [[['客户', '公司', '贵宾']], [['客户', '公司']], [['客户', '公司']]]],
    ['MATCH (:贵宾)-[:下单]->(o)', 'o.id AS x', [[10]]],
    ['MATCH (a:公司)-[]-(b)', 'labels(a) AS x ORDER BY size(x)', [[['客户', '公司']], [['客户', '公司', '贵宾']]]],
    ['MATCH (n:公司)', 'n AS x, count(*) AS y ORDER BY n.名称 DESC LIMIT 1', [[expect.objectContaining({ label: '供应商', labels: ['供应商', '公司'] }), 1]]],
  ])('answers %s RETURN %s, alike with a WITH', async (match, result, rows) => {
    const plain = await ask(graphId, `${match} RETURN ${result}`);
    const inMemory = await ask(graphId, `${match} WITH * RETURN ${result}`);
    expect([plain.rows, inMemory.rows]).toEqual([rows, rows]);
    expect([plain.warnings, inMemory.warnings, inMemory.plan.executor]).toEqual([[], [], 'memory']);
  }); // prettier-ignore

  it.each<[cypher: string, inSql: boolean]>([
    ['MATCH (n:客户) RETURN n ORDER BY n.id', true],
    ['MATCH (n:客户 {id: 1}) RETURN n', true],
    ['MATCH (n) RETURN n ORDER BY id(n)', true],
    ['MATCH (n) WHERE n:客户 OR n:订单 RETURN id(n) AS x ORDER BY x', true],
    ['MATCH (a:客户)-[r:下单]->(b) RETURN a, r, b ORDER BY b.id', true],
    ['MATCH (a)-[:下单]->(b:订单) RETURN a, count(b) ORDER BY id(a)', true],
    ['MATCH (n:公司) RETURN n ORDER BY id(n)', false],
    ['MATCH (n:客户:公司) RETURN n ORDER BY id(n)', false],
    ['MATCH (n:供应商|公司) RETURN n ORDER BY id(n)', false],
    ['MATCH (n:Vip)-[:下单]->(o) RETURN o', false],
    ['MATCH (n) WHERE NOT n:公司 RETURN n ORDER BY id(n)', false],
    ['MATCH (n:客户) RETURN n:贵宾 AS x ORDER BY x', false],
    ['MATCH (n:客户) RETURN labels(n) AS x ORDER BY n.id', false],
  ])('gives the same answer in SQL and in memory, unless SQL leaves it to memory: %s (in SQL: %s)', async (cypher, inSql) => {
    const inMemory = await forced(graphId, cypher, 'memory');
    expect(inMemory.rows).not.toHaveLength(0);
    if (!inSql) return expect(forced(graphId, cypher, 'sql')).rejects.toThrow(NotInSqlError);
    const bySql = await forced(graphId, cypher, 'sql');
    expect([bySql.plan, inMemory.plan]).toMatchObject([{ executor: 'sql' }, { executor: 'memory' }]);
    // The order of the nodes, edges and citations is undefined, so they are sorted.
    const sorted = (list: object[]): string[] => list.map(each => JSON.stringify(each)).sort();
    const [found, expected] = [bySql, inMemory].map(({ rows, graph: { nodes, edges }, citations }) => ({
      rows,
      nodes: sorted(nodes),
      edges: sorted(edges),
      citations: sorted(citations),
    }));
    expect(found).toEqual(expected);
  });

  it('shows all labels of a node, and cites the table of its key label', async () => {
    for (const cypher of ['MATCH (n:贵宾) RETURN n', 'MATCH (n:贵宾) WITH n RETURN n']) {
      const { rows, graph, citations } = await ask(graphId, cypher);
      const node = expect.objectContaining({ label: '客户', labels: ['客户', '公司', '贵宾'], key: '1' });
      expect([rows, graph.nodes]).toEqual([[[node]], [node]]);
      expect(citations).toEqual([expect.objectContaining({ label: '客户', key: { id: '1' } })]);
    }
    const { citations } = await ask(graphId, 'MATCH (n:公司) RETURN max(n.id) * 2 AS x');
    expect(citations.map(({ label, key }: any) => `${label} ${key.id}`).sort()).toEqual([
      '供应商 1',
      '供应商 2',
      '客户 1',
      '客户 2',
      '客户 3',
    ]);
    const { rows } = await ask(graphId, 'MATCH (n:贵宾) RETURN id(n) AS id');
    const { body } = await app.admin.get(`/api/graphs/${graphId}/nodes/${rows[0][0]}`).expect(200);
    expect(body).toMatchObject({ label: '客户', labels: ['客户', '公司', '贵宾'] });
  });

  it('warns about an unknown label with the nearest one', async () => {
    expect((await ask(graphId, 'MATCH (n:Vipp) RETURN n')).warnings).toEqual([expect.stringMatching(/Vipp.*Vip/)]);
    expect((await ask(graphId, 'MATCH (n:贵宾们) WITH n RETURN n.名称')).warnings).toEqual([expect.stringMatching(/贵宾们.*贵宾/)]);
    expect((await ask(graphId, 'MATCH (n:贵宾) RETURN n.名呈')).warnings).toEqual([expect.stringMatching(/名呈.*名称/)]);
  });

  it('are in the schema with their counts', async () => {
    const { body } = await app.admin.get(`/api/graphs/${graphId}/schema`).expect(200);
    expect(body.nodes.find(({ label }: any) => label === '客户').labels).toEqual([
      { name: '公司', aliases: [], count: 3 },
      { name: '贵宾', aliases: ['Vip'], count: 1 },
    ]);
    expect(await labelCounts(graphId)).toEqual({ 客户: { 公司: 3, 贵宾: 1 }, 供应商: { 公司: 2 } });
  });

  it('are words of a search, alone or beside others', async () => {
    const search = async (text: string): Promise<any[]> =>
      (await app.admin.post(`/api/graphs/${graphId}/query`).send({ search: text }).expect(200)).body.rows;
    const [alone, beside] = [await search('Vip'), await search('公司 乙化工')];
    expect(alone.map(([node]) => node)).toEqual([expect.objectContaining({ key: '1', labels: ['客户', '公司', '贵宾'] })]);
    expect(beside[0][0]).toMatchObject({ label: '供应商', display: '乙化工', labels: ['供应商', '公司'] });
  });
});

describe('further labels in runs', () => {
  it('come and go with the rows, also when only the label changes', async () => {
    const table = await customerTable();
    const { graphId, jobId } = await ingest(app, mapping(table, `[{name: 贵宾, when: level >= 5}, {name: 东部, when: "region = 'east'"}]`));
    expect(await stored(graphId)).toMatchObject({ '客户 1': ['东部', '贵宾'], '客户 2': [], '客户 3': [] });
    await upload(app, table, 'id,name,level,region\n1,华东贸易,9,west\n2,北方机械,5,north\n', types);
    const run = await runToEnd(app, jobId);
    expect(run.error).toBeNull();
    expect(counts(run)['客户']).toEqual([2, 0, 2, 0, 1, 0, 0]);
    expect(await stored(graphId)).toMatchObject({ '客户 1': ['贵宾'], '客户 2': ['贵宾'] });
    expect(await labelCounts(graphId)).toMatchObject({ 客户: { 贵宾: 2, 东部: 0 } });
    expect((await ask(graphId, 'MATCH (n:贵宾) WITH n RETURN count(n)')).rows).toEqual([[2]]);
    expect((await runToEnd(app, jobId)).report.unchanged_source).toMatchObject({ run_id: run.id });
  });

  it('change with a revision of labels alone, and are read from the beginning of an incremental source', async () => {
    const table = await customerTable();
    const more = '\n    incremental: {cursor: id, type: int}';
    const { graphId, jobId } = await ingest(app, mapping(table, '[公司]', more));
    const saved = await app.admin
      .post(`/api/ingestion/jobs/${jobId}/revisions`)
      .send({ mapping_yaml: mapping(table, `[{name: 北方, when: "region = 'north'"}]`, more) })
      .expect(200);
    expect(saved.body.changes[0]).toMatchObject({ target: '客户', change: 'changed', keys: ['labels'] });
    const run = await runToEnd(app, jobId);
    expect(counts(run)['客户']).toEqual([3, 0, 3, 0, 0, 0, 0]);
    expect(await stored(graphId)).toMatchObject({ '客户 1': [], '客户 2': ['北方'], '客户 3': [] });
  });

  it('leave nodes that no row wrote when the mapping drops them', async () => {
    const table = await customerTable();
    const { graphId, jobId } = await ingest(app, mapping(table, '[公司, 旧]', '\n    deletes: {mode: none}'));
    await upload(app, table, 'id,name,level,region\n1,华东贸易,9,east\n', types);
    await app.admin
      .post(`/api/ingestion/jobs/${jobId}/revisions`)
      .send({ mapping_yaml: mapping(table, '[公司]', '\n    deletes: {mode: none}') });
    const run = await runToEnd(app, jobId);
    expect(run.report.targets.find((target: any) => target.target === '客户')).toMatchObject({ updated: 1, lost_properties: 2 });
    expect(await stored(graphId)).toMatchObject({ '客户 1': ['公司'], '客户 3': ['公司'] });
  });

  it('are those of all jobs that yield a node, and go with the job that gave them', async () => {
    const one = await customerTable();
    const graphId = await aGraph(app);
    await runToEnd(app, await aJob(app, graphId, mapping(one, '[公司]')));
    const other = (labels: string, write = 'merge'): string => `version: 1
nodes:
  - {id: c, label: 客户, labels: ${labels}, write: ${write}, table: ${one}, where: id < 3, key: [id], columns: [{column: id, type: int}]}
`;
    const jobId = await aJob(app, graphId, other('[A, 长期]'));
    await runToEnd(app, jobId);
    expect(await stored(graphId)).toMatchObject({ '客户 1': ['A', '公司', '长期'], '客户 3': ['公司'] });
    expect(await labelCounts(graphId)).toMatchObject({ 客户: { A: 2, 公司: 3, 长期: 2 } });
    await app.admin.post(`/api/ingestion/jobs/${jobId}/revisions`).send({ mapping_yaml: other('[A]') }).expect(200); // prettier-ignore
    await runToEnd(app, jobId);
    expect(await stored(graphId)).toMatchObject({ '客户 1': ['A', '公司'], '客户 3': ['公司'] });
    await app.admin.post(`/api/ingestion/jobs/${jobId}/retire`).set('Prefer', 'wait=60').expect(200);
    expect(await stored(graphId)).toMatchObject({ '客户 1': ['公司'], '客户 3': ['公司'] });
    expect((await ask(graphId, 'MATCH (n:A) RETURN n')).warnings).toEqual([expect.stringMatching(/没有标签|no label/)]);
  });

  it('make at most 4,096 sets; a run that needs more fails and leaves the graph as it was', async () => {
    // Each row gets a different set of labels.
    const rows = (count: number): string => `n\n${Array.from({ length: count }, (_, i) => `${i}\n`).join('')}`;
    const bits = Array.from({ length: 13 }, (_, bit) => `{name: B${bit}, when: '(n & ${1 << bit}) > 0'}`).join(', ');
    await upload(app, 'bits', rows(4_096), 'n:int');
    const text = `version: 1
nodes:
  - {id: n, label: 数, labels: [${bits}], table: bits, key: [n], columns: [{column: n, type: int}]}
`;
    const { graphId, jobId, run } = await ingest(app, text);
    expect(run).toMatchObject({ status: 'succeeded' });
    const before = await stored(graphId);
    await upload(app, 'bits', rows(4_097), 'n:int');
    const failed = await runToEnd(app, jobId);
    expect(failed).toMatchObject({ status: 'failed', error: { code: 'too_many_label_sets', context: { sets: 4_097, most: 4_096 } } });
    expect(failed.error.detail).toMatch(/4097 种.*4097 different sets of labels/);
    expect(await stored(graphId)).toEqual(before);
    expect(await labelCounts(graphId)).toMatchObject({ 数: { B0: 2_048, B12: 0 } });
    await app.admin.post(`/api/ingestion/jobs/${jobId}/retire`).set('Prefer', 'wait=60').expect(200);
    expect(await stored(graphId)).toEqual({});
  });

  it('are none of a stub until its row is read', async () => {
    const table = await customerTable('id,name,level,region\n2,北方机械,3,north\n');
    const text = mapping(table).replace('match: {customer: id}}', 'match: {customer: id}, on_missing: create}');
    const { graphId, jobId } = await ingest(app, text);
    expect(await stored(graphId)).toMatchObject({ '客户 1': [], '客户 2': ['公司'] });
    await upload(app, table, customers, types);
    await runToEnd(app, jobId);
    expect(await stored(graphId)).toMatchObject({ '客户 1': ['公司', '贵宾'] });
  });
});

describe('further labels in mappings', () => {
  const problems = async (labels: string): Promise<any[]> => {
    const table = await customerTable();
    const { body } = await app.admin
      .post('/api/ingestion/jobs')
      .send({ graph_id: await aGraph(app), mapping_yaml: mapping(table, labels) })
      .expect(422);
    return body.detail.errors ?? body.details.errors;
  };

  it.each<[labels: string, type: string, place: object]>([
    ['[公司, 公司]', 'duplicate_label', { line: 6, column: 18 }],
    ['[客户]', 'duplicate_label', { line: 6, column: 14 }],
    [`[{name: A, when: 'DELETE FROM t'}]`, 'unsafe_sql', { line: 6 }],
    [`[{name: A, when: 'levell > 1'}]`, 'unknown_column', { line: 6 }],
    [`[{name: A, when: 'name + 1'}]`, 'unsafe_sql', { line: 6 }],
    ['[{when: level > 1}]', 'missing_key', { line: 6 }],
    ['[{name: A, where: level > 1}]', 'unknown_key', { line: 6 }],
    ['公司', 'wrong_type', { line: 6 }],
    [`[${Array.from({ length: 33 }, (_, i) => `L${i}`).join(', ')}]`, 'wrong_type', { line: 6 }],
  ])('refuses %s', async (labels, type, place) => {
    const found = await problems(labels);
    expect(found).toEqual([expect.objectContaining({ type, ...place })]);
    expect(found[0].msg).toMatch(/[\u4e00-\u9fff].*[a-z]/s);
  });

  it('may name the key label of other nodes, which a query then finds too', async () => {
    const { graphId } = await ingest(app, mapping(await customerTable(), `[{name: 供应商, when: id = 2}]`));
    for (const middle of ['', ' WITH n']) {
      expect((await ask(graphId, `MATCH (n:供应商)${middle} RETURN n.名称 AS x ORDER BY x`)).rows).toEqual([['乙化工'], ['北方机械'], ['甲钢铁']]); // prettier-ignore
      expect((await ask(graphId, `MATCH (n:供应商 {id: 2})${middle} RETURN n.名称 AS x ORDER BY x`)).rows).toEqual([
        ['乙化工'],
        ['北方机械'],
      ]);
    }
    expect(await labelCounts(graphId)).toMatchObject({ 客户: { 供应商: 1 }, 供应商: { 公司: 2 } });
  });
});
