import { graphTables } from '../src/database/graph-tables.js';
import { type TestApp, startTestApp } from './support/app.js';
import { aGraph, aJob, aTable, counts, ingest, nodeProperties, rowMapping, runToEnd, shared, upload } from './support/ingestion.js';
import { describeWithShared } from './support/shared-data.js';

let app: TestApp;

beforeAll(async () => {
  app = await startTestApp();
});
afterAll(async () => {
  await app.close();
});

describeWithShared('Northwind', 'data/northwind/csv', () => {
  let jobId: number;
  let graphId: number;
  let first: any;

  beforeAll(async () => {
    for (const table of ['customers', 'orders', 'products', 'order_details']) {
      await upload(app, table, shared(`data/northwind/csv/${table}.csv`));
    }
    graphId = await aGraph(app, 'northwind');
    jobId = await aJob(app, graphId, shared('data/northwind/mapping_example.yaml').toString());
    first = await runToEnd(app, jobId);
  });

  it('loads as many nodes and edges as the data holds', () => {
    expect(first).toMatchObject({ status: 'succeeded', error: null });
    expect(counts(first)).toEqual({
      客户: [91, 91, 0, 0, 0, 0, 0],
      订单: [830, 830, 0, 0, 0, 0, 0],
      产品: [77, 67, 0, 0, 0, 0, 0],
      下单: [830, 830, 0, 0, 0, 0, 0],
      包含: [2155, 1845, 0, 0, 0, 0, 310],
    });
    expect(first.report.totals).toMatchObject({ skipped: 310, rejected: 0, marked_deleted: 10 });
  });

  it('stores typed properties and composite keys', async () => {
    const order = await app.pool.query(
      `SELECT key, display, properties FROM ${graphTables(graphId).nodes} WHERE label = '订单' AND key = '10248'`,
    );
    expect(order.rows).toEqual([
      { key: '10248', display: '10248', properties: { 订单号: 10248, 下单日期: '1996-07-04', 发货日期: '1996-07-16', 运费: 32.38 } },
    ]);
    const customer = await app.pool.query(
      `SELECT display, properties FROM ${graphTables(graphId).nodes} WHERE label = '客户' AND key = 'ALFKI'`,
    );
    expect(customer.rows[0]).toMatchObject({ display: 'Alfreds Futterkiste', properties: { 国家: 'Germany' } });
    const lines = await app.pool.query(
      `SELECT e.key, e.properties FROM ${graphTables(graphId).edges} e JOIN ${graphTables(graphId).nodes} n ON n.id = e.source_id
       WHERE e.type = '包含' AND n.key = '10250' ORDER BY e.key`,
    );
    expect(lines.rows).toContainEqual({ key: '["10250", "41"]', properties: { 数量: 10, 折扣: 0, 金额: 77 } });
  });

  it('records where each element comes from', async () => {
    const { rows } = await app.pool.query(
      `SELECT kind, name, source_label, target_label, source_table, query_tables, key_columns, key_properties, display_property, row_count::int
       FROM graph_elements WHERE graph_id = $1 ORDER BY kind DESC, name`,
      [graphId],
    );
    expect(rows).toContainEqual({
      kind: 'node',
      name: '客户',
      source_label: '',
      target_label: '',
      source_table: 'customers',
      query_tables: null,
      key_columns: ['customer_id'],
      key_properties: ['客户编号'],
      display_property: '公司名称',
      row_count: 91,
    });
    expect(rows).toContainEqual(
      expect.objectContaining({
        name: '包含',
        source_label: '订单',
        target_label: '产品',
        source_table: 'query',
        query_tables: ['order_details'],
        key_properties: ['', ''],
        row_count: 1845,
      }),
    );
  });

  it('changes nothing when it runs again, and reads orders only from a week before the last', async () => {
    const before = (await app.admin.get(`/api/graphs/${graphId}`)).body;
    const second = await runToEnd(app, jobId);
    expect(second.report.totals).toMatchObject({ inserted: 0, updated: 0, deleted: 0, rejected: 0 });
    expect(second.report.cursors).toEqual({ 订单: { from: '1998-05-06', to: '1998-05-06' } });
    expect(second.report.targets[1].read).toBeLessThan(40);
    const after = (await app.admin.get(`/api/graphs/${graphId}`)).body;
    expect(after).toMatchObject({ version: before.version + 1, node_count: 988, edge_count: 2675 });
  });

  it('removes a node and its edges when its row asks for it', async () => {
    const products = shared('data/northwind/csv/products.csv').toString();
    await upload(
      app,
      'products',
      products.replace('2,Chang,1,1,24 - 12 oz bottles,19,17,40,25,1', '2,Chang,1,1,24 - 12 oz bottles,19,17,40,25,0'),
    );
    const added = await runToEnd(app, jobId);
    expect(counts(added)['产品']).toEqual([77, 1, 0, 67, 0, 0, 0]);
    expect(counts(added)['包含']).toEqual([2155, 44, 0, 1845, 0, 0, 266]);
    await upload(app, 'products', products);
    const removed = await runToEnd(app, jobId);
    expect(counts(removed)['产品']).toEqual([77, 0, 0, 67, 1, 0, 0]);
    const { body } = await app.admin.get(`/api/graphs/${graphId}`);
    expect(body).toMatchObject({ node_count: 988, edge_count: 2675 });
  });
});

