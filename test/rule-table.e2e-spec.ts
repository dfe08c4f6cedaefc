import { graphTables } from '../src/database/graph-tables.js';
import { type TestApp, startTestApp } from './support/app.js';
import { ingest, rejectedRows, upload } from './support/ingestion.js';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
  await upload(app, 'rule_shippers', 'id\n1\n2\n', 'id:text');
});
afterAll(async () => {
  await app.close();
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

/** Each rule with a value that passes, one that does not, and the sentence of its row in both languages. */
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

it.each(rows)(
  '%s passes one value, NULL, and rejects the other with its sentence and sample',
  async (rule, column, accepted, refused, en, zh) => {
    const table = `rule_${rows.findIndex(([name]) => name === rule)}`;
    const lines = [accepted, refused, ...(rule === 'required' ? [] : [''])];
    await upload(app, table, `id,v\n${lines.map((value, index) => `${index + 1},${value}\n`).join('')}`, 'id:text,v:text');
    const { graphId, run } = await ingest(
      app,
      `version: 1
defaults: {on_error: quarantine, max_error_rate: 1}
nodes:
  - {id: row, label: 行, table: ${table}, key: [id], columns: [{column: id}, {column: v, ${column}}]}
  - {id: shipper, label: 运输商, table: rule_shippers, key: [id], columns: [{column: id}]}
`,
    );
    expect(run.error).toBeNull();
    const { rows: loaded } = await app.pool.query(`SELECT key FROM ${graphTables(graphId).nodes} WHERE label = '行' ORDER BY key`);
    expect(loaded.map(({ key }) => key)).toEqual(rule === 'required' ? ['1'] : ['1', '3']);
    const [row, ...others] = await rejectedRows(app, run.id);
    expect(others).toEqual([]);
    expect(row).toMatchObject({
      source_key: '2',
      row_no: 2,
      sample: { id: '2', v: refused === '' ? null : refused },
      reasons: [{ en, zh }],
    });
  },
);
