import { type TestApp, startTestApp } from './support/app.js';
import { aTable, brokenRules, counts, ingest, nodeProperties, rejectedRows, rowMapping } from './support/ingestion.js';

let test: TestApp;
beforeAll(async () => {
  test = await startTestApp();
});
afterAll(() => test.close());

describe('rules', () => {
  it('rejects a row once, with every column that breaks a rule, and the first rule of each', async () => {
    const table = await aTable(
      test,
      'id,code,n,d,s\n1,ABCDE,5,2024-01-01,paid\n2,ABC,0,2024-01-01,paid\n3,,-3,1989-01-01,foo\n4,ABCDEF,100,2024-01-01,\n',
      'id:text,code:text,n:int,d:date,s:text',
    );
    const { run } = await ingest(
      test,
      rowMapping(table, [
        "{column: code, property: 编码, rules: [required, {pattern: '^[A-Z]{5}$'}, {max_length: 3}]}",
        '{column: n, rules: [{min: 1}, {max: 10.5}]}',
        "{column: d, rules: [{min: '1990-01-01'}]}",
        '{column: s, rules: [{one_of: [paid, shipped]}]}',
      ]),
    );
    // Only the first broken rule of each column is listed. In row 1 that is max_length, because it matches the pattern, which comes first.
    expect(await brokenRules(test, run.id)).toEqual({
      1: ['max_length'],
      2: ['pattern', 'min'],
      3: ['required', 'min', 'min', 'one_of'],
      4: ['pattern', 'max'],
    });
    const rows = await rejectedRows(test, run.id);
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
      test,
      'id,v\n1,ALFK\n2,12.345\n3,11010519491231002x1\n4,11010519491231002X\n5,110105194912310021\n6,foo\n7,2999-01-01\n8,\n',
      'id:text,v:text',
    );
    const rejectedBy = async (column: string): Promise<Record<string, [en: string, zh: string]>> => {
      const { run } = await ingest(test, rowMapping(table, [column]));
      return Object.fromEntries((await rejectedRows(test, run.id)).map(row => [row.source_key, [row.reasons[0].en, row.reasons[0].zh]]));
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
    const table = await aTable(test, 'id,a,b,n\n1,x,p,1\n2,x,p,bad\n3,y,p,3\n4,x,q,4\n', 'id:text,a:text,b:text,n:text');
    const { run } = await ingest(
      test,
      rowMapping(table, ['{column: a, rules: [unique]}', '{column: b, rules: [{unique: true, severity: warn}]}', '{column: n, type: int}']),
    );
    expect(await brokenRules(test, run.id)).toEqual({ 2: ['unique', 'type'], 4: ['unique'] });
    expect(run.report.warnings).toMatchObject([{ code: 'rule_broken', rule: 'unique', property: 'b', count: 1 }]);
  });

  it('counts lengths in code points', async () => {
    const table = await aTable(test, 'id,v\n1,𠮷𠮷\n2,𠮷𠮷𠮷\n', 'id:text,v:text');
    const { run } = await ingest(test, rowMapping(table, ['{column: v, rules: [{min_length: 2}, {max_length: 2}]}']));
    expect(await brokenRules(test, run.id)).toEqual({ 2: ['max_length'] });
  });

  it('keeps the first of several rows with one unique value and names that row', async () => {
    const table = await aTable(test, 'id,v\n1,a\n2,b\n3,a\n4,\n5,\n', 'id:text,v:text');
    const { run } = await ingest(test, rowMapping(table, ['{column: v, rules: [unique]}']));
    const rows = await rejectedRows(test, run.id);
    expect(rows.map(row => [row.source_key, row.reasons[0].en])).toEqual([['3', "column 'v': duplicate value 'a' (first at row 1)"]]);
  });

  it('keeps the first of several rows with one key and says how many it skipped', async () => {
    const table = await aTable(test, 'id,v\n1,a\n1,b\n2,c\n', 'id:text,v:text');
    const { graphId, run } = await ingest(test, rowMapping(table, ['{column: v}']));
    expect(counts(run)['行']).toEqual([3, 2, 0, 0, 0, 0, 1]);
    expect(run.report.warnings).toMatchObject([{ code: 'duplicate_key', target: '行', count: 1 }]);
    expect((await nodeProperties(test, graphId))['1']).toEqual({ id: '1', v: 'a' });
  });

  it('lets rows pass that break a rule of severity warn, and counts them', async () => {
    const table = await aTable(test, 'id,a,b\n1,2024-01-02,2024-01-01\n2,2024-01-01,2024-01-02\n3,,2024-01-01\n', 'id:text,a:date,b:date');
    const { run } = await ingest(
      test,
      rowMapping(table, ["{column: b, rules: [{expression: 'b >= a', severity: warn, message: 发货早于下单}]}"]),
    );
    expect(counts(run)['行']).toEqual([3, 3, 0, 0, 0, 0, 0]);
    expect(run.report.warnings).toMatchObject([{ code: 'rule_broken', rule: 'expression', count: 1, message: '发货早于下单' }]);
  });

  it('rejects by an expression over the row, with the text of the mapping', async () => {
    const table = await aTable(test, 'id,a,b\n1,1,2\n2,2,1\n3,,1\n', 'id:text,a:int,b:int');
    const { run } = await ingest(test, rowMapping(table, ["{column: b, rules: [{expression: 'b >= a'}]}"]));
    expect(await brokenRules(test, run.id)).toEqual({ 2: ['expression'] });
    expect((await rejectedRows(test, run.id))[0].reasons[0].en).toBe("rule 'b >= a' is false");
  });

  it('rejects rows without a key and keys of more than 500 characters', async () => {
    const table = await aTable(test, `id,v\n,a\n${'x'.repeat(501)},b\n${'y'.repeat(500)},c\n`, 'id:text,v:text');
    const { run } = await ingest(test, rowMapping(table, ['{column: v}']));
    expect(counts(run)['行']).toEqual([3, 1, 0, 0, 0, 2, 0]);
    expect((await rejectedRows(test, run.id)).map(row => row.reasons[0].rule)).toEqual(['required', 'max_length']);
  });

  it('masks sensitive values in samples and in reasons', async () => {
    const table = await aTable(test, 'id,phone\n1,13800138000\n2,secret-number\n', 'id:text,phone:text');
    const { run } = await ingest(test, rowMapping(table, ["{column: phone, sensitive: true, rules: [{pattern: '[0-9]+'}]}"]));
    const [row] = await rejectedRows(test, run.id);
    expect(row.sample).toEqual({ id: '2', phone: '***' });
    expect(JSON.stringify([row, run.report])).not.toContain('secret-number');
  });

  it('matches a pattern as RE2 would: whole value, no backtracking', async () => {
    const table = await aTable(test, `id,v\n1,aaa\n2,aaab\n3,"a\na"\n4,中文\n5,${'a'.repeat(60)}!\n`, 'id:text,v:text');
    const { run } = await ingest(test, rowMapping(table, ["{column: v, rules: [{pattern: '(a+)+|[一-龥]{2}'}]}"]));
    expect(await brokenRules(test, run.id)).toEqual({ 2: ['pattern'], 3: ['pattern'], 5: ['pattern'] });
  });
});

