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

/** A mapping of one node 行 keyed by `id`, quarantining, with `columns` besides the key. */
const mapping = (table: string, columns: string[], defaults = 'on_error: quarantine, max_error_rate: 1'): string => `version: 1
source: {timezone: Asia/Shanghai}
defaults: {${defaults}}
nodes:
  - id: row
    label: 行
    table: ${table}
    key: [id]
    columns:
      - {column: id, property: id, type: string}
${columns.map(column => `      - ${column}`).join('\n')}
`;

async function properties(graphId: number): Promise<Record<string, any>> {
  const { rows } = await app.pool.query(`SELECT key, properties FROM ${graphTables(graphId).nodes} ORDER BY key`);
  return Object.fromEntries(rows.map(row => [row.key, row.properties]));
}

/** The rules that each rejected row broke, by its key. */
async function broken(runId: number): Promise<Record<string, string[]>> {
  const rows = await rejectedRows(app, runId);
  return Object.fromEntries(rows.map(row => [row.source_key, row.reasons.map((reason: any) => reason.rule)]));
}

let tables = 0;
async function aTable(csv: string, types?: string): Promise<string> {
  const name = `t${++tables}`;
  await upload(app, name, csv, types);
  return name;
}

describe('types', () => {
  it.each([
    ['int', '7', 7, ['x', '1.5', '2147483648', '0x1F', '1_000']],
    ['bigint', '9007199254740993', 9007199254740993, ['1e3', '9223372036854775808']],
    ["'decimal(6,2)'", '1234.5', 1234.5, ['12345.6', 'NaN', 'Infinity', '1_0']],
    ['float', '1e3', 1000, ['1e400', 'inf', 'nan', '1,5']],
    ['boolean', 'yes', true, ['2', 'maybe']],
    ['date', '2024-02-29', '2024-02-29', ['2023-02-29', 'today', 'infinity', '20:15', '5.005', '1.235', '2024-005', '240209', '01/02/03']],
    ['time', '08:30', '08:30:00', ['25:00', 'now', '2024.2', '2024-1']],
    ['datetime', '2024-01-02 03:04', '2024-01-02T03:04:00+08:00', ['tomorrow', '2024-13-01 00:00', '1.235', '2024.005', '20240102 2024']],
    ['json', '{"a": [null]}', { a: [null] }, ['{a}', '[1,']],
    ["'string[]'", '["a","b"]', ['a', 'b'], ['[1]', '[{}]', 'a,b']],
    ["'int[]'", '{1,2}', [1, 2], ['["1"]', '[1.5]', '{x}']],
  ])('reads %s from text and rejects other texts', async (type, good, expected, bad) => {
    const quoted = (value: string): string => `"${value.replaceAll('"', '""')}"`;
    const lines = [good, '', ...bad].map((value, index) => `${index},${quoted(value)}`);
    const table = await aTable(`id,v\n${lines.join('\n')}\n`, 'id:text,v:text');
    const { graphId, run } = await ingest(app, mapping(table, [`{column: v, type: ${type}}`]));
    expect(run.error).toBeNull();
    expect(await properties(graphId)).toEqual({ 0: { id: '0', v: expected }, 1: { id: '1' } });
    expect(await broken(run.id)).toEqual(Object.fromEntries(bad.map((_, index) => [String(index + 2), ['type']])));
  });

  it('reads every unambiguous spelling of a day', async () => {
    const days = ['2024-02-09', '2024-2-9', '2024/2/9', '2024.2.9', ' 20240209 ', '2024-Feb-09', '9 February 2024', '2024-02-09T08:00Z'];
    const table = await aTable(`id,v\n${days.map((day, index) => `${index},${day}`).join('\n')}\n`, 'id:text,v:text');
    const { graphId } = await ingest(app, mapping(table, ['{column: v, type: date}', '{column: v, property: at, type: datetime}']));
    const read = Object.values(await properties(graphId));
    expect(read.map(({ v }) => v)).toEqual(days.map(() => '2024-02-09'));
    expect(read.map(({ at }) => at)).toEqual(days.map((_, index) => `2024-02-09T${index === 7 ? '16' : '00'}:00:00+08:00`));
  });

  it('reads typed source columns without going through text, and checks values that may not fit', async () => {
    const table = await aTable(
      'id,n,d,t,b\n1,3.00,2024-05-06,2024-05-06 07:08:09,true\n2,3.50,2024-05-07,2024-05-06 07:08:09,false\n3,3000000000,,,\n',
      'id:text,n:numeric,d:date,t:timestamp,b:boolean',
    );
    const { graphId, run } = await ingest(
      app,
      mapping(table, [
        '{column: n, type: int}',
        "{column: n, property: small, type: 'decimal(5,1)'}",
        '{column: d}',
        '{column: t}',
        '{column: b}',
      ]),
    );
    expect(await properties(graphId)).toEqual({ 1: { id: '1', n: 3, small: 3, d: '2024-05-06', t: '2024-05-06T07:08:09+08:00', b: true } });
    expect(await broken(run.id)).toEqual({ 2: ['type'], 3: ['type', 'type'] });
  });
});

