import { type Client, startTestApp, type TestApp } from './support/app.js';
import { createTradingGraph, type TradingGraph } from './support/trading-graph.js';
import { everyNth } from './support/tier.js';

describe('searches and openCypher', () => {
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
  const found = async (search: string) => (await ask({ search })).rows.map(([node]: [{ display: string }]) => node.display);

  describe('search', () => {
    it.each(
      everyNth(
        [
          ['华为', '华为技术有限公司'],
          ['朝阳', '北京朝阳商贸'],
          ['koniglich', 'Königlich Essen'],
          ['alfreds futterkiste', 'Alfreds Futterkiste'],
          ['Exotik Liquids', 'Exotic Liquids'],
          ['HWTEC', '华为技术有限公司'],
          ['茉莉', '茉莉花茶'],
        ],
        3,
      ),
    )('takes %s and finds %s first', async (search, display) => {
      expect((await found(search))[0]).toBe(display);
    });

    it('says what each hit belongs to and which row of the warehouse it is', async () => {
      const { rows, citations } = await ask({ search: '华为' });
      expect(rows[0][2]).toMatchObject([{ step: 1, type: '位于', direction: 'out', label: '地区', display: '华东' }]);
      expect(citations[0]).toMatchObject({
        connection: 'pg_mirror', table: 'customers', key: { customer_id: 'HWTEC' }, label: '客户', loaded_at: graph.loadedAt,
      }); // prettier-ignore
    });

    it('follows an edge backwards if every node has one source: an order to its customer and on to the region', async () => {
      const { rows } = await ask({ search: '10250' });
      expect(rows[0][2].map((node: { display: string }) => node.display)).toEqual(['华为技术有限公司', '华东']);
    });

    it('names the spelling that it corrected', async () => {
      expect((await ask({ search: 'Futterkisste' })).warnings).toEqual([
        'Nothing is spelled "futterkisste"; searched for the similar "futterkiste"',
      ]);
    });

    it('pages through all hits and refuses a cursor of an earlier version', async () => {
      const first = await ask({ search: '产品', limit: 3 });
      const second = await ask({ search: '产品', limit: 3, cursor: first.next_cursor });
      const ids = [...first.rows, ...second.rows].map(([node]) => node.id);
      expect([new Set(ids).size, second.next_cursor]).toEqual([5, null]);
      await graph.ingestAgain();
      expect((await ask({ search: '产品', limit: 3, cursor: first.next_cursor }, 400)).code).toBe('cursor_expired');
    });

    it('answers 200 without rows when nothing matches', async () => {
      expect(await ask({ search: 'qqqqzzzz' })).toMatchObject({ rows: [], citations: [], answer: { text: 'Nothing matches "qqqqzzzz".' } });
    });
  });

  describe('openCypher', () => {
    it('runs one hop with a parameter and cites nodes and edges by their rows', async () => {
      const body = await ask({
        cypher: 'MATCH (s:供应商)-[:供应]->(p:产品) WHERE p.单价 > $min RETURN s, p.产品名称 AS 产品, p.单价 AS 单价 ORDER BY 单价 DESC',
        parameters: { min: 18 },
        include: ['graph', 'plan'],
      });
      expect(body.columns.map((column: { name: string }) => column.name)).toEqual(['s', '产品', '单价']);
      expect(body.rows.map(([s, ...rest]: [{ display: string }, ...unknown[]]) => [s.display, ...rest])).toEqual([
        ['Tokyo Traders', 'Kobe Beef', 97],
        ['Exotic Liquids', 'Chang', 19],
      ]);
      expect(body.citations.map(({ table, key }: { table: string; key: object }) => [table, key])).toEqual(
        expect.arrayContaining([['suppliers', { supplier_id: '3' }], ['products', { product_id: '5' }]]), // prettier-ignore
      );
      expect(body.graph.nodes).toHaveLength(4);
      expect(body.graph.edges).toHaveLength(2);
      expect(body.plan.sql).toContain('$1');
    });

    it('cites what the rows show before what they rest on', async () => {
      const body = await ask({ cypher: 'MATCH (s:供应商)-[:供应]->(p:产品) RETURN p ORDER BY p.单价 LIMIT 2' });
      const tables = body.citations.map(({ table }: { table: string }) => table);
      expect(tables.slice(0, 2)).toEqual(['products', 'products']);
      expect(tables).toContain('suppliers');
    });

    it('cites the matches behind an aggregate', async () => {
      const body = await ask({ cypher: 'MATCH (c:Customer {国家: "德国"}) RETURN count(c) AS n' });
      expect(body.rows).toEqual([[2]]);
      expect(body.citations.map((citation: { key: object }) => citation.key)).toEqual([{ customer_id: 'ALFKI' }, { customer_id: 'KOENE' }]);
    });

    it('cites the elements that an aggregate counts beside the nodes that it shows', async () => {
      const body = await ask({ cypher: 'MATCH (c:客户 {客户编号: "KOENE"})-[:下单]->(o:订单) RETURN c, count(o) AS n' });
      expect(body.rows).toMatchObject([[{ key: 'KOENE' }, 1]]);
      expect(body.citations.map(({ label, key }: { label: string; key: object }) => [label, key])).toEqual(
        expect.arrayContaining([
          ['客户', { customer_id: 'KOENE' }],
          ['订单', { order_id: '9007199254740993' }],
        ]),
      );
    });

    it('sends numbers beyond the safe range as text', async () => {
      const { rows } = await ask({ cypher: 'MATCH (:客户 {客户编号: "KOENE"})-[:下单]->(o:订单) RETURN o, o.订单号 AS n' });
      expect(rows).toMatchObject([[{ properties: { 订单号: '9007199254740993' } }, '9007199254740993']]);
    });

    it('refuses writing clauses with their place, and stores no error', async () => {
      expect(await ask({ cypher: 'MATCH (n) DELETE n' }, 400)).toMatchObject({ code: 'cypher_read_only', context: { position: 10 } });
      expect(await ask({ cypher: 'MATCH (n' }, 400)).toMatchObject({ code: 'cypher_syntax_error' });
    });

    it('says that there are more rows than the limit', async () => {
      const { rows, warnings } = await ask({ cypher: 'MATCH (p:产品) RETURN p', limit: 2 });
      expect([rows.length, warnings]).toEqual([2, ['只返回前 2 行，还有更多']]);
    });

    it('stops at timeout_ms', async () => {
      const product = '(a:产品), (b:产品), (c:产品), (d:产品), (e:产品), (f:产品), (g:产品), (h:产品), (i:产品), (j:产品), (k:产品)';
      expect(
        await ask(
          {
            cypher: `MATCH ${product} WHERE ${[...'abcdefghijk'].map(name => `${name}.单价`).join(' + ')} > 0 RETURN count(*) AS n`,
            timeout_ms: 200,
          },
          400,
        ),
      ).toMatchObject({ code: 'query_timeout', detail: expect.stringMatching(/timeout_ms.* \/ .*timeout_ms/) });
    });
  });

  describe('requests', () => {
    it.each(
      everyNth(
        [
          [{}, 400, 'one_query_kind'],
          [{ search: 'a', cypher: 'RETURN 1' }, 400, 'one_query_kind'],
          [{ search: 'a', parameters: {} }, 422, 'no_effect'],
          [{ cypher: 'MATCH (n) RETURN n', cursor: 'MS4x' }, 422, 'no_effect'],
          [{ cypher: 'MATCH (n) RETURN n', answer: 'extractive' }, 422, 'no_effect'],
          [{ question: '销售额', answer: 'llm' }, 422, 'no_effect'],
          [{ search: 'a', cursor: 'xx' }, 422, 'string_pattern'],
          [{ search: 'a', limit: 500 }, 422, 'too_large'],
          [{ search: '   ' }, 422, 'empty'],
          [{ search: 'a', where: { 类别: {} } }, 422, 'filter_value'],
          [{ search: 'a', where: { 类别: [] } }, 422, 'filter_value'],
          [{ cypher: 'MATCH (n) RETURN n', labels: ['客户'] }, 422, 'no_effect'],
          [{ question: '销售额', where: { 类别: 'x' } }, 422, 'no_effect'],
          [{ search: 'a', include: ['everything'] }, 422, 'not_one_of'],
        ],
        3,
      ),
    )('%j is refused', async (body, status, expected) => {
      const answer = await ask(body, status);
      expect(answer.code === expected || answer.detail.errors?.[0].type === expected || JSON.stringify(answer)).toBe(true);
    });

    it('reads the cited rows from the warehouse when asked to', async () => {
      const { source_rows: rows, citations } = await ask({ search: 'Chai', include: ['source_rows'], limit: 1 });
      expect(citations[0].table).toBe('products');
      expect(rows).toEqual([{ citation: 0, row: expect.objectContaining({ product_id: 1, product_name: 'Chai' }) }]);
    });
  });

  // These tests come last: a filter on properties loads the graph into memory, and later Cypher would then run there.
  describe('searches with filters', () => {
    it('finds only nodes of the labels and with the values of properties that are asked for', async () => {
      const all = await ask({ search: '产品', limit: 20 });
      const properties = all.rows.map(([node]: [{ properties: Record<string, unknown> }]) => node.properties);
      const [{ 类别: category }] = properties;
      const expected = properties.filter((each: Record<string, unknown>) => each.类别 === category).length;
      const some = await ask({ search: '产品', limit: 20, where: { 类别: [category, 'nothing'] } });
      expect(some.rows.map(([node]: [{ properties: Record<string, unknown> }]) => node.properties.类别)).toEqual(
        Array(expected).fill(category),
      );
      expect((await ask({ search: '产品', where: { 类别: 'nothing' } })).rows).toEqual([]);
      for (const labels of [['客户'], ['Customer']])
        expect((await ask({ search: '华为', labels })).rows.map(([node]: [{ label: string }]) => node.label)).toEqual(['客户']);
      expect((await ask({ search: '华为', labels: ['产品'] })).rows).toEqual([]);
    });

    it.each([
      [{ labels: ['Custmer'] }, 'Customer'],
      [{ where: { 类型别: 'x' } }, '类别'],
    ])('refuses %j, which the graph does not have, and names the nearest', async (filter, nearest) => {
      const { code, detail } = await ask({ search: '华为', ...filter }, 422);
      expect([code, detail]).toEqual(['unknown_filter', expect.stringContaining(nearest)]);
    });
  });
});
