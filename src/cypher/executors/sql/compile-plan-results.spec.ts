import { compile, errorOf, OrderGraph, warningsOf } from '../../../../test/support/order-graph.js';

const { run } = new OrderGraph();

describe('patterns', () => {
  it('takes English aliases, source columns and any case', async () => {
    expect(await run("MATCH (c:customer)-[:PLACED]->(o:Order) WHERE c.company_name = 'Bergs' RETURN o.order_id")).toEqual([[103]]);
  });

  it('warns of unknown names with the nearest one, and matches nothing', async () => {
    const query = 'MATCH (c:客产)-[:下但]->(o:订单) RETURN o.订单编码';
    expect(warningsOf(query).map(({ code, context }) => [code, context.name, context.nearest])).toEqual([
      ['unknown_label', '客产', '客户'],
      ['unknown_type', '下但', '下单'],
      ['unknown_property', '订单编码', '订单编号'],
    ]);
    expect(await run(query)).toEqual([]);
  });

  it('warns of a comparison that can never hold, such as with a quoted number', () => {
    expect(warningsOf("MATCH (o:订单) WHERE o.订单编号 = '101' RETURN o")).toMatchObject([
      { code: 'type_mismatch', context: { left: 'integer', right: 'string', column: 27 } },
    ]);
    expect(warningsOf('MATCH (o:订单) WHERE o.订单编号 = 101 AND o.日期 > $d RETURN o', { d: '1998-01-01' })).toEqual([]);
  });

  it('uses an edge once in one MATCH, and again in another', async () => {
    expect(await run('MATCH (a:客户)-->(o)<--(b) RETURN a, b')).toEqual([]);
    expect(await run('MATCH (a:客户)-[r]->(o) MATCH (b)-[s]->(o) WHERE a = b AND r = s RETURN count(*)')).toEqual([[3]]);
  });

  it('sees an undirected edge from both ends, and a loop once', async () => {
    expect(await run('MATCH (a)-[:替代]-(b) RETURN id(a), id(b) ORDER BY id(a), id(b)')).toEqual([
      [21, 21],
      [21, 22],
      [22, 21],
    ]);
    expect(await run('MATCH (a:产品)-[:替代]-(a) RETURN id(a)')).toEqual([[21]]);
  });

  it('joins patterns and clauses on shared variables', async () => {
    const query =
      'MATCH (c:客户)-[:下单]->(o), (o)-[i:包含]->(p:产品) MATCH (p)<-[:包含]-(other) WHERE other <> o RETURN c.客户编号, other.订单编号 ORDER BY other.订单编号';
    expect(await run(query)).toEqual([
      ['ALFKI', 101],
      ['ALFKI', 102],
    ]);
    expect(await run('MATCH (a:批次), (b:客户) RETURN count(*)')).toEqual([[3]]);
    expect(await run('MATCH (c)-[r:下单]->(o) MATCH (x)-[r]-(y) RETURN count(*)')).toEqual([[6]]);
  });

  it('takes several labels and types, and finds nothing for a pair that no node has', async () => {
    expect(await run('MATCH (n:客户|批次) RETURN count(n)')).toEqual([[4]]);
    expect(await run('MATCH (n:客户:订单) RETURN count(n)')).toEqual([[0]]);
    expect(await run('MATCH ()-[r:下单|替代]->() RETURN type(r) AS t, count(*) ORDER BY t')).toEqual([
      ['下单', 3],
      ['替代', 2],
    ]);
  });

  it('filters by properties of nodes and edges', async () => {
    expect(await run('MATCH (o)-[:包含 {数量: 5}]->(p {停产: false}) RETURN o.订单编号, p.产品编号')).toEqual([[102, 1]]);
    expect(await run('MATCH (c:客户 {客户编号: $id}) RETURN c.客户编号', { id: "O'NEIL" })).toEqual([["O'NEIL"]]);
    expect(await run('MATCH (o:订单 {订单编号: 101.0}) RETURN id(o)')).toEqual([[11]]);
  });
});

