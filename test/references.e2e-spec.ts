import { graphTables } from '../src/database/graph-tables.js';
import { type TestApp, startTestApp } from './support/app.js';
import { aGraph, aJob, counts, ingest, rejectedRows, runToEnd, upload } from './support/ingestion.js';
import { itLong, everyNth } from './support/tier.js';

let test: TestApp;
beforeAll(async () => {
  test = await startTestApp();
});
afterAll(() => test.close());

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
  await upload(test, 'ref_orders', 'order_id,ship_via\n1,1\n2,9\n3,\n4,01\n', 'order_id:text,ship_via:text');
  await upload(test, 'ref_shippers', 'id\n1\n2\n', 'id:text');
});

async function keys(graphId: number, label: string): Promise<string[]> {
  const { rows } = await test.pool.query(`SELECT key FROM ${graphTables(graphId).nodes} WHERE label = $1 ORDER BY key`, [label]);
  return rows.map(({ key }) => key as string);
}

it('rejects rows that name no node, with the sentence in both languages, and looks below in the file', async () => {
  const { graphId, run } = await ingest(test, mapping(rule));
  expect(counts(run)['订单']).toEqual([4, 2, 0, 0, 0, 2, 0]);
  expect(await keys(graphId, '订单')).toEqual(['1', '3']);
  const rows = await rejectedRows(test, run.id);
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
  const own = await ingest(test, mapping('{references: {node: shipper, column: id}, message: 无此承运商}'));
  expect((await rejectedRows(test, own.run.id))[0].reasons[0]).toMatchObject({ en: '无此承运商', zh: '无此承运商' });
  const warned = await ingest(test, mapping('{references: {node: shipper, column: id}, severity: warn}'));
  expect(await keys(warned.graphId, '订单')).toEqual(['1', '2', '3', '4']);
  expect(warned.run.report.warnings).toMatchObject([
    { code: 'rule_broken', target: '订单', rule: 'references', property: 'ship_via', count: 2 },
  ]);
});

it('fails the run where on_error is fail, keeps its rows for reading, and writes nothing', async () => {
  const { graphId, run } = await ingest(test, mapping(rule, '', 'on_error: fail'));
  expect(run).toMatchObject({ status: 'failed', error: { code: 'rows_rejected', context: { target: '订单', rejected: 2 } } });
  expect((await rejectedRows(test, run.id)).map(row => row.row_no)).toEqual([2, 4]);
  expect(await keys(graphId, '承运商')).toEqual([]);
});

it('tells in a dry run what would be rejected', async () => {
  const { jobId } = await ingest(test, mapping('required').replace('[required]', '[]'));
  const { body } = await test.admin
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
  const { run } = await ingest(test, mapping('required', edges).replace('[required]', '[]'));
  expect(counts(run)['运送']).toEqual([4, 1, 0, 0, 0, 2, 1]);
});