describe('transforms', () => {
  it('applies them in order, then the default, and reads blanks as NULL', async () => {
    const table = await aTable('id,v\n1,"  Ab  c "\n2,\n3,"   "\n4,N/A\n5,ＡＢＣ\n', 'id:text,v:text');
    const { graphId } = await ingest(
      app,
      mapping(table, [
        '{column: v, property: up, transform: [trim, collapse_space, upper]}',
        "{column: v, property: filled, transform: [trim, {null_if: ['N/A']}], default: none}",
        '{column: v, property: mapped, transform: [trim, nfkc, {map: {ABC: 甲, N/A: null}}]}',
        '{column: v, property: low, transform: [trim, lower]}',
      ]),
    );
    expect(await properties(graphId)).toEqual({
      1: { id: '1', up: 'AB C', filled: 'Ab  c', mapped: 'Ab  c', low: 'ab  c' },
      2: { id: '2', filled: 'none' },
      3: { id: '3', filled: 'none' },
      4: { id: '4', up: 'N/A', filled: 'none', low: 'n/a' },
      5: { id: '5', up: 'ＡＢＣ', filled: 'ＡＢＣ', mapped: '甲', low: 'ａｂｃ' },
    });
  });

  it('reads lists, parts of texts, dates of a given form and grouped numbers', async () => {
    const csv = 'id,tags,at,n\n1,a; b,31/12/2024 8:05,"1,234.50"\n2,,2024-12-31 08:05,"1,5"\n3,7,,１２\n';
    const table = await aTable(csv, 'id:text,tags:text,at:text,n:text');
    const { graphId, run } = await ingest(
      app,
      mapping(table, [
        "{column: tags, transform: [{split: ';'}]}",
        "{column: at, transform: [trim, {date_format: 'dd/MM/yyyy H:mm'}]}",
        '{column: n, transform: [number_cn]}',
        '{column: at, property: day, type: string, transform: [{substring: [1, 2]}]}',
        "{constant: 'a,b', property: fixed, transform: [{split: ','}]}",
      ]),
    );
    const fixed = ['a', 'b'];
    expect(await properties(graphId)).toEqual({
      1: { id: '1', tags: ['a', 'b'], at: '2024-12-31T08:05:00+08:00', n: 1234.5, day: '31', fixed },
      3: { id: '3', tags: ['7'], n: 12, fixed },
    });
    expect((await rejectedRows(app, run.id)).map(row => row.reasons.map((reason: any) => reason.en))).toEqual([
      ["column 'at': cannot read '2024-12-31 08:05 (not dd/MM/yyyy H:mm)' as datetime", "column 'n': cannot read '1,5' as decimal"],
    ]);
    const { body } = await app.admin.get(`/api/graphs/${graphId}/schema`).expect(200);
    const types = body.nodes[0].properties.map(({ name, type }: any) => [name, type]);
    expect(types).toEqual(
      expect.arrayContaining([
        ['tags', 'string[]'],
        ['at', 'datetime'],
        ['n', 'decimal'],
        ['fixed', 'string[]'],
      ]),
    );
  });

  it('takes constants and expressions as values', async () => {
    const table = await aTable('id,a,b\n1,2,3\n', 'id:text,a:int,b:int');
    const { graphId } = await ingest(
      app,
      mapping(table, [
        '{constant: 线上, property: 渠道}',
        '{expression: "a * b + 1", property: 积}',
        '{constant: 5, property: 五, type: int}',
      ]),
    );
    expect(await properties(graphId)).toEqual({ 1: { id: '1', 渠道: '线上', 积: 7, 五: 5 } });
  });
});

describe('queries', () => {
  it('loads distinct rows, and names what a query may not hold', async () => {
    const table = await aTable('a,b\nx,1\nx,1\ny,2\n', 'a:text,b:text');
    const query = (sql: string): string =>
      `version: 1\nnodes:\n  - {id: n, label: 点, query: "${sql}", key: [a], columns: [{column: a}, {column: b}]}\n`;
    const { run } = await ingest(app, query(`SELECT DISTINCT a, regexp_replace(b, '[^0-9]', '', 'g') AS b FROM ${table}`));
    expect(counts(run)['点']).toEqual([2, 2, 0, 0, 0, 0, 0]);
    const { body } = await app.admin
      .post('/api/ingestion/mappings/validate')
      .send({ mapping_yaml: query(`SELECT n AS a, n AS b FROM generate_series(1, 9) AS n`) })
      .expect(422);
    expect(body.detail.errors).toMatchObject([{ type: 'unsafe_sql', line: 3, path: 'nodes[0].query' }]);
    expect(body.detail.errors[0].msg).toContain("a function cannot stand in FROM: 'generate_series' at character 28");
  });
});

