import { type TestApp, startTestApp } from './support/app.js';
import { aTable, brokenRules, ingest, nodeProperties, rejectedRows, rowMapping } from './support/ingestion.js';
import { everyNth } from './support/tier.js';

let test: TestApp;
beforeAll(async () => {
  test = await startTestApp();
});
afterAll(() => test.close());

describe('types', () => {
  it.each(
    everyNth<[type: string, good: string, expected: unknown, bad: string[]]>(
      [
        ['int', '7', 7, ['x', '1.5', '2147483648', '0x1F', '1_000']],
        ['bigint', '9007199254740993', 9007199254740993, ['1e3', '9223372036854775808']],
        ["'decimal(6,2)'", '1234.5', 1234.5, ['12345.6', 'NaN', 'Infinity', '1_0']],
        ['float', '1e3', 1000, ['1e400', 'inf', 'nan', '1,5']],
        ['boolean', 'yes', true, ['2', 'maybe']],
        [
          'date',
          '2024-02-29',
          '2024-02-29',
          ['2023-02-29', 'today', 'infinity', '20:15', '5.005', '1.235', '2024-005', '240209', '01/02/03'],
        ],
        ['time', '08:30', '08:30:00', ['25:00', 'now', '2024.2', '2024-1', '08:30+08', '08:30Z']],
        // The time zone of the mapping is Asia/Shanghai, eight hours ahead of Z.
        ['time', '2024-01-02T03:04Z', '11:04:00', ['08:30 UTC']],
        [
          'datetime',
          '2024-01-02 03:04',
          '2024-01-02T03:04:00+08:00',
          ['tomorrow', '2024-13-01 00:00', '1.235', '2024.005', '20240102 2024'],
        ],
        ['json', '{"a": [null]}', { a: [null] }, ['{a}', '[1,']],
        ["'string[]'", '["a","b"]', ['a', 'b'], ['[1]', '[{}]', 'a,b']],
        ["'int[]'", '{1,2}', [1, 2], ['["1"]', '[1.5]', '{x}']],
      ],
      4,
    ),
  )('reads %s from text and rejects other texts', async (type, good, expected, bad) => {
    const quoted = (value: string): string => `"${value.replaceAll('"', '""')}"`;
    const lines = [good, '', ...bad].map((value, index) => `${index},${quoted(value)}`);
    const table = await aTable(test, `id,v\n${lines.join('\n')}\n`, 'id:text,v:text');
    const { graphId, run } = await ingest(test, rowMapping(table, [`{column: v, type: ${type}}`]));
    expect(run.error).toBeNull();
    expect(await nodeProperties(test, graphId)).toEqual({ 0: { id: '0', v: expected }, 1: { id: '1' } });
    expect(await brokenRules(test, run.id)).toEqual(Object.fromEntries(bad.map((_, index) => [String(index + 2), ['type']])));
  });

  it('reads every unambiguous spelling of a day', async () => {
    const days = ['2024-02-09', '2024-2-9', '2024/2/9', '2024.2.9', ' 20240209 ', '2024-Feb-09', '9 February 2024', '2024-02-09T08:00Z'];
    const table = await aTable(test, `id,v\n${days.map((day, index) => `${index},${day}`).join('\n')}\n`, 'id:text,v:text');
    const { graphId } = await ingest(test, rowMapping(table, ['{column: v, type: date}', '{column: v, property: at, type: datetime}']));
    const read = Object.values(await nodeProperties(test, graphId));
    expect(read.map(({ v }) => v)).toEqual(days.map(() => '2024-02-09'));
    expect(read.map(({ at }) => at)).toEqual(days.map((_, index) => `2024-02-09T${index === 7 ? '16' : '00'}:00:00+08:00`));
  });

  it('reads typed source columns without going through text, and checks values that may not fit', async () => {
    const table = await aTable(
      test,
      'id,n,d,t,b\n1,3.00,2024-05-06,2024-05-06 07:08:09,true\n2,3.50,2024-05-07,2024-05-06 07:08:09,false\n3,3000000000,,,\n',
      'id:text,n:numeric,d:date,t:timestamp,b:boolean',
    );
    const { graphId, run } = await ingest(
      test,
      rowMapping(table, [
        '{column: n, type: int}',
        "{column: n, property: small, type: 'decimal(5,1)'}",
        '{column: d}',
        '{column: t}',
        '{column: b}',
      ]),
    );
    expect(await nodeProperties(test, graphId)).toEqual({
      1: { id: '1', n: 3, small: 3, d: '2024-05-06', t: '2024-05-06T07:08:09+08:00', b: true },
    });
    expect(await brokenRules(test, run.id)).toEqual({ 2: ['type'], 3: ['type', 'type'] });
  });
});

