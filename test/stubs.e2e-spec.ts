import { type TestApp, startTestApp } from './support/app.js';
import { aGraph, aJob, counts, rejectedRows, runToEnd, upload } from './support/ingestion.js';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
  await upload(app, 'st_customers', 'region,day,name\nEU,2024-05-01,Alfreds\n', 'region:text,day:date,name:text');
  await upload(
    app,
    'st_visits',
    'id,region,day\n1,EU,2024-05-01\n2,US,2024-05-02\n3,US,2024-05-02\n4,US,\n',
    'id:int,region:text,day:date',
  );
});
afterAll(async () => {
  await app.close();
});

const customers = `  - {id: c, label: 客户, table: st_customers, key: [region, day], display: name, columns: [{column: region}, {column: day, property: 日期}, {column: name}]}\n`;
const visits = (node: string): string => `edges:
  - {type: 拜访, table: st_visits, from: {node: v, match: {id: id}}, to: {node: ${node}, match: {region: region, day: day}, on_missing: create}}
`;
const head = `version: 1
defaults: {on_error: quarantine, max_error_rate: 1}
nodes:
  - {id: v, label: 拜访记录, table: st_visits, key: [id], columns: [{column: id}]}
`;

const query = async (graphId: number, cypher: string): Promise<any> =>
  (
    await app.admin
      .post(`/api/graphs/${graphId}/query`)
      .send({ cypher, include: ['graph'] })
      .expect(200)
  ).body;

it('makes stubs of a composite key with the types of the real node, shows them everywhere, and makes them real later', async () => {
  const graphId = await aGraph(app);
  const jobId = await aJob(app, graphId, head + customers + visits('c'));
  const first = await runToEnd(app, jobId);
  expect(first.error).toBeNull();
  expect(counts(first)['拜访']).toEqual([4, 3, 0, 0, 0, 0, 1]);
  expect(first.report.totals.stubs_created).toBe(1);

  const found = await query(graphId, "MATCH (c:客户) WHERE c.日期 = date('2024-05-02') RETURN c");
  const [[node]] = found.rows as [[any]];
  expect(node).toMatchObject({ label: '客户', key: '["US", "2024-05-02"]', properties: { region: 'US', 日期: '2024-05-02' }, stub: true });
  expect(Object.keys(node.properties)).toHaveLength(2);
  expect(found.graph.nodes).toEqual([node]);
  // No row of the customers' table stands behind it.
  expect(found.citations).toEqual([]);
  const real = await query(graphId, "MATCH (c:客户) WHERE c.name = 'Alfreds' RETURN c");
  expect(real.rows[0][0]).not.toHaveProperty('stub');
  expect(real.citations).toHaveLength(1);
  const shown = await app.admin.get(`/api/graphs/${graphId}/nodes/${node.id}`).expect(200);
  expect(shown.body).toMatchObject({ id: node.id, stub: true });
  const search = await app.admin
    .post(`/api/graphs/${graphId}/query`)
    .send({ search: 'US', include: ['graph'] })
    .expect(200);
  expect(search.body.rows[0][0]).toMatchObject({ id: node.id, stub: true });
  const question = await app.admin.post(`/api/graphs/${graphId}/query`).send({ question: '客户有多少' }).expect(200);
  expect(question.body.rows).toEqual([[2]]);

  await upload(app, 'st_customers', 'region,day,name\nEU,2024-05-01,Alfreds\nUS,2024-05-02,Late\n', 'region:text,day:date,name:text');
  const second = await runToEnd(app, jobId);
  expect(counts(second)['客户']).toEqual([2, 0, 1, 1, 0, 0, 0]);
  const now = await app.admin.get(`/api/graphs/${graphId}/nodes/${node.id}`).expect(200);
  expect(now.body).toMatchObject({ display: 'Late', properties: { name: 'Late' } });
  expect(now.body).not.toHaveProperty('stub');
});

it('keeps a stub while an edge names it, and removes it with the last one', async () => {
  const graphId = await aGraph(app);
  await upload(app, 'st_links', 'a,b\n1,9\n2,9\n', 'a:int,b:text');
  await upload(app, 'st_ends', 'id\n1\n2\n', 'id:int');
  const mapping = `version: 1
nodes:
  - {id: n, label: 点, table: st_ends, key: [id], columns: [{column: id}]}
edges:
  - {type: 连, table: st_links, from: {node: n, match: {a: id}}, to: {node: n, match: {b: id}, on_missing: create}}
`;
  const jobId = await aJob(app, graphId, mapping);
  const stubs = async (): Promise<unknown> => (await query(graphId, 'MATCH (n:点) RETURN n.id ORDER BY n.id')).rows;
  expect((await runToEnd(app, jobId)).report.totals.stubs_created).toBe(1);
  await upload(app, 'st_links', 'a,b\n1,9\n', 'a:int,b:text');
  expect((await runToEnd(app, jobId)).report).toMatchObject({ stubs_removed: 0, totals: { deleted: 1, stubs_created: 0 } });
  expect(await stubs()).toEqual([[1], [2], [9]]);
  await upload(app, 'st_links', 'a,b\n1,2\n2,x\n', 'a:int,b:text');
  const failed = await app.admin.post(`/api/ingestion/jobs/${jobId}/run?allow_deletes=true`).set('Prefer', 'wait=60').expect(200);
  expect(failed.body.error.code).toBe('rows_rejected');
  const quarantined = await aJob(app, graphId, `${mapping}defaults: {on_error: quarantine, max_error_rate: 1}\n`);
  const other = await runToEnd(app, quarantined);
  expect((await rejectedRows(app, other.id))[0].reasons[0].en).toBe(
    "to: no node 点 with key 'x', and none can be made: the key does not fit the type of its column",
  );
  await upload(app, 'st_links', 'a,b\n1,2\n', 'a:int,b:text');
  const last = await app.admin.post(`/api/ingestion/jobs/${jobId}/run?allow_deletes=true`).set('Prefer', 'wait=60').expect(200);
  expect(last.body.report.stubs_removed).toBe(1);
  expect(await stubs()).toEqual([[1], [2]]);
});

it('refuses to make nodes of a label that no job has loaded, and says what to do', async () => {
  const graphId = await aGraph(app);
  const run = await runToEnd(app, await aJob(app, graphId, head + visits("'label:客户'")));
  expect(run).toMatchObject({ status: 'failed', error: { code: 'stub_key_unknown', context: { label: '客户' } } });
  await runToEnd(app, await aJob(app, graphId, `version: 1\nnodes:\n${customers}`));
  const later = await runToEnd(app, await aJob(app, graphId, head + visits("'label:客户'")));
  expect(later.report.totals).toMatchObject({ stubs_created: 0, inserted: 7 });
});