describe('rules', () => {
  it('rejects a row once, with every column that breaks a rule, and the first rule of each', async () => {
    const table = await aTable(
      'id,code,n,d,s\n1,ABCDE,5,2024-01-01,paid\n2,ABC,0,2024-01-01,paid\n3,,-3,1989-01-01,foo\n4,ABCDEF,100,2024-01-01,\n',
      'id:text,code:text,n:int,d:date,s:text',
    );
    const { run } = await ingest(
      app,
      mapping(table, [
        "{column: code, property: 编码, rules: [required, {pattern: '^[A-Z]{5}$'}, {max_length: 3}]}",
        '{column: n, rules: [{min: 1}, {max: 10.5}]}',
        "{column: d, rules: [{min: '1990-01-01'}]}",
        '{column: s, rules: [{one_of: [paid, shipped]}]}',
      ]),
    );
    // Row 1 breaks max_length, which comes after the pattern that the other rows break first.
    expect(await broken(run.id)).toEqual({
      1: ['max_length'],
      2: ['pattern', 'min'],
      3: ['required', 'min', 'min', 'one_of'],
      4: ['pattern', 'max'],
    });
    const rows = await rejectedRows(app, run.id);
    expect(rows[2]).toEqual({
      target: '行',
      row_no: 3,
      source_key: '3',
      sample: { id: '3', code: null, n: '-3', d: '1989-01-01', s: 'foo' },
      reasons: [
        { rule: 'required', column: 'code', property: '编码', en: "column 'code' is required but empty", zh: '列「code」必填，但为空' },
        { rule: 'min', column: 'n', property: 'n', en: "column 'n': -3 is below min 1", zh: '列「n」：-3 小于最小值 1' },
        {
          rule: 'min',
          column: 'd',
          property: 'd',
          en: "column 'd': 1989-01-01 is below min 1990-01-01",
          zh: '列「d」：1989-01-01 小于最小值 1990-01-01',
        },
        {
          rule: 'one_of',
          column: 's',
          property: 's',
          en: "column 's': 'foo' is not one of paid, shipped",
          zh: "列「s」：'foo' 不在 paid、shipped 之中",
        },
      ],
    });
  });

  it('gives each rule its sentence, in both languages', async () => {
    const table = await aTable(
      'id,v\n1,ALFK\n2,12.345\n3,11010519491231002x1\n4,11010519491231002X\n5,110105194912310021\n6,foo\n7,2999-01-01\n8,\n',
      'id:text,v:text',
    );
    const rejectedBy = async (column: string): Promise<Record<string, [en: string, zh: string]>> => {
      const { run } = await ingest(app, mapping(table, [column]));
      return Object.fromEntries((await rejectedRows(app, run.id)).map(row => [row.source_key, [row.reasons[0].en, row.reasons[0].zh]]));
    };
    const { 3: longer } = await rejectedBy('{column: v, rules: [{max_length: 18}]}');
    expect(longer).toEqual(["column 'v': length 19 exceeds max_length 18", '列「v」：长度 19 超过 max_length 18']);
    const { 6: shorter } = await rejectedBy('{column: v, sensitive: true, rules: [{min_length: 4}]}');
    expect(shorter).toEqual(["column 'v': length 3 is below min_length 4", '列「v」：长度 3 小于 min_length 4']);
    expect(await rejectedBy("{column: v, rules: [{when: id = '2', rules: [{pattern: '^[A-Z]{5}$'}]}]}")).toEqual({
      2: ["column 'v': '12.345' does not match ^[A-Z]{5}$", "列「v」：'12.345' 不符合 ^[A-Z]{5}$"],
    });
    const decimals = await rejectedBy("{column: v, type: 'decimal(30,9)', rules: [{precision: [20, 2]}]}");
    expect(decimals[2]).toEqual(["column 'v': 12.345 needs more than 2 decimals", '列「v」：12.345 需要多于 2 位小数']);
    expect(decimals[5]).toBeUndefined();
    expect(decimals[1]).toEqual(["column 'v': cannot read 'ALFK' as decimal(30,9)", "列「v」：无法把 'ALFK' 解析为 decimal(30,9)"]);
    const cards = await rejectedBy('{column: v, type: string, rules: [{format: id_card_cn}]}');
    expect(cards[4]).toBeUndefined();
    expect(cards[5]).toEqual(["column 'v': checksum does not match (id_card_cn)", '列「v」：校验码不符（id_card_cn）']);
    expect(cards[6]![0]).toBe("column 'v': 'foo' does not have the format id_card_cn");
    expect((await rejectedBy("{column: v, type: date, rules: [{when: id = '7', rules: [not_in_future]}]}"))[7]).toEqual([
      "column 'v': 2999-01-01 is in the future",
      '列「v」：2999-01-01 晚于运行开始的时间',
    ]);
    expect(await rejectedBy("{column: v, rules: [{when: id = '8', rules: [required]}]}")).toEqual({
      8: ["column 'v' is required but empty", '列「v」必填，但为空'],
    });
  });

  it('lists a repeated value among the other reasons, and counts it where the rule only warns', async () => {
    const table = await aTable('id,a,b,n\n1,x,p,1\n2,x,p,bad\n3,y,p,3\n4,x,q,4\n', 'id:text,a:text,b:text,n:text');
    const { run } = await ingest(
      app,
      mapping(table, ['{column: a, rules: [unique]}', '{column: b, rules: [{unique: true, severity: warn}]}', '{column: n, type: int}']),
    );
    expect(await broken(run.id)).toEqual({ 2: ['unique', 'type'], 4: ['unique'] });
    expect(run.report.warnings).toMatchObject([{ code: 'rule_broken', rule: 'unique', property: 'b', count: 1 }]);
  });

  it('counts lengths in code points', async () => {
    const table = await aTable('id,v\n1,𠮷𠮷\n2,𠮷𠮷𠮷\n', 'id:text,v:text');
    const { run } = await ingest(app, mapping(table, ['{column: v, rules: [{min_length: 2}, {max_length: 2}]}']));
    expect(await broken(run.id)).toEqual({ 2: ['max_length'] });
  });

  it('keeps the first of several rows with one unique value and names that row', async () => {
    const table = await aTable('id,v\n1,a\n2,b\n3,a\n4,\n5,\n', 'id:text,v:text');
    const { run } = await ingest(app, mapping(table, ['{column: v, rules: [unique]}']));
    const rows = await rejectedRows(app, run.id);
    expect(rows.map(row => [row.source_key, row.reasons[0].en])).toEqual([['3', "column 'v': duplicate value 'a' (first at row 1)"]]);
  });

  it('keeps the first of several rows with one key and says how many it skipped', async () => {
    const table = await aTable('id,v\n1,a\n1,b\n2,c\n', 'id:text,v:text');
    const { graphId, run } = await ingest(app, mapping(table, ['{column: v}']));
    expect(counts(run)['行']).toEqual([3, 2, 0, 0, 0, 0, 1]);
    expect(run.report.warnings).toMatchObject([{ code: 'duplicate_key', target: '行', count: 1 }]);
    expect((await properties(graphId))['1']).toEqual({ id: '1', v: 'a' });
  });

  it('lets rows pass that break a rule of severity warn, and counts them', async () => {
    const table = await aTable('id,a,b\n1,2024-01-02,2024-01-01\n2,2024-01-01,2024-01-02\n3,,2024-01-01\n', 'id:text,a:date,b:date');
    const { run } = await ingest(
      app,
      mapping(table, ["{column: b, rules: [{expression: 'b >= a', severity: warn, message: 发货早于下单}]}"]),
    );
    expect(counts(run)['行']).toEqual([3, 3, 0, 0, 0, 0, 0]);
    expect(run.report.warnings).toMatchObject([{ code: 'rule_broken', rule: 'expression', count: 1, message: '发货早于下单' }]);
  });

  it('rejects by an expression over the row, with the text of the mapping', async () => {
    const table = await aTable('id,a,b\n1,1,2\n2,2,1\n3,,1\n', 'id:text,a:int,b:int');
    const { run } = await ingest(app, mapping(table, ["{column: b, rules: [{expression: 'b >= a'}]}"]));
    expect(await broken(run.id)).toEqual({ 2: ['expression'] });
    expect((await rejectedRows(app, run.id))[0].reasons[0].en).toBe("rule 'b >= a' is false");
  });

  it('rejects rows without a key and keys of more than 500 characters', async () => {
    const table = await aTable(`id,v\n,a\n${'x'.repeat(501)},b\n${'y'.repeat(500)},c\n`, 'id:text,v:text');
    const { run } = await ingest(app, mapping(table, ['{column: v}']));
    expect(counts(run)['行']).toEqual([3, 1, 0, 0, 0, 2, 0]);
    expect((await rejectedRows(app, run.id)).map(row => row.reasons[0].rule)).toEqual(['required', 'max_length']);
  });

  it('masks sensitive values in samples and in reasons', async () => {
    const table = await aTable('id,phone\n1,13800138000\n2,secret-number\n', 'id:text,phone:text');
    const { run } = await ingest(app, mapping(table, ["{column: phone, sensitive: true, rules: [{pattern: '[0-9]+'}]}"]));
    const [row] = await rejectedRows(app, run.id);
    expect(row.sample).toEqual({ id: '2', phone: '***' });
    expect(JSON.stringify([row, run.report])).not.toContain('secret-number');
  });

  it('matches a pattern as RE2 would: whole value, no backtracking', async () => {
    const table = await aTable(`id,v\n1,aaa\n2,aaab\n3,"a\na"\n4,中文\n5,${'a'.repeat(60)}!\n`, 'id:text,v:text');
    const { run } = await ingest(app, mapping(table, ["{column: v, rules: [{pattern: '(a+)+|[一-龥]{2}'}]}"]));
    expect(await broken(run.id)).toEqual({ 2: ['pattern'], 3: ['pattern'], 5: ['pattern'] });
  });
});

