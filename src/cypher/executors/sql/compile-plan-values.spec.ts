import { compile, OrderGraph } from '../../../../test/support/order-graph.js';
import { type CypherError } from '../../syntax/cypher.errors.js';

const { execute, run } = new OrderGraph();

describe('values', () => {
  it('returns nodes and edges with their parts, and the match behind each row', async () => {
    const { rows, evidence } = await execute(compile("MATCH (c:客户 {客户编号: 'BERGS'})-[r]->() RETURN c, r, c.名称 AS 名称"));
    expect(rows).toEqual([
      [
        {
          _kind: 'node',
          id: 2,
          label: '客户',
          labels: ['客户'],
          key: 'BERGS',
          display: 'BERGS',
          properties: { 客户编号: 'BERGS', 名称: 'Bergs', 国家: '瑞典' },
        },
        { _kind: 'edge', id: 3, type: '下单', source_id: 2, target_id: 13, properties: {} },
        'Bergs',
      ],
    ]);
    expect(evidence).toEqual([{ nodes: [2, 13], edges: [{ id: 3, sourceId: 2, targetId: 13, type: '下单' }] }]);
    expect(compile('MATCH (n) RETURN count(n)').evidence).toBe('none');
    expect(compile('MATCH (n) RETURN DISTINCT n.名称').evidence).toBe('none');
  });

  it('keeps every digit', async () => {
    expect(await run('MATCH (p:产品 {产品编号: 2}) RETURN p.单价, p.单价 + 0.01, p')).toMatchObject([
      ['9007199254740993.25', '9007199254740993.26', { properties: { 单价: '9007199254740993.25' } }],
    ]);
    expect(await run('RETURN 0.1 + 0.2, 9223372036854775807, $big', { big: 12345678901234567890n })).toEqual([
      [0.3, '9223372036854775807', '12345678901234567890'],
    ]);
  });

  it('treats a missing property as null, in all three values of logic', async () => {
    expect(await run('MATCH (c:客户) WHERE c.国家 IS NULL RETURN c.客户编号')).toEqual([["O'NEIL"]]);
    expect(await run("MATCH (c:客户) WHERE NOT c.国家 = '德国' RETURN c.客户编号")).toEqual([['BERGS']]);
    expect(
      await run(
        'RETURN null = null, null <> 1, true OR null, false AND null, NOT null, null XOR true, 1 IN [2, null], 1 IN [1, null], null IN []',
      ),
    ).toEqual([[null, null, true, false, null, null, null, true, false]]);
  });

  it('compares values of different types as unequal and unordered', async () => {
    expect(await run("MATCH (p:产品) WHERE p.单价 > '1' RETURN p.产品编号")).toEqual([]);
    expect(
      await run("RETURN 1 = '1', 1 <> '1', 1 < '1', true < 1, 1 = 1.0, $a = $b, $a < $b", { a: [1], b: { x: 1 } }).catch(
        (error: CypherError) => error.code,
      ),
    ).toBe('cypher_not_supported');
    expect(await run("RETURN 1 = '1', 1 <> '1', 1 < '1', true < 1, 1 = 1.0, $a = $b", { a: [1], b: { x: 1 } })).toEqual([
      [false, true, null, null, true, false],
    ]);
  });

  it('divides integers to integers, and by zero to null', async () => {
    expect(await run('RETURN 7 / 2, -7 / 2, 7 / 2.0, 7 % 4, 1 / 0, 1.0 / 0, 5 % 0, 2 ^ 3, 0 ^ -1, 10 ^ 100000')).toEqual([
      [3, -3, 3.5, 3, null, null, null, 8, null, null],
    ]);
    expect(await run('MATCH (o:订单 {订单编号: 101}) RETURN o.运费 / 2, o.订单编号 / 2, o.运费 / o.缺 IS NULL')).toEqual([
      [6.25, 50, true],
    ]);
  });

  it('tests texts, also Chinese ones', async () => {
    expect(
      await run("MATCH (c:客户) WHERE c.名称 STARTS WITH '阿' AND c.名称 ENDS WITH '弗' AND c.名称 CONTAINS '尔' RETURN c.名称"),
    ).toEqual([['阿尔弗']]);
    expect(await run("MATCH (c:客户) WHERE c.名称 CONTAINS '%' OR c.名称 CONTAINS '_' RETURN c.名称")).toEqual([]);
    expect(
      await run(
        "RETURN toUpper('aé'), trim(' x '), substring('供应商', 1), substring('供应商', 0, 2), size('供应商'), left('abc', 2), reverse('abc'), replace('aba', 'a', 'c'), split('a,b', ',')",
      ),
    ).toEqual([['AÉ', 'x', '应商', '供应', 3, 'ab', 'cba', 'cbc', ['a', 'b']]]);
  });

  it('converts without ever failing', async () => {
    expect(
      await run(
        "RETURN toInteger('12.7'), toInteger('x'), toInteger(3.9), toFloat('1e3'), toFloat('1e999999999'), toString(1), toString(true), toBoolean('TRUE'), toBoolean('x'), toInteger('٣')",
      ),
    ).toEqual([[12, null, 3, 1000, null, '1', 'true', true, null, null]]);
    expect(await run('MATCH (p:产品 {产品编号: 3}) RETURN p.单价, p.单价 * 2, abs(p.单价), toFloat(p.单价), sum(p.单价)')).toEqual([
      ['约 20', null, null, null, 0],
    ]);
    expect(
      await run(
        "RETURN substring('abc', 99999999999), left('abc', 99999999999), [1, 2][99999999999], round(2.5), round(-2.5), round(1.234, 2)",
      ),
    ).toEqual([['', 'abc', null, 3, -2, 1.23]]);
  });

  it.each([
    ['1.50', 1.5],
    ['3.0', 3],
    ['7', 7],
    ['100', 100],
    ['5 / 2.0', 2.5],
    ['1.50 * 2', 3],
    ['[1.50][0]', 1.5],
    ['coalesce(null, 12.50)', 12.5],
    ['9007199254740993.50', '9007199254740993.5'],
  ])('writes %s as a text with the digits of the row', async (expression, shown) => {
    const text = String(shown);
    expect(await run(`RETURN ${expression}, toString(${expression}), 'x' + ${expression}, ['x'][0] + [${expression}][0]`)).toEqual([
      [shown, text, `x${text}`, `x${text}`],
    ]);
  });

  it('writes a number of the graph as a text with the digits of the row', async () => {
    expect(await run("MATCH (o:订单 {订单编号: 101}) RETURN o.运费, toString(o.运费), 'x' + o.运费, ['x'][0] + o.运费")).toEqual([
      [12.5, '12.5', 'x12.5', 'x12.5'],
    ]);
    expect(await run("MATCH (o:订单) RETURN toString(avg(o.运费)), 'Σ ' + sum(o.运费), toString([avg(o.运费)][0])")).toEqual([
      ['9.75', 'Σ 19.5', '9.75'],
    ]);
    expect(await run('MATCH (p:产品 {产品编号: 3}) RETURN toString(p.单价)')).toEqual([['约 20']]);
  });

  it('reads dates as ISO text with parts', async () => {
    expect(
      await run(
        "MATCH (o:订单) WHERE o.日期 >= date('1998-01-01') AND o.日期.year = 1998 RETURN o.日期, o.日期.month, o.日期.quarter ORDER BY o.日期",
      ),
    ).toEqual([
      ['1998-01-15', 1, 1],
      ['1998-11-30', 11, 4],
    ]);
  });

  it.each([
    "o.日期 >= '1998-1-1'",
    "o.日期 = '1998/01/15'",
    "'1998-01-15 00:00' < o.日期",
    "o.日期 IN ['1998-01-15', '15.1.1998']",
    "o.日期 = '1998-02-30'",
  ])('refuses to compare a date with a time that is written in another way: %s', async condition => {
    await expect(run(`MATCH (o:订单) WHERE ${condition} RETURN o`)).rejects.toThrow(
      /is not how a date is written here; write it as 2024-05-01/,
    );
  });

  it('refuses a call of date() on a text that is no day', async () => {
    await expect(run("MATCH (o:订单) WHERE o.日期 >= date('1998/01/01') RETURN o")).rejects.toThrow(/date/);
    await expect(run("RETURN date('2024-02-30')")).rejects.toThrow(/date/);
    expect(await run("RETURN date('2024-02-29T10:00:00+00:00')")).toEqual([['2024-02-29']]);
  });

  it('handles lists, maps, CASE and the elements of a match', async () => {
    expect(
      await run(
        "MATCH (a:客户)-[r]->(b) WHERE id(r) = 3 RETURN labels(a), type(r), keys(r), keys(a), startNode(r).名称, id(endNode(r)), coalesce(a.缺, b.缺, '无')",
      ),
    ).toEqual([[['客户'], '下单', [], expect.arrayContaining(['名称']), 'Bergs', 13, '无']]);
    expect(
      await run(
        "RETURN [1, 2, 3][-1], [1, 2, 3][0..2], {a: {b: 1}}.a.b, $m.x[0], CASE WHEN 1 > 2 THEN 'a' ELSE 'b' END, CASE 3 WHEN 1 THEN 1 WHEN 3 THEN 2.5 END",
        { m: { x: ['y'] } },
      ),
    ).toEqual([[3, [1, 2], 1, 'y', 'b', 2.5]]);
  });
});
