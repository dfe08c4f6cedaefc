import { graphTables } from '../src/database/graph-tables.js';
import { type TestApp, startTestApp } from './support/app.js';
import { aGraph, aJob, counts, ingest, rejectedRows, runToEnd, upload } from './support/ingestion.js';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(async () => {
  await app.close();
});

const mapping = (rule: string, more = '', defaults = 'on_error: quarantine, max_error_rate: 1'): string => `version: 1
defaults: {${defaults}}
nodes:
  - id: order
    label: 订单
    table: ref_orders
    key: [order_id]
    columns: [{column: order_id}, {column: ship_via, rules: [${rule}]}]
  - {id: shipper, label: 承运商, table: ref_shippers, key: [id], columns: [{column: id}]}
${more}`;
const rule = '{references: {node: shipper, column: id}}';

beforeAll(async () => {
  await upload(app, 'ref_orders', 'order_id,ship_via\n1,1\n2,9\n3,\n4,01\n', 'order_id:text,ship_via:text');
  await upload(app, 'ref_shippers', 'id\n1\n2\n', 'id:text');
});

async function keys(graphId: number, label: string): Promise<string[]> {
  const { rows } = await app.pool.query(`SELECT key FROM ${graphTables(graphId).nodes} WHERE label = $1 ORDER BY key`, [label]);
  return rows.map(({ key }) => key as string);
}

it('rejects rows that name no node, with the sentence in both languages, and looks below in the file', async () => {
  const { graphId, run } = await ingest(app, mapping(rule));
  expect(counts(run)['订单']).toEqual([4, 2, 0, 0, 0, 2, 0]);
  expect(await keys(graphId, '订单')).toEqual(['1', '3']);
  const rows = await rejectedRows(app, run.id);
  expect(rows.map(row => row.reasons)).toEqual(
    ['9', '01'].map(value => [
      {
        rule: 'references',
        column: 'ship_via',
        property: 'ship_via',
        en: `column 'ship_via': no shipper with id '${value}'`,
        zh: `列「ship_via」：没有 id 为 '${value}' 的「shipper」`,
      },
    ]),
  );
  expect(rows[0]).toMatchObject({ target: '订单', row_no: 2, source_key: '2', sample: { order_id: '2', ship_via: '9' } });
});

it('says what the mapping says instead, and only counts with severity warn', async () => {
  const own = await ingest(app, mapping('{references: {node: shipper, column: id}, message: 无此承运商}'));
  expect((await rejectedRows(app, own.run.id))[0].reasons[0]).toMatchObject({ en: '无此承运商', zh: '无此承运商' });
  const warned = await ingest(app, mapping('{references: {node: shipper, column: id}, severity: warn}'));
  expect(await keys(warned.graphId, '订单')).toEqual(['1', '2', '3', '4']);
  expect(warned.run.report.warnings).toMatchObject([
    { code: 'rule_broken', target: '订单', rule: 'references', property: 'ship_via', count: 2 },
  ]);
});

it('fails the run where on_error is fail, keeps its rows for reading, and writes nothing', async () => {
  const { graphId, run } = await ingest(app, mapping(rule, '', 'on_error: fail'));
  expect(run).toMatchObject({ status: 'failed', error: { code: 'rows_rejected', context: { target: '订单', rejected: 2 } } });
  expect((await rejectedRows(app, run.id)).map(row => row.row_no)).toEqual([2, 4]);
  expect(await keys(graphId, '承运商')).toEqual([]);
});

it('tells in a dry run what would be rejected', async () => {
  const { jobId } = await ingest(app, mapping('required').replace('[required]', '[]'));
  const { body } = await app.admin
    .post(`/api/ingestion/jobs/${jobId}/revisions?dry_run=true`)
    .send({ mapping_yaml: mapping(rule) })
    .expect(200);
  expect(body.changes[0].rules.added).toEqual(['ship_via: references {"label":"承运商","column":"id"}']);
  expect(body.trial.targets[0]).toMatchObject({ target: '订单', rejected: 2, unchanged: 2 });
  expect(body.trial.rejected_sample[0].reasons[0].en).toBe("column 'ship_via': no shipper with id '9'");
});

it('judges the columns of relationships too', async () => {
  const edges = `edges:
  - type: 运送
    table: ref_orders
    from: {node: shipper, match: {ship_via: id}, on_missing: skip}
    to: {node: order, match: {order_id: order_id}}
    columns: [{column: ship_via, rules: [${rule}]}]
`;
  const { run } = await ingest(app, mapping('required', edges).replace('[required]', '[]'));
  expect(counts(run)['运送']).toEqual([4, 1, 0, 0, 0, 2, 1]);
});

it('checks nodes that another job loads, and refuses another column than their key', async () => {
  const graphId = await aGraph(app);
  const only = (column: string): string =>
    mapping(`{references: {node: 'label:承运商', column: ${column}}}`).replace(/\n {2}- \{id: shipper.*/, '');
  const before = await runToEnd(app, await aJob(app, graphId, only('id')));
  expect(counts(before)['订单']).toEqual([4, 1, 0, 0, 0, 3, 0]);
  await runToEnd(
    app,
    await aJob(app, graphId, `version: 1\nnodes:\n  - {id: s, label: 承运商, table: ref_shippers, key: [id], columns: [{column: id}]}\n`),
  );
  const after = await runToEnd(app, await aJob(app, graphId, only('id')));
  expect((await rejectedRows(app, after.id)).map(row => row.reasons[0].en)).toEqual([
    "column 'ship_via': no 承运商 with id '9'",
    "column 'ship_via': no 承运商 with id '01'",
  ]);
  const wrong = await runToEnd(app, await aJob(app, graphId, only('name')));
  expect(wrong).toMatchObject({
    status: 'failed',
    error: { code: 'reference_not_key', context: { label: '承运商', column: 'name', key: ['id'] } },
  });
});

it('lets a long chain fall in one run, and a ring stand', async () => {
  const people = Array.from({ length: 3_000 }, (_, index) => `c${index},c${index + 1}`);
  await upload(app, 'ref_people', ['id,boss', ...people, 'r1,r2', 'r2,r1', 'top,', ''].join('\n'), 'id:text,boss:text');
  const { graphId, run } = await ingest(
    app,
    `version: 1
defaults: {on_error: quarantine, max_error_rate: 1, max_error_rows: 10000}
nodes:
  - {id: p, label: 人, table: ref_people, key: [id], columns: [{column: id}, {column: boss, rules: [{references: {node: p, column: id}}]}]}
`,
  );
  expect(run.report.targets[0]).toMatchObject({ read: 3_003, inserted: 3, rejected: 3_000 });
  expect(await keys(graphId, '人')).toEqual(['r1', 'r2', 'top']);
});