describe('thresholds', () => {
  const csv = `id,n\n${Array.from({ length: 20 }, (_, index) => `${index},${index < 3 ? -1 : 1}`).join('\n')}\n`;

  it('rolls back at the first broken rule unless the mapping quarantines', async () => {
    const table = await aTable(csv, 'id:text,n:int');
    const { graphId, run } = await ingest(app, mapping(table, ['{column: n, rules: [{min: 0}]}'], 'trim: true'));
    expect(run).toMatchObject({ status: 'failed', error: { code: 'rows_rejected', context: { target: '行', rejected: 3 } } });
    expect(run.error.detail).toContain(`GET /api/ingestion/runs/${run.id}/rejected lists them with their reasons; with defaults.on_error`);
    expect(await properties(graphId)).toEqual({});
    expect(Object.keys(await broken(run.id))).toEqual(['0', '1', '2']);
    expect((await app.admin.get(`/api/graphs/${graphId}`)).body.version).toBe(0);
  });

  it.each([
    ['max_error_rows: 2', 'failed'],
    ['max_error_rows: 3, max_error_rate: 1', 'succeeded'],
    ['max_error_rate: 0.14', 'failed'],
    ['max_error_rate: 0.15', 'succeeded'],
  ])('with %s the run has %s', async (limit, status) => {
    const table = await aTable(csv, 'id:text,n:int');
    const { run } = await ingest(app, mapping(table, ['{column: n, rules: [{min: 0}]}'], `on_error: quarantine, ${limit}`));
    expect(run.status).toBe(status);
    if (status === 'failed') {
      const text = JSON.stringify(run.error);
      expect(text.match(/defaults\.max_error_rate/g)).toHaveLength(2);
      expect(text).toContain(`/api/ingestion/runs/${run.id}/rejected`);
    }
    expect(await rejectedRows(app, run.id)).toHaveLength(3);
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
    const people = await aTable('id\n A \nb\n', 'id:text');
    const knows = await aTable('a,b\na,B\n', 'a:text,b:text');
    const { run } = await ingest(app, graph(people, `table: ${knows}, ${ends()}`));
    expect(counts(run)['认识']).toEqual([1, 1, 0, 0, 0, 0, 0]);
  });

  it('identifies edges by (from, to) without a key, and parallel edges by their key', async () => {
    const people = await aTable('id\na\nb\n', 'id:text');
    const knows = await aTable('a,b,n\na,b,1\na,b,2\nb,a,3\n', 'a:text,b:text,n:int');
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
    const nodes = await aTable('x,y\n1,"q""uote"\n2,z\n', 'x:int,y:text');
    const links = await aTable('x,y,u,v\n1,"q""uote",2,z\n,z,2,z\n', 'x:int,y:text,u:int,v:text');
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
    const people = await aTable('id\na\nb\n', 'id:text');
    const knows = await aTable('a,b\na,b\na,\na,\n,\n', 'a:text,b:text');
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
    const people = await aTable('id\na\n', 'id:text');
    const knows = await aTable('a,b\na,\n', 'a:text,b:text');
    const { run } = await ingest(app, graph(people, `table: ${knows}, ${ends()}`, 'on_error: fail'));
    expect(counts(run)['认识']).toEqual([1, 0, 0, 0, 0, 0, 1]);
  });

  it('rejects a row with an empty end that the mapping requires', async () => {
    const people = await aTable('id\na\nb\n', 'id:text');
    const knows = await aTable('a,b\na,b\na,\n', 'a:text,b:text');
    const { run } = await ingest(
      app,
      graph(people, `table: ${knows}, ${ends()}, columns: [{column: b, transform: [upper], rules: [required]}]`),
    );
    expect(counts(run)['认识']).toEqual([2, 1, 0, 0, 0, 1, 0]);
  });

  it('fails when rows were read and none found both its ends', async () => {
    const people = await aTable('id\na\nb\n', 'id:text');
    const knows = await aTable('a,b\nx,y\nz,b\n', 'a:text,b:text');
    const { run, graphId } = await ingest(app, graph(people, `table: ${knows}, ${ends(', on_missing: skip')}`));
    expect(run).toMatchObject({ status: 'failed', error: { code: 'all_edges_unmatched', context: { target: '认识', rows: 2 } } });
    const { rows } = await app.pool.query(`SELECT count(*)::int AS n FROM ${graphTables(graphId).nodes}`);
    expect(rows[0].n).toBe(0);
  });

  it('treats a row by the stricter of its two ends', async () => {
    const people = await aTable('id\na\nb\n', 'id:text');
    const knows = await aTable('a,b\na,b\na,x\nx,b\n', 'a:text,b:text');
    const edge = (from: string, to: string): string =>
      graph(
        people,
        `table: ${knows}, from: {node: person, match: {a: id}, on_missing: ${from}}, to: {node: person, match: {b: id}, on_missing: ${to}}`,
      );
    expect(counts((await ingest(app, edge('skip', 'quarantine'))).run)['认识']).toEqual([3, 1, 0, 0, 0, 1, 1]);
    expect((await ingest(app, edge('skip', 'fail'))).run.error).toMatchObject({ code: 'edges_unmatched', context: { rows: 1 } });
  });

  it('finds nodes that another job loaded by their label', async () => {
    const people = await aTable('id\na\nb\n', 'id:text');
    const knows = await aTable('a,b\na,b\n', 'a:text,b:text');
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
    const table = await aTable('id,v,w\n1,a,x\n2,b,y\n', 'id:text,v:text,w:text');
    const { graphId, jobId } = await ingest(app, mapping(table, ['{column: v}', '{column: w}']));
    await upload(app, table, 'id,v,w\n1,a,x\n2,c,\n3,d,z\n', 'id:text,v:text,w:text');
    expect(counts(await runToEnd(app, jobId))['行']).toEqual([3, 1, 1, 1, 0, 0, 0]);
    expect(await properties(graphId)).toEqual({ 1: { id: '1', v: 'a', w: 'x' }, 2: { id: '2', v: 'c' }, 3: { id: '3', v: 'd', w: 'z' } });
  });

  it('keeps properties of another job unless the mapping replaces', async () => {
    const one = await aTable('id,v\n1,a\n', 'id:text,v:text');
    const two = await aTable('id,w\n1,b\n', 'id:text,w:text');
    const { graphId } = await ingest(app, mapping(one, ['{column: v}']));
    await runToEnd(app, await aJob(app, graphId, mapping(two, ['{column: w}'])));
    expect(await properties(graphId)).toEqual({ 1: { id: '1', v: 'a', w: 'b' } });
    await runToEnd(app, await aJob(app, graphId, mapping(two, ['{column: w}']).replace('key: [id]', 'key: [id]\n    write: replace')));
    expect(await properties(graphId)).toEqual({ 1: { id: '1', w: 'b' } });
  });

  it('keeps the old nodes when a run fails', async () => {
    const table = await aTable('id,n\n1,1\n', 'id:text,n:int');
    const { graphId, jobId } = await ingest(app, mapping(table, ['{column: n, rules: [{min: 0}]}'], 'on_error: fail'));
    const before = await properties(graphId);
    await upload(app, table, 'id,n\n1,2\n2,-1\n', 'id:text,n:int');
    expect((await runToEnd(app, jobId)).status).toBe('failed');
    expect(await properties(graphId)).toEqual(before);
  });

  it('reads an incremental source from the last cursor less the lag, that moment included', async () => {
    const rows = (days: number[]): string => `id,d\n${days.map(day => `${day},2024-01-${String(day).padStart(2, '0')}`).join('\n')}\n99,\n`;
    const table = await aTable(rows([1, 5, 10]), 'id:text,d:date');
    const text = mapping(table, ['{column: d}']).replace(
      'key: [id]',
      'key: [id]\n    incremental: {cursor: d, type: date, lag: 2d, initial: 2024-01-03}',
    );
    const { jobId, run } = await ingest(app, text);
    // Rows 5 and 10, and the row without a cursor, which otherwise could never be read.
    expect(run.report.targets[0].read).toBe(3);
    await upload(app, table, rows([1, 7, 8, 9, 12]), 'id:text,d:date');
    const second = await runToEnd(app, jobId);
    expect(second.report.cursors).toEqual({ 行: { from: '2024-01-10', to: '2024-01-12' } });
    expect(counts(second)['行']).toEqual([4, 3, 0, 1, 0, 0, 0]);
  });

  it('takes no text for a cursor that its type would not read', async () => {
    const table = await aTable('id,d\n1,2024-01-05\n2,infinity\n3,2100.005\n', 'id:text,d:text');
    const text = mapping(table, []).replace('key: [id]', 'key: [id]\n    incremental: {cursor: d, type: date}');
    const { run } = await ingest(app, text);
    expect(run.report.cursors).toEqual({ 行: { from: null, to: '2024-01-05' } });
    expect(run.report.targets[0].read).toBe(3);
  });
});