describe('results', () => {
  it('groups by the columns without aggregates, and groups nodes by identity', async () => {
    const query =
      'MATCH (c:客户)-[:下单]->(o) RETURN c, count(o) AS n, sum(o.运费) AS 运费, avg(o.运费), min(o.日期), max(o.日期) ORDER BY n DESC, c.名称';
    expect(await run(query)).toEqual([
      [1, 2, 19.5, 9.75, '1997-03-01', '1998-11-30'],
      [2, 1, 0, null, '1998-01-15', '1998-01-15'],
    ]);
  });

  it('aggregates no match to 0 or null, and no group to no row', async () => {
    const none = 'MATCH (n:订单 {订单编号: 0})';
    expect(await run(`${none} RETURN count(*), count(n), sum(n.订单编号), sum(n.运费), avg(n.订单编号), min(n.日期)`)).toEqual([
      [0, 0, 0, 0, null, null],
    ]);
    expect(await run(`${none} RETURN n.运费, count(*)`)).toEqual([]);
    expect(await run(`${none} RETURN 'k', count(*)`)).toEqual([]);
    expect(await run(`${none} RETURN DISTINCT 'k'`)).toEqual([]);
    expect(await run("MATCH (n:订单) RETURN DISTINCT 'k'")).toEqual([['k']]);
  });

  it('computes over aggregates, and orders by them', async () => {
    const query =
      'MATCH (o)-[i:包含]->(p) RETURN id(p) AS p, sum(i.数量) / count(*) AS per, count(DISTINCT o) * 10 AS tens ORDER BY sum(i.数量) DESC, p LIMIT 2';
    expect(await run(query)).toEqual([
      [21, 3, 20],
      [23, 3, 10],
    ]);
  });

  it('means integers as floats, and decimals exactly', async () => {
    expect(await run('MATCH ()-[i:包含]->() RETURN avg(i.数量)')).toEqual([[2.75]]);
    expect(await run('MATCH (o:订单) RETURN avg(o.运费)')).toEqual([[9.75]]);
  });

  it('removes duplicates, and orders the returned columns', async () => {
    expect(await run('MATCH (o:订单)-[i:包含]->(p) RETURN DISTINCT i.数量 AS n ORDER BY n DESC')).toEqual([[5], [3], [2], [1]]);
    expect(await run('MATCH (c:客户)-->(o) RETURN DISTINCT c ORDER BY c.客户编号 DESC')).toEqual([[2], [1]]);
  });

  it('orders null last, by code point, with SKIP and LIMIT from parameters', async () => {
    expect(await run('MATCH (c:客户) RETURN c.国家 AS x ORDER BY x')).toEqual([['德国'], ['瑞典'], [null]]);
    expect(await run('MATCH (c:客户) RETURN c.国家 AS x ORDER BY x DESC SKIP $s LIMIT $l', { s: 1, l: 1 })).toEqual([['瑞典']]);
    expect(errorOf('MATCH (n) RETURN n LIMIT -1').code).toBe('cypher_syntax_error');
  });

  it('keeps the LIMIT of a query within the caller’s', async () => {
    const ids = (text: string) => run(text, {}, { limit: 3 }).then(rows => rows.flat());
    expect(await ids('MATCH (n) RETURN id(n) ORDER BY id(n) SKIP 1 LIMIT 4')).toEqual([2, 3, 11]);
    expect(await ids('MATCH (n) RETURN id(n) ORDER BY id(n) LIMIT 2')).toEqual([1, 2]);
  });

  it('returns every named variable for *', () => {
    expect(compile('MATCH (a)-[r]->() RETURN *').columns).toEqual([
      { name: 'a', type: 'node', word: null },
      { name: 'r', type: 'edge', word: null },
    ]);
  });

  it.each([
    ['MATCH (n) RETURN m', 'm'],
    ['MATCH (n) WHERE m.x = 1 MATCH (m) RETURN n', 'm'],
    ['MATCH (n)-[n]->() RETURN n', 'n'],
    ['MATCH (n) RETURN n.a AS x, n.b AS x', 'x'],
    ['MATCH (n) WHERE count(n) > 1 RETURN n', '聚合'],
    ['MATCH (n) RETURN count(count(n))', '嵌套'],
    ['MATCH (n) RETURN n.a + count(n)', 'n'],
    ['MATCH (n) RETURN count(n) ORDER BY n.a', 'n'],
    ['MATCH (a)-[r]->()-[r]->() RETURN a', 'r'],
    ['RETURN *', '*'],
    ["RETURN 1 AND 'x'", '布尔'],
    ['RETURN substring("a")', 'substring'],
  ])('refuses %s, naming what is wrong', (text, part) => {
    const error = errorOf(text);
    expect(error).toMatchObject({ status: 400, code: 'cypher_syntax_error' });
    expect(error.message).toContain(part);
  });

  it('names the nearest function', () => {
    expect(errorOf('RETURN toUper("a")')).toMatchObject({ code: 'cypher_syntax_error' });
    expect(errorOf('RETURN toUper("a")').message).toContain('toUpper()');
  });
});