describe('transforms', () => {
  it('applies them in order, then the default, and reads blanks as NULL', async () => {
    const table = await aTable(test, 'id,v\n1,"  Ab  c "\n2,\n3,"   "\n4,N/A\n5,ＡＢＣ\n', 'id:text,v:text');
    const { graphId } = await ingest(
      test,
      rowMapping(table, [
        '{column: v, property: up, transform: [trim, collapse_space, upper]}',
        "{column: v, property: filled, transform: [trim, {null_if: ['N/A']}], default: none}",
        '{column: v, property: mapped, transform: [trim, nfkc, {map: {ABC: 甲, N/A: null}}]}',
        '{column: v, property: low, transform: [trim, lower]}',
      ]),
    );
    expect(await nodeProperties(test, graphId)).toEqual({
      1: { id: '1', up: 'AB C', filled: 'Ab  c', mapped: 'Ab  c', low: 'ab  c' },
      2: { id: '2', filled: 'none' },
      3: { id: '3', filled: 'none' },
      4: { id: '4', up: 'N/A', filled: 'none', low: 'n/a' },
      5: { id: '5', up: 'ＡＢＣ', filled: 'ＡＢＣ', mapped: '甲', low: 'ａｂｃ' },
    });
  });

  it('reads lists, parts of texts, dates of a given form and grouped numbers', async () => {
    const csv = 'id,tags,at,n\n1,a; b,31/12/2024 8:05,"1,234.50"\n2,,2024-12-31 08:05,"1,5"\n3,7,,１２\n';
    const table = await aTable(test, csv, 'id:text,tags:text,at:text,n:text');
    const { graphId, run } = await ingest(
      test,
      rowMapping(table, [
        "{column: tags, transform: [{split: ';'}]}",
        "{column: at, transform: [trim, {date_format: 'dd/MM/yyyy H:mm'}]}",
        '{column: n, transform: [number_cn]}',
        '{column: at, property: day, type: string, transform: [{substring: [1, 2]}]}',
        "{constant: 'a,b', property: fixed, transform: [{split: ','}]}",
      ]),
    );
    const fixed = ['a', 'b'];
    expect(await nodeProperties(test, graphId)).toEqual({
      1: { id: '1', tags: ['a', 'b'], at: '2024-12-31T08:05:00+08:00', n: 1234.5, day: '31', fixed },
      3: { id: '3', tags: ['7'], n: 12, fixed },
    });
    expect((await rejectedRows(test, run.id)).map(row => row.reasons.map((reason: any) => reason.en))).toEqual([
      ["column 'at': cannot read '2024-12-31 08:05 (not dd/MM/yyyy H:mm)' as datetime", "column 'n': cannot read '1,5' as decimal"],
    ]);
    const { body } = await test.admin.get(`/api/graphs/${graphId}/schema`).expect(200);
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
    const table = await aTable(test, 'id,a,b\n1,2,3\n', 'id:text,a:int,b:int');
    const { graphId } = await ingest(
      test,
      rowMapping(table, [
        '{constant: 线上, property: 渠道}',
        '{expression: "a * b + 1", property: 积}',
        '{constant: 5, property: 五, type: int}',
        '{constant: 7, property: int}',
        '{constant: -1.50, property: float}',
        '{constant: 90071992547, property: bigint}',
        '{constant: true, property: boolean}',
        `{constant: '7', property: quoted}`,
        '{constant: 007, property: code}',
        '{constant: 7, property: padded, transform: [{map: {7: seven}}]}',
        '{constant: 7, property: text, type: string}',
      ]),
    );
    expect(await nodeProperties(test, graphId)).toEqual({
      1: { id: '1', 渠道: '线上', 积: 7, 五: 5, int: 7, float: -1.5, bigint: 90071992547, boolean: true, quoted: '7', code: '007', padded: 'seven', text: '7' },
    }); // prettier-ignore
    const { body } = await test.admin.get(`/api/graphs/${graphId}/schema`).expect(200);
    const types = Object.fromEntries(body.nodes[0].properties.map(({ name, type }: any) => [name, type]));
    expect(types).toMatchObject({ int: 'int', float: 'float', bigint: 'bigint', boolean: 'boolean', quoted: 'string', code: 'string' });
  });

  it('rejects an empty text that has no form of a date, where an empty text is a value', async () => {
    const table = await aTable(test, 'id,v\n1,\n2,""\n3,31/12/2024\n', 'id:text,v:text');
    await test.pool.query(`UPDATE mirror."${table}" SET v = '' WHERE id < '3'`);
    const columns = ['{column: v, transform: [{date_format: dd/MM/yyyy}]}'];
    const defaults = 'on_error: quarantine, max_error_rate: 1';
    const { graphId, run } = await ingest(test, rowMapping(table, columns, `${defaults}, empty_as_null: false`));
    expect(await brokenRules(test, run.id)).toEqual({ 1: ['type'], 2: ['type'] });
    expect(await nodeProperties(test, graphId)).toEqual({ 3: { id: '3', v: '2024-12-31' } });
    expect((await ingest(test, rowMapping(table, columns, defaults))).run.report.totals).toMatchObject({ inserted: 3, rejected: 0 });
  });
});