describe('creating a job', () => {
  const refused = async (text: string): Promise<any[]> => {
    const graphId = await aGraph(app);
    const { body } = await app.admin.post('/api/ingestion/jobs').send({ graph_id: graphId, mapping_yaml: text }).expect(422);
    return body.detail.errors;
  };

  it('names missing tables and columns, with line and the nearest name', async () => {
    await upload(app, 'customers', 'customer_id,company_name\n1,甲\n');
    const [table] = await refused(mapping('custmers', []));
    expect(table).toMatchObject({ type: 'unknown_table', line: 7, column: 12, path: 'nodes[0].table' });
    expect(table.msg).toContain("did you mean 'customers'?");
    const columns = await refused(
      mapping('customers', ['{column: compny_name}']).replaceAll('id,', 'customer_id,').replace('key: [id]', 'key: [customer_id]'),
    );
    expect(columns.map(problem => [problem.type, problem.path, problem.line])).toEqual([
      ['unknown_column', 'nodes[0].columns[1].column', 11],
    ]);
    expect(columns[0].msg).toContain("did you mean 'company_name'?");
  });

  it.each([
    ['a break-out of where', 'where: "1=1) OR (1=1"', 'where'],
    ['a sub-query in where', 'where: "id IN (SELECT id FROM t1)"', 'where'],
    ['a function outside the list', 'where: "pg_sleep(1) IS NULL"', 'where'],
    ['a comparison of types that do not match', 'where: "id > current_date"', 'where'],
  ])('refuses %s at its place', async (_name, where, place) => {
    const table = await aTable('id\n1\n', 'id:text');
    const problems = await refused(mapping(table, []).replace('key: [id]', `key: [id]\n    ${where}`));
    expect(problems.map(problem => [problem.type, problem.path, problem.line])).toEqual([['unsafe_sql', `nodes[0].${place}`, 9]]);
  });

  describe('with a column that does not exist', () => {
    beforeAll(async () => {
      await upload(app, 'clients', 'id,company_name,City\n1,甲,x\n');
      await upload(app, 'purchases', 'id,client_id,amount\n1,1,5\n');
    });
    const refusedQuery = (query: string): Promise<any[]> => refused(mapping('x', []).replace('table: x', `query: ${query}`));

    it.each([
      ['SELECT id, compny_name FROM clients', 'compny_name', 12, 'company_name', 'clients: id, company_name, City'],
      [
        'SELECT p.id, p.compny_name FROM clients c JOIN purchases p ON p.client_id = c.id',
        'p.compny_name',
        14,
        null,
        'purchases: id, client_id, amount',
      ],
      ['SELECT c.id FROM clients c WHERE c.companyname IS NULL', 'c.companyname', 34, 'company_name', 'clients: id, company_name, City'],
      ['SELECT id, city FROM clients', 'city', 12, 'City', 'clients: id, company_name, City'],
      ['SELECT q.id, q.amont FROM (SELECT * FROM purchases) q', 'q.amont', 14, null, undefined],
    ])('names it in a query: %s', async (query, written, at, meant, hint) => {
      const [problem, ...others] = await refusedQuery(query);
      expect(others).toEqual([]);
      expect(problem).toMatchObject({ type: 'unknown_column', path: 'nodes[0].query', line: 7 });
      expect(problem.msg).toContain(`查询用到的列 '${written}' 不存在（第 ${at} 个字符）`);
      expect(problem.msg).toContain(`the query names a column that does not exist: '${written}' at character ${at}`);
      if (meant === null) expect(problem.msg).not.toContain('did you mean');
      else expect(problem.msg).toContain(`did you mean '${meant}'?`);
      expect(problem.hint).toBe(hint);
    });

    it('names a missing table of a query with the nearest one', async () => {
      const [problem] = await refusedQuery('SELECT id FROM purchase');
      expect(problem).toMatchObject({ type: 'unknown_table', path: 'nodes[0].query' });
      expect(problem.msg).toContain("there is no table 'purchase' at character 16; did you mean 'purchases'?");
    });

    it('names what does not fit in a query', async () => {
      const [problem] = await refusedQuery('SELECT id FROM purchases WHERE amount = current_date');
      expect(problem.type).toBe('unsafe_sql');
      expect(problem.msg).toContain("does not fit these types: '=' at character 39");
    });

    it('names it in a where and in an expression', async () => {
      const text = mapping('purchases', ['{expression: amont * 2, property: n}']).replace('key: [id]', 'key: [id]\n    where: client > 1');
      const [where, expression] = await refused(text);
      expect(where).toMatchObject({ type: 'unknown_column', path: 'nodes[0].where', line: 9, hint: 'id, client_id, amount' });
      expect(where.msg).toContain("table 'purchases' has no column 'client' at character 1");
      expect(expression).toMatchObject({ type: 'unknown_column', path: 'nodes[0].columns[1].expression', line: 12 });
      expect(expression.msg).toContain("表 'purchases' 没有列 'amont'（第 1 个字符），是否想写 'amount'？");
      expect(expression.msg).toContain("did you mean 'amount'?");
    });

    it('names the table of an edge whose match names no column on its left', async () => {
      const edge = `edges:
  - type: 购买
    table: purchases
    from: {node: row, match: {cliant_id: id}}
    to: {node: row, match: {client_id: id}}
`;
      const [problem, ...others] = await refused(mapping('clients', []) + edge);
      expect(others).toEqual([]);
      expect(problem).toMatchObject({ type: 'unknown_column', path: 'edges[0].from.match.cliant_id', hint: 'id, client_id, amount' });
      expect(problem.msg).toContain("表 'purchases' 没有列 'cliant_id'，是否想写 'client_id'？");
      expect(problem.msg).toContain("table 'purchases' has no column 'cliant_id'; did you mean 'client_id'?");
    });

    it('asks for the quotes that a name with capitals needs', async () => {
      const [where] = await refused(mapping('clients', []).replace('key: [id]', "key: [id]\n    where: City > ''"));
      expect(where.msg).toContain('write "City" with double quotes');
    });
  });

  it.each([
    ['of another schema', 'SELECT id FROM public.users'],
    ['of the catalogue', 'SELECT rolname AS id FROM pg_authid'],
    ['that writes', 'DELETE FROM t1 RETURNING id'],
    ['of two statements', 'SELECT 1 AS id; SELECT 2 AS id'],
  ])('refuses a query %s', async (_name, query) => {
    const problems = await refused(mapping('x', []).replace('table: x', `query: ${query}`));
    expect(problems.map(problem => problem.type)).toEqual(['unsafe_sql']);
  });

  it.each([
    ['a bound that is no number', '{column: n, property: n, rules: [required, {min: abc}]}', 'bad_rule_argument', 'abc'],
    ['a bound that is no date', '{column: d, property: d, rules: [{max: 5}]}', 'bad_rule_argument', '5}'],
    ['a bound of text', '{column: s, property: s, rules: [{min: 5}]}', 'rule_type_mismatch', '5}'],
    ['a pattern of numbers', "{column: n, property: n, rules: [{pattern: '^1'}]}", 'rule_type_mismatch', '^1'],
    [
      'a length of an expression that is a number',
      '{expression: n + 1, property: n, rules: [{max_length: 3}]}',
      'rule_type_mismatch',
      '3}',
    ],
    ['a default that is no number', '{column: n, property: n, default: none}', 'default_breaks_rule', 'none'],
  ])('refuses %s when the source decides the type', async (_name, column, type, pointedAt) => {
    const table = await aTable('id,n,d,s\na,1,2026-01-01,x\n');
    const { body } = await app.admin
      .post('/api/ingestion/mappings/validate')
      .send({ mapping_yaml: mapping(table, [column]) })
      .expect(422);
    expect(body.detail.errors.map((error: any) => `${error.type}@${error.line}:${error.column}`)).toEqual([
      `${type}@11:${7 + '- '.length + column.indexOf(pointedAt)}`,
    ]);
  });

  it('fails a run, by name, when the source has changed to a type that a rule does not fit', async () => {
    const table = await aTable('id,n\na,1\n');
    const graphId = await aGraph(app);
    const jobId = await aJob(app, graphId, mapping(table, ['{column: n, property: n, rules: [{min: 0}]}']));
    await upload(app, table, 'id,n\na,x\n');
    const { error } = await runToEnd(app, jobId);
    expect([error.code, JSON.stringify(error)]).toEqual(['source_changed', expect.stringContaining("rule 'min'")]);
  });

  it('names a connection that does not exist', async () => {
    expect((await refused(mapping('t1', []).replace('{timezone: Asia/Shanghai}', '{connection: nowhere}')))[0]).toMatchObject({
      type: 'unknown_connection',
      line: 2,
    });
  });

  it('validates without creating anything', async () => {
    const table = await aTable('id\n1\n', 'id:text');
    const { body } = await app.admin
      .post('/api/ingestion/mappings/validate')
      .send({ mapping_yaml: mapping(table, []) })
      .expect(200);
    expect(body).toEqual({ valid: true, targets: [{ kind: 'node', target: '行', source: table }], warnings: [] });
    await app.admin.post('/api/ingestion/mappings/validate').send({ mapping_yaml: 'version: 1\n' }).expect(422);
  });
});