describe('thresholds', () => {
  const csv = `id,n\n${Array.from({ length: 20 }, (_, index) => `${index},${index < 3 ? -1 : 1}`).join('\n')}\n`;

  it('rolls back at the first broken rule unless the mapping quarantines', async () => {
    const table = await aTable(test, csv, 'id:text,n:int');
    const { graphId, run } = await ingest(test, rowMapping(table, ['{column: n, rules: [{min: 0}]}'], 'trim: true'));
    expect(run).toMatchObject({ status: 'failed', error: { code: 'rows_rejected', context: { target: '行', rejected: 3 } } });
    expect(run.error.detail).toContain(`GET /api/ingestion/runs/${run.id}/rejected lists them with their reasons; with defaults.on_error`);
    expect(await nodeProperties(test, graphId)).toEqual({});
    expect(Object.keys(await brokenRules(test, run.id))).toEqual(['0', '1', '2']);
    expect((await test.admin.get(`/api/graphs/${graphId}`)).body.version).toBe(0);
  });

  it.each([
    ['max_error_rows: 2', 'failed'],
    ['max_error_rows: 3, max_error_rate: 1', 'succeeded'],
    ['max_error_rate: 0.14', 'failed'],
    ['max_error_rate: 0.15', 'succeeded'],
  ])('judge with %s that the run has %s', async (limit, status) => {
    const table = await aTable(test, csv, 'id:text,n:int');
    const { run } = await ingest(test, rowMapping(table, ['{column: n, rules: [{min: 0}]}'], `on_error: quarantine, ${limit}`));
    expect(run.status).toBe(status);
    if (status === 'failed') {
      const text = JSON.stringify(run.error);
      expect(text.match(/defaults\.max_error_rate/g)).toHaveLength(2);
      expect(text).toContain(`/api/ingestion/runs/${run.id}/rejected`);
    }
    expect(await rejectedRows(test, run.id)).toHaveLength(3);
  });
});
