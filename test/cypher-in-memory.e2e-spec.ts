import { type Client, startTestApp, type TestApp } from './support/app.js';
import { createTradingGraph, type TradingGraph } from './support/trading-graph.js';

describe('openCypher that runs in memory', () => {
  let test: TestApp;
  let graph: TradingGraph;
  let owner: Client;
  beforeAll(async () => {
    test = await startTestApp();
    owner = await test.asUser('asker');
    graph = await createTradingGraph(test, owner);
  });
  afterAll(() => test.close());

  const ask = (query: object, status?: number) => graph.ask(query, status);
  const rowsOf = async (cypher: string, more: object = {}) => (await ask({ cypher, ...more })).rows;

  it('answers clauses that SQL does not run', async () => {
    expect(await rowsOf('UNWIND [3, 1, 2] AS x WITH x ORDER BY x WHERE x > 1 RETURN collect(x) AS list')).toEqual([[[2, 3]]]);
    expect(
      await rowsOf('MATCH (r:地区) OPTIONAL MATCH (r)<-[:位于]-(c:客户) RETURN r.地区名称 AS name, count(c) AS n ORDER BY n DESC LIMIT 1'),
    ).toEqual([['华东', 2]]);
    expect(await rowsOf('RETURN [x IN range(1, 5) WHERE x % 2 = 1 | x * x] AS list, reduce(s = 0, x IN [1, 2] | s + x) AS sum')).toEqual([
      [[1, 9, 25], 3],
    ]);
    expect(await rowsOf("RETURN date('2024-02-28') + duration({days: 2}) AS day")).toEqual([['2024-03-01']]);
    expect(await rowsOf('MATCH (c:客户) WHERE NOT EXISTS { (c)-[:下单]->() } RETURN count(c) AS n')).toEqual(
      await rowsOf('MATCH (c:客户) WHERE NOT (c)-[:下单]->() RETURN count(c) AS n'),
    );
  });

  it('answers up to 512 operators and clauses stacked in each other, and refuses more by name', async () => {
    const sums = (count: number) => Array.from({ length: count }, (_, i) => (i % 60 === 0 ? '+1)' : '+1')).join('');
    const stacked = (operators: number) =>
      `MATCH (c:客户) RETURN ${'('.repeat(Math.ceil(operators / 60))}size(c.客户编号)${sums(operators)} AS n`;
    const [[least]] = await rowsOf('MATCH (c:客户) RETURN min(size(c.客户编号)) AS n');
    expect(await rowsOf(`${stacked(500)} ORDER BY n LIMIT 1`)).toEqual([[least + 500]]);
    expect(await rowsOf(`WITH 1 AS x ${'WITH * '.repeat(511)}RETURN x`)).toEqual([[1]]);
    for (const cypher of [stacked(3_600), `WITH 1 AS x ${'WITH * '.repeat(1_400)}RETURN x`])
      expect(await ask({ cypher }, 400)).toMatchObject({ code: 'cypher_syntax_error', context: { max_links: 512 } });
  });

  it('finds paths, which show their nodes and edges', async () => {
    const [[path, length]] = await rowsOf(
      "MATCH (a:客户 {客户编号: 'HWTEC'}), (b:供应商) MATCH p = shortestPath((a)-[*..6]-(b)) RETURN p, length(p) AS n ORDER BY n LIMIT 1",
    );
    expect(path.nodes).toHaveLength(length + 1);
    expect(path.edges).toHaveLength(length);
    expect(path.nodes[0]).toMatchObject({ label: '客户', key: 'HWTEC', display: '华为技术有限公司' });
  });

  it('cites the rows of the warehouse behind rows, groups and paths', async () => {
    const grouped = await ask({
      cypher: "MATCH (c:客户 {客户编号: 'HWTEC'})-[:下单]->(o) WITH c, count(o) AS n RETURN n",
      include: ['graph'],
    });
    expect(grouped.citations).toEqual(
      expect.arrayContaining([expect.objectContaining({ table: 'customers', key: { customer_id: 'HWTEC' }, label: '客户' })]),
    );
    expect(grouped.graph.nodes.map(({ label }: { label: string }) => label)).toContain('订单');
    const none = await ask({ cypher: 'UNWIND [1] AS x RETURN x' });
    expect(none.citations).toEqual([]);
  });

  it('knows aliases everywhere, and names what the graph has not', async () => {
    expect(await rowsOf('MATCH (c) WITH c WHERE c:Customer RETURN count(*) AS n')).toEqual(
      await rowsOf('MATCH (c:客户) WITH c RETURN count(*) AS n'),
    );
    const { warnings } = await ask({ cypher: 'MATCH (c:客互) WITH c RETURN c.名 AS x' });
    expect(warnings).toEqual([expect.stringContaining('客互'), expect.stringContaining('名')]);
  });

  it('takes parameters, and says which is missing', async () => {
    expect(await rowsOf('UNWIND $list AS x RETURN x', { parameters: { list: [1, 'a', null, { b: [true] }] } })).toEqual([
      [1],
      ['a'],
      [null],
      [{ b: [true] }],
    ]);
    expect(await ask({ cypher: 'UNWIND $list AS x RETURN x' }, 400)).toMatchObject({ code: 'cypher_parameter_missing' });
  });

  it('says where a value does not fit', async () => {
    expect(await ask({ cypher: 'UNWIND [1, 0] AS x RETURN 1 / x' }, 400)).toMatchObject({
      code: 'cypher_value_error',
      context: { type: 'ArithmeticError', line: 1, column: 29 },
    });
    expect(await ask({ cypher: 'UNWIND [1] AS x RETURN y' }, 400)).toMatchObject({ code: 'cypher_syntax_error' });
    expect(await ask({ cypher: 'UNWIND [1] AS x RETURN toUper(x)' }, 400)).toMatchObject({
      detail: expect.stringContaining('toUpper'),
    });
  });

  it('ends a query that takes too much work or too long, and says how far it came', async () => {
    const endless = 'UNWIND range(1, 10000) AS a UNWIND range(1, 10000) AS b UNWIND range(1, 10000) AS c';
    expect(await ask({ cypher: `${endless} RETURN count(*) AS n`, timeout_ms: 500 }, 400)).toMatchObject({ code: 'query_timeout' });
    expect(await ask({ cypher: `UNWIND range(1, 5000000) AS a RETURN collect(DISTINCT a) AS n` }, 422)).toMatchObject({
      code: expect.stringMatching(/query_too_much_work|value_too_large/),
    });
    expect(
      await ask({ cypher: 'RETURN reduce(s = 0, x IN range(1, 100000) | s + reduce(t = 0, y IN range(1, 100) | t + y)) AS n' }, 422),
    ).toMatchObject({
      code: 'query_too_much_work',
      context: { steps: expect.any(Number) },
    });
  });

  it('sees a new version of the graph', async () => {
    const before = await ask({ cypher: 'MATCH (p:产品) WITH p RETURN count(p) AS n' });
    await graph.ingestAgain();
    const after = await ask({ cypher: 'MATCH (p:产品) WITH p RETURN count(p) AS n' });
    expect(after.graph_version).toBeGreaterThanOrEqual(before.graph_version);
    expect(after.rows).toEqual(before.rows);
  });
});