it('checks nodes that another job loads, and refuses another column than their key', async () => {
  const graphId = await aGraph(test);
  const only = (column: string): string =>
    mapping(`{references: {node: 'label:承运商', column: ${column}}}`).replace(/\n {2}- \{id: shipper.*/, '');
  const before = await runToEnd(test, await aJob(test, graphId, only('id')));
  expect(counts(before)['订单']).toEqual([4, 1, 0, 0, 0, 3, 0]);
  await runToEnd(
    test,
    await aJob(test, graphId, `version: 1\nnodes:\n  - {id: s, label: 承运商, table: ref_shippers, key: [id], columns: [{column: id}]}\n`),
  );
  const after = await runToEnd(test, await aJob(test, graphId, only('id')));
  expect((await rejectedRows(test, after.id)).map(row => row.reasons[0].en)).toEqual([
    "column 'ship_via': no 承运商 with id '9'",
    "column 'ship_via': no 承运商 with id '01'",
  ]);
  const wrong = await runToEnd(test, await aJob(test, graphId, only('name')));
  expect(wrong).toMatchObject({
    status: 'failed',
    error: { code: 'reference_not_key', context: { label: '承运商', column: 'name', key: ['id'] } },
  });
});

itLong('lets a long chain fall in one run, and a ring stand', async () => {
  const people = Array.from({ length: 3_000 }, (_, index) => `c${index},c${index + 1}`);
  await upload(test, 'ref_people', ['id,boss', ...people, 'r1,r2', 'r2,r1', 'top,', ''].join('\n'), 'id:text,boss:text');
  const { graphId, run } = await ingest(
    test,
    `version: 1
defaults: {on_error: quarantine, max_error_rate: 1, max_error_rows: 10000}
nodes:
  - {id: p, label: 人, table: ref_people, key: [id], columns: [{column: id}, {column: boss, rules: [{references: {node: p, column: id}}]}]}
`,
  );
  expect(run.report.targets[0]).toMatchObject({ read: 3_003, inserted: 3, rejected: 3_000 });
  expect(await keys(graphId, '人')).toEqual(['r1', 'r2', 'top']);
});

beforeAll(async () => {
  await upload(test, 'st_customers', 'region,day,name\nEU,2024-05-01,Alfreds\n', 'region:text,day:date,name:text');
  await upload(
    test,
    'st_visits',
    'id,region,day\n1,EU,2024-05-01\n2,US,2024-05-02\n3,US,2024-05-02\n4,US,\n',
    'id:int,region:text,day:date',
  );
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
    await test.admin
      .post(`/api/graphs/${graphId}/query`)
      .send({ cypher, include: ['graph'] })
      .expect(200)
  ).body;

it('makes stubs of a composite key with the types of the real node, shows them everywhere, and makes them real later', async () => {
  const graphId = await aGraph(test);
  const jobId = await aJob(test, graphId, head + customers + visits('c'));
  const first = await runToEnd(test, jobId);
  expect(first.error).toBeNull();
  expect(counts(first)['拜访']).toEqual([4, 3, 0, 0, 0, 0, 1]);
  expect(first.report.totals.stubs_created).toBe(1);

  const found = await query(graphId, "MATCH (c:客户) WHERE c.日期 = date('2024-05-02') RETURN c");
  const [[node]] = found.rows as [[any]];
  expect(node).toMatchObject({ label: '客户', key: '["US", "2024-05-02"]', properties: { region: 'US', 日期: '2024-05-02' }, stub: true });
  expect(Object.keys(node.properties)).toHaveLength(2);
  expect(found.graph.nodes).toEqual([node]);
  // A stub has no row in the customers' table, so nothing is cited.
  expect(found.citations).toEqual([]);
  const real = await query(graphId, "MATCH (c:客户) WHERE c.name = 'Alfreds' RETURN c");
  expect(real.rows[0][0]).not.toHaveProperty('stub');
  expect(real.citations).toHaveLength(1);
  const shown = await test.admin.get(`/api/graphs/${graphId}/nodes/${node.id}`).expect(200);
  expect(shown.body).toMatchObject({ id: node.id, stub: true });
  const search = await test.admin
    .post(`/api/graphs/${graphId}/query`)
    .send({ search: 'US', include: ['graph'] })
    .expect(200);
  expect(search.body.rows[0][0]).toMatchObject({ id: node.id, stub: true });
  const question = await test.admin.post(`/api/graphs/${graphId}/query`).send({ question: '客户有多少' }).expect(200);
  expect(question.body.rows).toEqual([[2]]);

  await upload(test, 'st_customers', 'region,day,name\nEU,2024-05-01,Alfreds\nUS,2024-05-02,Late\n', 'region:text,day:date,name:text');
  const second = await runToEnd(test, jobId);
  expect(counts(second)['客户']).toEqual([2, 0, 1, 1, 0, 0, 0]);
  const now = await test.admin.get(`/api/graphs/${graphId}/nodes/${node.id}`).expect(200);
  expect(now.body).toMatchObject({ display: 'Late', properties: { name: 'Late' } });
  expect(now.body).not.toHaveProperty('stub');
});

it('keeps a stub while an edge names it, and removes it with the last one', async () => {
  const graphId = await aGraph(test);
  await upload(test, 'st_links', 'a,b\n1,9\n2,9\n', 'a:int,b:text');
  await upload(test, 'st_ends', 'id\n1\n2\n', 'id:int');
  const mapping = `version: 1
nodes:
  - {id: n, label: 点, table: st_ends, key: [id], columns: [{column: id}]}
edges:
  - {type: 连, table: st_links, from: {node: n, match: {a: id}}, to: {node: n, match: {b: id}, on_missing: create}}
`;
  const jobId = await aJob(test, graphId, mapping);
  const stubs = async (): Promise<unknown> => (await query(graphId, 'MATCH (n:点) RETURN n.id ORDER BY n.id')).rows;
  expect((await runToEnd(test, jobId)).report.totals.stubs_created).toBe(1);
  await upload(test, 'st_links', 'a,b\n1,9\n', 'a:int,b:text');
  expect((await runToEnd(test, jobId)).report).toMatchObject({ stubs_removed: 0, totals: { deleted: 1, stubs_created: 0 } });
  expect(await stubs()).toEqual([[1], [2], [9]]);
  await upload(test, 'st_links', 'a,b\n1,2\n2,x\n', 'a:int,b:text');
  const failed = await test.admin.post(`/api/ingestion/jobs/${jobId}/run?allow_deletes=true`).set('Prefer', 'wait=60').expect(200);
  expect(failed.body.error.code).toBe('rows_rejected');
  const quarantined = await aJob(test, graphId, `${mapping}defaults: {on_error: quarantine, max_error_rate: 1}\n`);
  const other = await runToEnd(test, quarantined);
  expect((await rejectedRows(test, other.id))[0].reasons[0].en).toBe(
    "to: no node 点 with key 'x', and none can be made: the key does not fit the type of its column",
  );
  await upload(test, 'st_links', 'a,b\n1,2\n', 'a:int,b:text');
  const last = await test.admin.post(`/api/ingestion/jobs/${jobId}/run?allow_deletes=true`).set('Prefer', 'wait=60').expect(200);
  expect(last.body.report.stubs_removed).toBe(1);
  expect(await stubs()).toEqual([[1], [2]]);
});

it('refuses to make nodes of a label that no job has loaded, and says what to do', async () => {
  const graphId = await aGraph(test);
  const run = await runToEnd(test, await aJob(test, graphId, head + visits("'label:客户'")));
  expect(run).toMatchObject({ status: 'failed', error: { code: 'stub_key_unknown', context: { label: '客户' } } });
  await runToEnd(test, await aJob(test, graphId, `version: 1\nnodes:\n${customers}`));
  const later = await runToEnd(test, await aJob(test, graphId, head + visits("'label:客户'")));
  expect(later.report.totals).toMatchObject({ stubs_created: 0, inserted: 7 });
});

it('refuses to make nodes of a label that only the job itself has loaded and no longer does', async () => {
  const graphId = await aGraph(test);
  const jobId = await aJob(test, graphId, `version: 1\nnodes:\n${customers}`);
  await runToEnd(test, jobId);
  const revision = { mapping_yaml: head + visits("'label:客户'") };
  await test.admin.post(`/api/ingestion/jobs/${jobId}/revisions`).send(revision).expect(200);
  const { body } = await test.admin.post(`/api/ingestion/jobs/${jobId}/run?allow_deletes=true`).set('Prefer', 'wait=60').expect(200);
  expect(body).toMatchObject({ status: 'failed', error: { code: 'stub_key_unknown', context: { label: '客户' } } });
});

beforeAll(async () => {
  await upload(test, 'rule_shippers', 'id\n1\n2\n', 'id:text');
});

const formatRow = (format: string, accepted: string, refused: string, checksum = false): Row => [
  `format ${format}`,
  `rules: [{format: ${format}}]`,
  accepted,
  refused,
  checksum ? `column 'v': checksum does not match (${format})` : `column 'v': '${refused}' does not have the format ${format}`,
  checksum ? `列「v」：校验码不符（${format}）` : `列「v」：'${refused}' 不符合格式 ${format}`,
];

type Row = [rule: string, column: string, accepted: string, refused: string, en: string, zh: string];

/** Each rule with a value that it accepts, a value that it rejects, and the reason of the rejected row in both languages. */
const rows: Row[] = [
  ['required', 'rules: [required]', 'x', '', "column 'v' is required but empty", '列「v」必填，但为空'],
  ['type', "type: 'decimal(12,2)'", '1.5', 'abc', "column 'v': cannot read 'abc' as decimal(12,2)", "列「v」：无法把 'abc' 解析为 decimal(12,2)"],
  ['unique', 'rules: [unique]', '10248', '10248', "column 'v': duplicate value '10248' (first at row 1)", "列「v」：值 '10248' 重复（首次出现在第 1 行）"],
  ['one_of', 'rules: [{one_of: [paid, shipped]}]', 'paid', 'foo', "column 'v': 'foo' is not one of paid, shipped", "列「v」：'foo' 不在 paid、shipped 之中"],
  ['one_of after transform', 'transform: [{substring: [1, 3]}], rules: [{one_of: [foo]}]', 'food', 'bar', "column 'v': 'bar' is not one of foo", "列「v」：'bar' 不在 foo 之中"],
  ['pattern', "rules: [{pattern: '^[A-Z]{5}$'}]", 'ALFKI', 'ALFK', "column 'v': 'ALFK' does not match ^[A-Z]{5}$", "列「v」：'ALFK' 不符合 ^[A-Z]{5}$"],
  ['pattern over the whole value', "rules: [{pattern: '[A-Z]'}]", 'A', 'AB', "column 'v': 'AB' does not match [A-Z]", "列「v」：'AB' 不符合 [A-Z]"],
  ['min', 'type: int, rules: [{min: 1}]', '1', '0', "column 'v': 0 is below min 1", '列「v」：0 小于最小值 1'],
  ['max', 'type: int, rules: [{max: 9}]', '9', '10', "column 'v': 10 is above max 9", '列「v」：10 大于最大值 9'],
  ['min of a day', "type: date, rules: [{min: '2024-01-01'}]", '2024-01-01', '2023-12-31', "column 'v': 2023-12-31 is below min 2024-01-01", '列「v」：2023-12-31 小于最小值 2024-01-01'],
  ['min_length', 'rules: [{min_length: 2}]', '𠮷𠮷', '𠮷', "column 'v': length 1 is below min_length 2", '列「v」：长度 1 小于 min_length 2'],
  ['max_length', 'rules: [{max_length: 20}]', 'x'.repeat(20), 'x'.repeat(31), "column 'v': length 31 exceeds max_length 20", '列「v」：长度 31 超过 max_length 20'],
  ['precision', "type: 'decimal(20,9)', rules: [{precision: [5, 2]}]", '123.45', '12.345', "column 'v': 12.345 needs more than 2 decimals", '列「v」：12.345 需要多于 2 位小数'],
  ['precision before the point', "type: 'decimal(20,9)', rules: [{precision: [5, 2]}]", '999.99', '1000', "column 'v': 1000 needs more than 3 digits before the point", '列「v」：1000 的整数部分多于 3 位'],
  formatRow('email', 'a@b.cn', 'a@b'),
  formatRow('url', 'https://e.cn/x', 'ftp://e.cn'),
  formatRow('uuid', '123e4567-e89b-12d3-a456-426614174000', '123e4567e89b12d3a456426614174000'),
  formatRow('phone_cn', '13800138000', '12345'),
  formatRow('id_card_cn', '11010519491231002X', '110105194912310021', true),
  formatRow('uscc_cn', '91350100M000100Y43', '91350100M000100Y44', true),
  formatRow('iso_country', 'CN', 'XX'),
  formatRow('json', '[1]', '{a'),
  // The key is compared as text, see decision 0033.
  ['references', 'rules: [{references: {node: shipper, column: id}}]', '1', '9', "column 'v': no shipper with id '9'", "列「v」：没有 id 为 '9' 的「shipper」"],
  ['not_in_future', 'type: date, rules: [not_in_future]', '2024-01-01', '2999-01-01', "column 'v': 2999-01-01 is in the future", '列「v」：2999-01-01 晚于运行开始的时间'],
  ['expression', 'rules: [{expression: v >= id}]', '1', '0', "rule 'v >= id' is false", "规则 'v >= id' 不成立"],
  ['when', "rules: [{when: id = '2', rules: [{one_of: [x]}]}]", 'foo', 'foo', "column 'v': 'foo' is not one of x", "列「v」：'foo' 不在 x 之中"],
]; // prettier-ignore

it.each(everyNth(rows, 3))(
  '%s passes one value, NULL, and rejects the other with its sentence and sample',
  async (rule, column, accepted, refused, en, zh) => {
    const table = `rule_${rows.findIndex(([name]) => name === rule)}`;
    const lines = [accepted, refused, ...(rule === 'required' ? [] : [''])];
    await upload(test, table, `id,v\n${lines.map((value, index) => `${index + 1},${value}\n`).join('')}`, 'id:text,v:text');
    const { graphId, run } = await ingest(
      test,
      `version: 1
defaults: {on_error: quarantine, max_error_rate: 1}
nodes:
  - {id: row, label: 行, table: ${table}, key: [id], columns: [{column: id}, {column: v, ${column}}]}
  - {id: shipper, label: 运输商, table: rule_shippers, key: [id], columns: [{column: id}]}
`,
    );
    expect(run.error).toBeNull();
    const { rows: loaded } = await test.pool.query(`SELECT key FROM ${graphTables(graphId).nodes} WHERE label = '行' ORDER BY key`);
    expect(loaded.map(({ key }) => key)).toEqual(rule === 'required' ? ['1'] : ['1', '3']);
    const [row, ...others] = await rejectedRows(test, run.id);
    expect(others).toEqual([]);
    expect(row).toMatchObject({
      source_key: '2',
      row_no: 2,
      sample: { id: '2', v: refused === '' ? null : refused },
      reasons: [{ en, zh }],
    });
  },
);
