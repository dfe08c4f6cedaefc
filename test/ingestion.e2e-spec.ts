import { graphTables } from '../src/database/graph-tables.js';
import { type TestApp, startTestApp } from './support/app.js';
import {
  aGraph,
  aJob,
  aTable,
  counts,
  ingest,
  nodeProperties,
  rejectedRows,
  rowMapping,
  runToEnd,
  shared,
  upload,
} from './support/ingestion.js';
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

describe('edges', () => {
  const graph = (people: string, edge: string, defaults = 'on_error: quarantine, max_error_rate: 1'): string => `version: 1
defaults: {${defaults}}
nodes:
  - {id: person, label: 人, table: ${people}, key: [id], columns: [{column: id, transform: [trim, upper]}]}
edges:
  - {type: 认识, ${edge}}
`;
  const ends = (rest = ''): string => `from: {node: person, match: {a: id}${rest}}, to: {node: person, match: {b: id}${rest}}`;

  it('spells the ends of an edge like the key of its node', async () => {
    const people = await aTable(app, 'id\n A \nb\n', 'id:text');
    const knows = await aTable(app, 'a,b\na,B\n', 'a:text,b:text');
    const { run } = await ingest(app, graph(people, `table: ${knows}, ${ends()}`));
    expect(counts(run)['认识']).toEqual([1, 1, 0, 0, 0, 0, 0]);
  });

  it('tells a rejected row of the node whose key differs only in case or blanks, and how the two are made equal', async () => {
    const people = await aTable(app, 'id\nDE\nCN\n', 'id:text');
    const knows = await aTable(app, 'a,b\nDE,CN\nde,CN \nDE,FR\n', 'a:text,b:text');
    const { run } = await ingest(app, graph(people, `table: ${knows}, ${ends()}`).replace(', transform: [trim, upper]', ''));
    const reasons = (await rejectedRows(app, run.id)).map(row => row.reasons.map(({ en }: { en: string }) => en));
    const way = (end: string) =>
      `: write transform: [trim, upper] at the key column 'id' of the node, and at '${end}' if the columns of the edge list it`;
    expect(reasons).toEqual([
      [
        `from: no node 人 with key 'de'; only case or blanks at the ends differ from 'DE'${way('a')}`,
        `to: no node 人 with key 'CN '; only case or blanks at the ends differ from 'CN'${way('b')}`,
      ],
      ["to: no node 人 with key 'FR'"],
    ]);
    const composite = await aTable(app, 'x,y\nA,1\n', 'x:text,y:text');
    const links = await aTable(app, 'x,y\na ,1\nA,1\n', 'x:text,y:text');
    const { run: second } = await ingest(
      app,
      `version: 1
defaults: {on_error: quarantine, max_error_rate: 1}
nodes:
  - {id: n, label: 点, table: ${composite}, key: [x, y], columns: [{column: x}, {column: y}]}
edges:
  - {type: 连, table: ${links}, from: {node: n, match: {x: x, y: y}}, to: {node: n, match: {x: x, y: y}}}
`,
    );
    expect((await rejectedRows(app, second.id))[0].reasons[0].en).toContain(`differ from '["A", "1"]'`);
  });

  it('identifies edges by (from, to) without a key, and parallel edges by their key', async () => {
    const people = await aTable(app, 'id\na\nb\n', 'id:text');
    const knows = await aTable(app, 'a,b,n\na,b,1\na,b,2\nb,a,3\n', 'a:text,b:text,n:int');
    const single = await ingest(app, graph(people, `table: ${knows}, ${ends()}, columns: [{column: n}]`));
    expect(counts(single.run)['认识']).toEqual([3, 2, 0, 0, 0, 0, 1]);
    const { rows } = await app.pool.query(`SELECT key, properties FROM ${graphTables(single.graphId).edges} ORDER BY properties->'n'`);
    expect(rows).toEqual([
      { key: '', properties: { n: 1 } },
      { key: '', properties: { n: 3 } },
    ]);
    expect((await runToEnd(app, single.jobId)).report.totals).toMatchObject({ inserted: 0, updated: 0, deleted: 0 });
    const parallel = await ingest(app, graph(people, `table: ${knows}, ${ends()}, key: [n], columns: [{column: n}]`));
    expect(counts(parallel.run)['认识']).toEqual([3, 3, 0, 0, 0, 0, 0]);
  });

  it('joins composite keys, also where a part needs escaping in JSON', async () => {
    const nodes = await aTable(app, 'x,y\n1,"q""uote"\n2,z\n', 'x:int,y:text');
    const links = await aTable(app, 'x,y,u,v\n1,"q""uote",2,z\n,z,2,z\n', 'x:int,y:text,u:int,v:text');
    const { run, graphId } = await ingest(
      app,
      `version: 1
defaults: {on_error: quarantine, max_error_rate: 1}
nodes:
  - {id: n, label: 点, table: ${nodes}, key: [x, y], columns: [{column: x}, {column: y}]}
edges:
  - {type: 连, table: ${links}, from: {node: n, match: {y: y, x: x}}, to: {node: n, match: {u: x, v: y}}}
`,
    );
    expect(counts(run)['连']).toEqual([2, 1, 0, 0, 0, 0, 1]);
    const { rows } = await app.pool.query(
      `SELECT key, jsonb_build_array($1::text, $2::text)::text AS expected FROM ${graphTables(graphId).nodes} ORDER BY key`,
      ['1', 'q"uote'],
    );
    expect(rows[0].key).toBe(rows[0].expected);
  });

  it('skips a row with an empty end, also where that end is part of the key, and counts none as repeated', async () => {
    const people = await aTable(app, 'id\na\nb\n', 'id:text');
    const knows = await aTable(app, 'a,b\na,b\na,\na,\n,\n', 'a:text,b:text');
    const edge = `table: ${knows}, ${ends(', on_missing: fail')}, key: [a, b]`;
    const { run, graphId, jobId } = await ingest(app, graph(people, edge, 'on_error: fail'));
    expect(counts(run)['认识']).toEqual([4, 1, 0, 0, 0, 0, 3]);
    expect(run.report.warnings).toEqual([]);
    const again = await runToEnd(app, jobId);
    expect(counts(again)['认识']).toEqual([4, 0, 0, 1, 0, 0, 3]);
    expect(again.report.warnings).toEqual([]);
    const { rows } = await app.pool.query(`SELECT count(*)::int AS n FROM ${graphTables(graphId).edges}`);
    expect(rows[0].n).toBe(1);
  });

  it('succeeds without an edge when every row has an empty end', async () => {
    const people = await aTable(app, 'id\na\n', 'id:text');
    const knows = await aTable(app, 'a,b\na,\n', 'a:text,b:text');
    const { run } = await ingest(app, graph(people, `table: ${knows}, ${ends()}`, 'on_error: fail'));
    expect(counts(run)['认识']).toEqual([1, 0, 0, 0, 0, 0, 1]);
  });

  it('rejects a row with an empty end that the mapping requires', async () => {
    const people = await aTable(app, 'id\na\nb\n', 'id:text');
    const knows = await aTable(app, 'a,b\na,b\na,\n', 'a:text,b:text');
    const { run } = await ingest(
      app,
      graph(people, `table: ${knows}, ${ends()}, columns: [{column: b, transform: [upper], rules: [required]}]`),
    );
    expect(counts(run)['认识']).toEqual([2, 1, 0, 0, 0, 1, 0]);
  });

  it('fails when rows were read and none found both its ends', async () => {
    const people = await aTable(app, 'id\na\nb\n', 'id:text');
    const knows = await aTable(app, 'a,b\nx,y\nz,b\n', 'a:text,b:text');
    const { run, graphId } = await ingest(app, graph(people, `table: ${knows}, ${ends(', on_missing: skip')}`));
    expect(run).toMatchObject({ status: 'failed', error: { code: 'all_edges_unmatched', context: { target: '认识', rows: 2 } } });
    const { rows } = await app.pool.query(`SELECT count(*)::int AS n FROM ${graphTables(graphId).nodes}`);
    expect(rows[0].n).toBe(0);
  });

  it('treats a row by the stricter of its two ends', async () => {
    const people = await aTable(app, 'id\na\nb\n', 'id:text');
    const knows = await aTable(app, 'a,b\na,b\na,x\nx,b\n', 'a:text,b:text');
    const edge = (from: string, to: string): string =>
      graph(
        people,
        `table: ${knows}, from: {node: person, match: {a: id}, on_missing: ${from}}, to: {node: person, match: {b: id}, on_missing: ${to}}`,
      );
    expect(counts((await ingest(app, edge('skip', 'quarantine'))).run)['认识']).toEqual([3, 1, 0, 0, 0, 1, 1]);
    expect((await ingest(app, edge('skip', 'fail'))).run.error).toMatchObject({ code: 'edges_unmatched', context: { rows: 1 } });
  });

  it('finds nodes that another job loaded by their label', async () => {
    const people = await aTable(app, 'id\na\nb\n', 'id:text');
    const knows = await aTable(app, 'a,b\na,b\n', 'a:text,b:text');
    const { graphId } = await ingest(
      app,
      `version: 1\nnodes:\n  - {id: p, label: 人, table: ${people}, key: [id], columns: [{column: id}]}\n`,
    );
    const jobId = await aJob(
      app,
      graphId,
      `version: 1\nedges:\n  - {type: 认识, table: ${knows}, from: {node: 'label:人', match: {a: id}}, to: {node: 'label:人', match: {b: id}}}\n`,
    );
    expect(counts(await runToEnd(app, jobId))['认识']).toEqual([1, 1, 0, 0, 0, 0, 0]);
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