describe('Codes', () => {
  it('keeps leading zeros of codes that stay text', async () => {
    await upload(app, 'zip_codes', 'zip,city\n01067,Dresden\n00100,Roma\n', 'zip:text');
    const { graphId } = await ingest(
      app,
      'version: 1\nnodes:\n  - {id: z, label: 邮编, table: zip_codes, key: [zip], columns: [{column: zip}]}\n',
    );
    const { rows } = await app.pool.query(`SELECT key FROM ${graphTables(graphId).nodes} ORDER BY key`);
    expect(rows).toEqual([{ key: '00100' }, { key: '01067' }]);
  });
});

describe('writing again', () => {
  it('updates what changed, leaves the rest, and removes a property that became NULL', async () => {
    const table = await aTable(app, 'id,v,w\n1,a,x\n2,b,y\n', 'id:text,v:text,w:text');
    const { graphId, jobId } = await ingest(app, rowMapping(table, ['{column: v}', '{column: w}']));
    await upload(app, table, 'id,v,w\n1,a,x\n2,c,\n3,d,z\n', 'id:text,v:text,w:text');
    expect(counts(await runToEnd(app, jobId))['行']).toEqual([3, 1, 1, 1, 0, 0, 0]);
    expect(await nodeProperties(app, graphId)).toEqual({
      1: { id: '1', v: 'a', w: 'x' },
      2: { id: '2', v: 'c' },
      3: { id: '3', v: 'd', w: 'z' },
    });
  });

  it('keeps properties of another job unless the mapping replaces', async () => {
    const one = await aTable(app, 'id,v\n1,a\n', 'id:text,v:text');
    const two = await aTable(app, 'id,w\n1,b\n', 'id:text,w:text');
    const { graphId } = await ingest(app, rowMapping(one, ['{column: v}']));
    await runToEnd(app, await aJob(app, graphId, rowMapping(two, ['{column: w}'])));
    expect(await nodeProperties(app, graphId)).toEqual({ 1: { id: '1', v: 'a', w: 'b' } });
    await runToEnd(app, await aJob(app, graphId, rowMapping(two, ['{column: w}']).replace('key: [id]', 'key: [id]\n    write: replace')));
    expect(await nodeProperties(app, graphId)).toEqual({ 1: { id: '1', w: 'b' } });
  });

  it('keeps the old nodes when a run fails', async () => {
    const table = await aTable(app, 'id,n\n1,1\n', 'id:text,n:int');
    const { graphId, jobId } = await ingest(app, rowMapping(table, ['{column: n, rules: [{min: 0}]}'], 'on_error: fail'));
    const before = await nodeProperties(app, graphId);
    await upload(app, table, 'id,n\n1,2\n2,-1\n', 'id:text,n:int');
    expect((await runToEnd(app, jobId)).status).toBe('failed');
    expect(await nodeProperties(app, graphId)).toEqual(before);
  });

  it('reads an incremental source from the last cursor less the lag, that moment included', async () => {
    const rows = (days: number[]): string => `id,d\n${days.map(day => `${day},2024-01-${String(day).padStart(2, '0')}`).join('\n')}\n99,\n`;
    const table = await aTable(app, rows([1, 5, 10]), 'id:text,d:date');
    const text = rowMapping(table, ['{column: d}']).replace(
      'key: [id]',
      'key: [id]\n    incremental: {cursor: d, type: date, lag: 2d, initial: 2024-01-03}',
    );
    const { jobId, run } = await ingest(app, text);
    // Rows 5 and 10, and the row without a cursor: every run reads such rows, because no cursor ever reaches them.
    expect(run.report.targets[0].read).toBe(3);
    await upload(app, table, rows([1, 7, 8, 9, 12]), 'id:text,d:date');
    const second = await runToEnd(app, jobId);
    expect(second.report.cursors).toEqual({ 行: { from: '2024-01-10', to: '2024-01-12' } });
    expect(counts(second)['行']).toEqual([4, 3, 0, 1, 0, 0, 0]);
  });

  it('takes no text for a cursor that its type would not read', async () => {
    const table = await aTable(app, 'id,d\n1,2024-01-05\n2,infinity\n3,2100.005\n', 'id:text,d:text');
    const text = rowMapping(table, []).replace('key: [id]', 'key: [id]\n    incremental: {cursor: d, type: date}');
    const { run } = await ingest(app, text);
    expect(run.report.cursors).toEqual({ 行: { from: null, to: '2024-01-05' } });
    expect(run.report.targets[0].read).toBe(3);
  });
});
