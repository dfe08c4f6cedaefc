import { type Client, startTestApp, type TestApp } from './support/app.js';
import { displays } from './support/displays.js';
import { createTradingGraph, type TradingGraph } from './support/trading-graph.js';
import { RetrievalSupervisor } from '../src/retrieval/retrieval.supervisor.js';
import { itLong } from './support/tier.js';

describe('queries', () => {
  let test: TestApp;
  let graph: TradingGraph;
  let owner: Client;
  beforeAll(async () => {
    test = await startTestApp();
    owner = await test.asUser('asker');
    graph = await createTradingGraph(test, owner);
  });
  afterAll(() => test.close());

  const ask = async (body: object, status = 200) => (await owner.post(`/api/graphs/${graph.id}/query`).send(body).expect(status)).body;
  const found = async (search: string) => (await ask({ search })).rows.map(([node]: [{ display: string }]) => node.display);

  describe('search', () => {
    it.each([
      ['华为', '华为技术有限公司'],
      ['朝阳', '北京朝阳商贸'],
      ['koniglich', 'Königlich Essen'],
      ['alfreds futterkiste', 'Alfreds Futterkiste'],
      ['Exotik Liquids', 'Exotic Liquids'],
      ['HWTEC', '华为技术有限公司'],
      ['茉莉', '茉莉花茶'],
    ])('for %s finds %s first', async (search, display) => {
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

  describe('questions about the graph', () => {
    it.each([
      ['华为下了哪些订单？', ['10250']],
      ['Exotic Liquids供应的产品有哪些', ['Chai', 'Chang']],
      ['谁供应了Kobe Beef？', ['Tokyo Traders']],
      ['Which supplier supplies Chai?', ['Exotic Liquids']],
      ['Which products does Tokyo Traders supply?', ['Kobe Beef', '海苔']],
      ['北京朝阳商贸的订单包含哪些产品', ['海苔']],
      ['华东有哪些客户', ['Alfreds Futterkiste', '华为技术有限公司']],
      ['位于华东的客户', ['Alfreds Futterkiste', '华为技术有限公司']],
      ['which customers are located in 华东', ['Alfreds Futterkiste', '华为技术有限公司']],
      ['国家是德国的客户', ['Alfreds Futterkiste', 'Königlich Essen']],
      ['单价大于18的产品', ['Chang', 'Kobe Beef']],
      ['products with unit price over 18', ['Chang', 'Kobe Beef']],
      ['单价最高的两个产品', ['Kobe Beef', 'Chang']],
      ['What is the most expensive product?', ['Kobe Beef']],
      ['订单最多的客户是谁？', ['Alfreds Futterkiste']],
      ['Which customer placed the most orders?', ['Alfreds Futterkiste']],
      ['2025年2月的订单', ['10250', '10251']],
      ['orders of Alfreds Futterkiste in 2025', ['10249']],
      ['订单10248的客户', ['Alfreds Futterkiste']],
      ['华为买了Tokyo Traders供应的哪些产品', ['Kobe Beef']],
    ])('%s', async (question, expected) => {
      const body = await ask({ question, include: ['plan'] });
      expect({
        found: displays(body.rows).sort(),
        warnings: body.warnings.filter((text: string) => text.startsWith('未作答')),
        plan: body.plan.kind,
      }).toEqual({ found: [...expected].sort(), warnings: [], plan: 'cypher' });
      expect(body.citations.length).toBeGreaterThan(0);
    });

    it.each([
      ['有多少个客户位于华东？', 2, '华东的客户共有 2 个。'],
      ['How many orders did Alfreds Futterkiste place?', 2, 'Number of orders for Alfreds Futterkiste: 2.'],
      ['一共有多少产品', 5, '产品共有 5 个。'],
      ['how many products are there', 5, 'Number of products: 5.'],
    ])('%s', async (question, count, sentence) => {
      const body = await ask({ question });
      expect([body.rows, body.answer.text]).toEqual([[[count]], sentence]);
      expect(body.citations.length).toBeGreaterThan(0);
    });

    it.each([
      ['Chai的单价是多少？', 18, 'Chai的单价是 18。'],
      ['What is the unit price of Chai?', 18, 'The unit price of Chai is 18.'],
    ])('%s', async (question, value, sentence) => {
      const body = await ask({ question });
      expect([body.rows[0][1], body.answer.text]).toEqual([value, sentence]);
    });

    it('counts by group', async () => {
      const { rows, answer } = await ask({ question: '每个地区有多少客户？' });
      expect(rows.map(([region, n]: [{ display: string }, number]) => [region.display, n])).toEqual(expect.arrayContaining([['华东', 2], ['华北', 1], ['华南', 1]])); // prettier-ignore
      expect(answer.text).toContain('华东（2）');
    });

    it('says how it read a misspelt or partial name', async () => {
      const { rows, warnings } = await ask({ question: 'Which supplier supplies Kobe Beaf?' });
      expect([rows[0][0].display, warnings]).toEqual(['Tokyo Traders', ['"kobe beaf" was taken for "Kobe Beef"']]);
    });

    it('never invents an answer: a question that is not understood gets the nearest nodes and the reason', async () => {
      const weather = await ask({ question: '明天上海的天气怎么样？' });
      expect([weather.warnings[0], weather.answer.text]).toEqual([expect.stringMatching(/^未作答/), expect.stringMatching(/^无法回答/)]);
      const unconnected = await ask({ question: '华东的天气预报和股票走势怎么样' });
      expect(unconnected.warnings[0]).toMatch(/^未作答/);
    });
  });

  describe('questions about a metric', () => {
    it.each([
      ['2025年的销售额是多少？', [['1758.5']]],
      ['What was revenue in 2024?', [['180']]],
      ['去年华东的销售额', [['671.5']]],
      [
        '2025年每个地区的销售额是多少？',
        [
          ['华北', '990'],
          ['华东', '671.5'],
          ['华南', '97'],
        ],
      ],
      [
        'revenue by region in 2025',
        [
          ['华北', '990'],
          ['华东', '671.5'],
          ['华南', '97'],
        ],
      ],
      [
        '2025年销售额最高的两个产品',
        [
          ['海苔', '990'],
          ['Chai', '342'],
        ],
      ],
      [
        'top 2 products by revenue in 2025',
        [
          ['海苔', '990'],
          ['Chai', '342'],
        ],
      ],
      ['2025年饮料的销售额', [['477.5']]],
      [
        '2025年上半年每月的销售额',
        [
          ['2025-01-01', '135.5'],
          ['2025-02-01', '1526'],
        ],
      ],
      ['Chai的销售额', [['522']]],
    ])('%s', async (question, expected) => {
      const body = await ask({ question, include: ['plan'] });
      const plain = body.rows.map((row: unknown[]) => row.map(cell => (/^\d+\.\d+$/.test(String(cell)) ? String(Number(cell)) : cell)));
      expect({ rows: plain, warnings: body.warnings }).toEqual({ rows: expected, warnings: [] });
      expect(body.plan).toMatchObject({ kind: 'metric', metric_call: { metric: '销售额' } });
      expect(body.query_id).toBeNull();
      expect(body.citations).toContainEqual({
        connection: 'pg_mirror', connection_id: 1, table: 'order_lines', key: {}, label: null, job_id: null, loaded_at: null,
      }); // prettier-ignore
    });

    it('words the answer with its unit and period', async () => {
      expect((await ask({ question: '2025年华东的销售额是多少？' })).answer.text).toBe(
        '华东，2025-01-01 至 2025-12-31的销售额为 671.5 CNY。',
      );
    });

    it.each(['2025年火星的销售额', 'revenue of Atlantis in 2025', '华为买了海尔的哪些产品'])(
      'does not leave out an unknown name: %s',
      async question => {
        const { warnings, plan } = await ask({ question, include: ['plan'] });
        expect([plan.kind, warnings[0]]).toEqual(['search', expect.stringMatching(/火星|atlantis|海尔/)]);
      },
    );

    it('does not answer for all when the metric has no such dimension', async () => {
      const { warnings, plan } = await ask({ question: '每个供应商的销售额', include: ['plan'] });
      expect([plan.kind, warnings[0]]).toEqual(['search', '未作答：指标“销售额”没有“供应商”这个维度']);
    });
  });

  describe('stored answers', () => {
    const query = { cypher: 'MATCH (r:地区) RETURN r ORDER BY r.地区编号' };

    it('answers an identical request from the store until the graph has a new version', async () => {
      const first = await ask(query);
      const again = await ask({ ...query, include: ['plan'], answer: 'none' });
      expect([first.cache.status, again.cache.status, again.query_id, again.rows]).toEqual(['miss', 'hit', first.query_id, first.rows]);
      await graph.ingestAgain();
      const next = await ask(query);
      expect([next.cache.status, next.graph_version, next.rows]).toEqual(['miss', first.graph_version + 1, first.rows]);
      expect((await ask(query)).cache.status).toBe('hit');
    });

    it('ignores the store with cache: refresh and keeps the new answer', async () => {
      const first = await ask(query);
      const refreshed = await ask({ ...query, cache: 'refresh' });
      expect([refreshed.cache.status, refreshed.query_id === first.query_id]).toEqual(['refresh', false]);
      expect((await ask(query)).query_id).toBe(refreshed.query_id);
    });

    it('shows by a link what it showed, with its version, whatever was asked or loaded since', async () => {
      const linked = async (id: number) => (await owner.get(`/api/graphs/${graph.id}/queries/${id}`).expect(200)).body;
      const first = await ask({ ...query, cache: 'refresh' });
      const second = await ask({ ...query, cache: 'refresh' });
      expect(second.query_id).not.toBe(first.query_id);
      await graph.ingestAgain();
      const third = await ask(query);
      expect(third.graph_version).toBe(first.graph_version + 1);
      for (const { query_id, graph_version, rows, citations, warnings } of [first, second]) {
        const later = [...warnings, expect.stringMatching(/已更新|has changed/)];
        expect(await linked(query_id)).toMatchObject({ query_id, graph_version, rows, citations, warnings: later });
      }
      expect((await linked(third.query_id)).warnings).toEqual(third.warnings);
      expect((await ask(query)).query_id).toBe(third.query_id);
    });

    it('keeps two requests apart that differ in a parameter', async () => {
      const cypher = 'MATCH (p:产品) WHERE p.单价 > $min RETURN count(p) AS n';
      const counts = [(await ask({ cypher, parameters: { min: 18 } })).rows, (await ask({ cypher, parameters: { min: 50 } })).rows];
      expect(counts).toEqual([[[2]], [[1]]]);
    });

    it('is fetched by its id, by those who may see the graph, from that graph only', async () => {
      const { query_id: id, rows } = await ask(query);
      expect((await owner.get(`/api/graphs/${graph.id}/queries/${id}`).expect(200)).body.rows).toEqual(rows);
      const { body: other } = await owner.post('/api/graphs').send({ name: 'other' }).expect(201);
      expect((await owner.get(`/api/graphs/${other.id}/queries/${id}`).expect(404)).body.code).toBe('query_not_found');
      await (await test.asUser('stranger')).get(`/api/graphs/${graph.id}/queries/${id}`).expect(403);
      await (await test.asUser('stranger')).post(`/api/graphs/${graph.id}/query`).send(query).expect(403);
    });

    it('joins identical requests in flight', async () => {
      const cypher = 'MATCH (a:产品), (b:产品), (c:产品), (d:产品), (e:产品), (f:产品), (g:产品) RETURN count(*) AS n';
      const answers = await Promise.all([ask({ cypher }), ask({ cypher }), ask({ cypher })]);
      expect(new Set(answers.map(answer => answer.query_id)).size).toBe(1);
      expect(answers[0].rows).toEqual([[5 ** 7]]);
    });
  });

  describe('requests', () => {
    it.each([
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
    ])('%j is refused', async (body, status, expected) => {
      const answer = await ask(body, status);
      expect(answer.code === expected || answer.detail.errors?.[0].type === expected || JSON.stringify(answer)).toBe(true);
    });

    it('reads the cited rows from the warehouse when asked to', async () => {
      const { source_rows: rows, citations } = await ask({ search: 'Chai', include: ['source_rows'], limit: 1 });
      expect(citations[0].table).toBe('products');
      expect(rows).toEqual([{ citation: 0, row: expect.objectContaining({ product_id: 1, product_name: 'Chai' }) }]);
    });
  });

  // Filters of properties load the graph, which changes what runs Cypher afterwards.
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

  describe('the retrieval process', () => {
    it('is started again when it is killed; until then queries answer 503 and everything else works', async () => {
      const supervisor = test.app.get(RetrievalSupervisor);
      const before = supervisor.pid;
      process.kill(before as number, 'SIGKILL');
      let answer;
      do answer = await owner.post(`/api/graphs/${graph.id}/query`).send({ search: '华为', cache: 'refresh' });
      while (answer.status === 200);
      expect([answer.status, answer.body.code, answer.headers['retry-after']]).toEqual([503, 'retrieval_unavailable', '2']);
      await owner.get(`/api/graphs/${graph.id}`).expect(200);
      const deadline = Date.now() + 15_000;
      do answer = await owner.post(`/api/graphs/${graph.id}/query`).send({ search: '华为', cache: 'refresh' });
      while (answer.status === 503 && Date.now() < deadline);
      expect(answer.body.rows[0][0].display).toBe('华为技术有限公司');
      expect(supervisor.pid).not.toBe(before);
    });
  });
});

describe('a slow query', () => {
  itLong('answers 502 when retrieval takes too long, goes on, and is answered from the store afterwards', async () => {
    const test = await startTestApp({ QUERY_UPSTREAM_TIMEOUT_MS: '5' });
    try {
      const { id } = await createTradingGraph(test, test.admin);
      const cypher = 'MATCH (a:产品), (b:产品), (c:产品), (d:产品), (e:产品), (f:产品), (g:产品) RETURN count(*) AS n';
      const send = () => test.admin.post(`/api/graphs/${id}/query`).send({ cypher });
      const first = await send();
      expect([first.status, first.body.code]).toEqual([502, 'upstream_timeout']);
      let next = await send();
      for (const deadline = Date.now() + 20_000; next.status === 502 && Date.now() < deadline;) next = await send();
      expect(next.body.rows).toEqual([[5 ** 7]]);
      const { body: again } = await send();
      expect([again.cache.status, again.query_id]).toEqual(['hit', next.body.query_id]);
    } finally {
      await test.close();
    }
  });
});
