import { localParts } from './support/local-parts.js';
import { createLog } from '../src/common/logging/log.js';
import { LoadedGraphs } from '../src/retrieval/process/loaded-graphs.js';
import { RetrievalDatabase } from '../src/retrieval/process/retrieval-database.js';
import { runCypher } from '../src/retrieval/process/run-cypher.js';
import { type Client, startTestApp, type TestApp } from './support/app.js';
import { cypherRequest } from './support/cypher-request.js';
import { ingest, upload } from './support/ingestion.js';

/** Each of these queries once had a wrong result with one of the two executors. Here both executors run it. */
describe('one meaning of Cypher', () => {
  let test: TestApp;
  let graphId: number;
  let owner: Client;
  beforeAll(async () => {
    test = await startTestApp();
    owner = test.admin;
    await upload(
      test,
      'pitfalls',
      'id,s,x,big,f,d,long,nick,day,at\n1,a,7,9223372036854775807,0.1,0.10,98098596.656565991168,Al,2024-05-01,2024-05-01T08:00:00+08:00\n2,,2,1,2.5,2.50,1.000000000001,,,\n',
      'id:int,x:int,big:bigint',
    );
    await upload(test, 'pitfall_links', 'id,from,to,x\n1,1,2,7\n', 'id:int,from:int,to:int,x:int');
    const columns =
      '[{column: id}, {column: s, type: string}, {column: x}, {column: big}, {column: f, type: float}, {column: d, type: "decimal(9,2)"}, {column: long, type: "decimal(30,12)"}, {column: nick, property: alias}, {column: day, type: date}, {column: at, type: datetime}]';
    ({ graphId } = await ingest(
      test,
      `version: 1
nodes:
  - {id: n, label: N, table: pitfalls, key: [id], columns: ${columns}}
edges:
  - {type: R, table: pitfall_links, key: [id], from: {node: n, match: {from: id}}, to: {node: n, match: {to: id}}, columns: [{column: x}]}
`,
    ));
  });
  afterAll(() => test.close());

  /** Sends `parameters` as written, so that 1.0 stays 1.0. */
  const ask = async (cypher: string, parameters = '{}', more = '') =>
    (
      await owner
        .post(`/api/graphs/${graphId}/query`)
        .set('Content-Type', 'application/json')
        .send(`{"cypher": ${JSON.stringify(cypher)}, "parameters": ${parameters}, "include": ["plan"]${more}}`)
    ).body;

  /**
   * Returns the rows or the error of a query, once from SQL if SQL can run it, and once from memory: only memory runs the variant with WITH
   * *.
   */
  async function both(match: string, result: string, parameters = '{}'): Promise<{ executors: string[]; found: unknown[] }> {
    const answers = [await ask(`${match} ${result}`, parameters), await ask(`${match} WITH * ${result}`, parameters)];
    return {
      executors: answers.map(({ plan }) => plan?.executor ?? 'none'),
      found: answers.map(({ rows, columns, code, context }) => (rows ? { rows, types: columns.map(({ type }: any) => type) } : [code, context?.type])), // prettier-ignore
    };
  }

  const n1 = 'MATCH (n:N {id: 1})';
  const n2 = 'MATCH (n:N {id: 2})';
  const nothing = { rows: [], types: ['integer'] };
  const noRow = { ...nothing, types: ['any'] };
  const one = (value: unknown, type: string) => ({ rows: [[value]], types: [type] });
  const failure = (type: string) => ['cypher_value_error', type];

  const cases: [match: string, result: string, expected: unknown, parameters?: string][] = [
    [`${n2} WHERE NOT [n.s] = ['a']`, 'RETURN n.x', noRow],
    [n2, "RETURN [n.s] = ['a']", one(null, 'any')],
    [n1, "RETURN left('abc', null)", one(null, 'any')],
    [n1, 'RETURN round(2.5, null)', one(null, 'any')],
    [n1, 'RETURN [1, 2, 3][null..2]', one(null, 'any')],
    [n1, 'RETURN [1, 2, 3] < [1, 3]', one(true, 'boolean')],
    [n1, "RETURN ['x'] + n.missing", one(null, 'any')],
    [`${n1} WHERE id(n) IN [-1.0, 0]`, 'RETURN count(n)', one(0, 'integer')],
    [n1, 'RETURN 1 IN [1.0, 2]', one(true, 'boolean')],
    ['MATCH ()-[r:R]->()', 'RETURN properties(r).x / 2', one(3, 'integer')],
    ['MATCH ()-[r:R]->()', 'RETURN r.x / 2', one(3, 'integer')],
    // A text compared with a time.
    ["MATCH (n:N {day: '2024-05-01'})", 'RETURN n.id', one(1, 'integer')],
    ["MATCH (n:N {at: '2024-05-01T08:00:00+08:00'})", 'RETURN n.id', one(1, 'integer')],
    ["MATCH (n:N) WHERE n.at = '2024-05-01T09:00:00+09:00'", 'RETURN n.id', one(1, 'integer')],
    ["MATCH (n:N) WHERE n.at <= '2024-05-01T00:00:00Z' AND n.at >= '2024-05-01T02:00+02:00'", 'RETURN n.id', one(1, 'integer')],
    // A property by the name of its column, wherever the node is in the query.
    [n1, 'RETURN n.nick AS n', one('Al', 'string')],
    [n1, "RETURN n['nick']", one('Al', 'string')],
    [`${n1} WITH n AS m`, 'RETURN m.nick', one('Al', 'string')],
    [`${n1} UNWIND [n] AS m`, 'RETURN m.nick', one('Al', 'string')],
    [`${n1} WITH {nick: n.alias} AS n`, 'RETURN n.nick', one('Al', 'string')],
    ['MATCH (:N)<-[r:R]-({id: 1})', 'RETURN startNode(r).nick', one('Al', 'string')],
    ['MATCH p = (:N {id: 1})-->()', 'RETURN [m IN nodes(p) | m.nick]', one(['Al', null], 'list')],
    [n1, 'RETURN n.long', one('98098596.656565991168', 'number')],
    [n1, 'RETURN n.long * 2', one('196197193.313131982336', 'number')],
    [n2, 'RETURN n.long', one(1.000000000001, 'number')],
    ['MATCH (n:N)', 'RETURN sum(n.long)', one('98098597.656565991169', 'number')],
    ['MATCH (n:N)', 'RETURN avg(n.long) + 1', one(49049299.828282996, 'number')],
    [n1, 'RETURN n.d / 3', one(0.03333333333333333, 'number')],
    [n1, 'RETURN n.x / $p', one(7, 'float'), '{"p": 1.0}'],
    [n1, 'RETURN n.x / $p', one(3, 'integer'), '{"p": 2}'],
    [n1, 'RETURN n.x / $p', one(3.5, 'float'), '{"p": 2.0}'],
    [n1, 'RETURN $p', one('9007199254740993', 'integer'), '{"p": 9007199254740993}'],
    [`${n1} WHERE n.big = $p`, 'RETURN n.x', one(7, 'integer'), '{"p": 9223372036854775807}'],
    [`${n1} WHERE n.big = $p`, 'RETURN n.x', noRow, '{"p": 9223372036854775806}'],
    [n1, "RETURN date('20150721')", one('2015-07-21', 'date')],
    [n1, 'RETURN n.x / 0', failure('ArithmeticError')],
    [n1, 'RETURN n.x % 0', failure('ArithmeticError')],
    [n1, 'RETURN n.big + 1', failure('ArithmeticError')],
    [n1, 'RETURN -n.big - 2', failure('ArithmeticError')],
    ['MATCH (n:N)', 'RETURN sum(n.big)', failure('ArithmeticError')],
    [n1, 'RETURN n.f / 0', one('Infinity', 'float')],
    [n1, 'RETURN -n.f / 0', one('-Infinity', 'float')],
    [n1, 'RETURN (n.f - n.f) / 0', one('NaN', 'float')],
    [n1, 'RETURN n.f + 0.2', one(0.30000000000000004, 'float')],
    [n1, 'RETURN n.d + n.d', one(0.2, 'number')],
    [n1, 'RETURN n.f = n.d', one(true, 'boolean')],
  ];
  it.each(cases.map(([match, result, expected, parameters = '{}']) => [match, result, parameters, expected] as const))(
    '%s %s %s',
    async (match, result, parameters, expected) => {
      const { executors, found } = await both(match, result, parameters);
      expect(found).toEqual([expected, expected]);
      if (!Array.isArray(expected)) expect(executors[1]).toBe('memory');
    },
  );

  describe('with aliases, bound edges and times', () => {
    let pitfalls: number;
    beforeAll(async () => {
      pitfalls = graphId;
      await upload(test, 'goods', 'id,name,unit_price,day\n1,tea,5,2024-05-01\n2,rice,7,2024-05-02\n', 'id:int,unit_price:int,day:date');
      await upload(test, 'shops', 'id,name\n1,corner\n2,market\n', 'id:int');
      await upload(test, 'sales', 'id,shop,good,amount\n1,1,1,5\n2,1,2,9\n3,2,2,7\n', 'id:int,shop:int,good:int,amount:int');
      ({ graphId } = await ingest(
        test,
        `version: 1
nodes:
  - {id: good, label: Good, table: goods, key: [id], columns: [{column: id}, {column: name, property: title, type: string}, {column: unit_price, property: price}, {column: day}]}
  - {id: shop, label: Shop, table: shops, key: [id], columns: [{column: id}, {column: name, type: string}]}
edges:
  - {type: SELLS, table: sales, key: [id], from: {node: shop, match: {shop: id}}, to: {node: good, match: {good: id}}, columns: [{column: amount, property: count}]}
`,
      ));
    });
    afterAll(() => {
      graphId = pitfalls;
    });

    it.each<[match: string, result: string, rows: unknown[][]]>([
      ['MATCH (g:Good)', 'RETURN g.name AS a ORDER BY a', [['rice'], ['tea']]],
      ['MATCH (n)', 'RETURN n.name AS a ORDER BY a', [['corner'], ['market'], ['rice'], ['tea']]],
      ['MATCH (n)', "RETURN n['name'] AS a ORDER BY a", [['corner'], ['market'], ['rice'], ['tea']]],
      ["MATCH (n {name: 'tea'})", 'RETURN n.unit_price AS a', [[5]]],
      ["MATCH (n) WHERE n.name = 'tea'", 'RETURN n.unit_price AS a', [[5]]],
      ['MATCH (:Shop {id: 2})-[r]->()', 'RETURN endNode(r).unit_price AS a', [[7]]],
      ['MATCH p = (:Shop {id: 2})-->()', 'RETURN [n IN nodes(p) | n.name] AS a', [[['market', 'rice']]]],
      ['MATCH (g:Good {id: 1}) WITH g AS h', 'RETURN h.unit_price AS a', [[5]]],
      ["UNWIND [{name: 'x'}] AS n RETURN n.name AS a UNION MATCH (n:Good {id: 1})", 'RETURN n.name AS a', [['x'], ['tea']]],
      ['MATCH (s:Shop)-[r {amount: g.unit_price}]->(g)', 'RETURN s.id, g.id ORDER BY s.id', [[1, 1], [2, 2]]],
      ['MATCH ()-[r1]->() MATCH ()-[r2]->() MATCH (a)-[r1]->(b)<-[r2]-(c)', 'RETURN a.id, b.id, c.id ORDER BY a.id', [[1, 2, 2], [2, 2, 1]]],
      ['MATCH (a:Shop)-->(b)', 'RETURN DISTINCT a.id AS b, b.id AS a ORDER BY a DESC, b', [[1, 2], [2, 2], [1, 1]]],
      ['MATCH (a:Shop)-->(b)', 'RETURN DISTINCT a AS b, b AS a ORDER BY a.id DESC, b.id LIMIT 0', []],
      ["MATCH (g:Good {day: '2024-05-02'})", 'RETURN g.id', [[2]]],
      ["MATCH (g:Good) WHERE g.day = '2024-05-02'", 'RETURN g.id', [[2]]],
    ])('%s %s', async (match, result, rows) => {
      const { found } = await both(match, result);
      expect(found.map(each => (each as { rows?: unknown }).rows ?? each)).toEqual([rows, rows]);
    }); // prettier-ignore
  });

  it('orders lists item by item, not by length', async () => {
    const rows = async (text: string) => (await ask(text)).rows;
    expect(await rows('UNWIND [[2], [1, 2, 3], [1]] AS l RETURN l ORDER BY l')).toEqual([[[1]], [[1, 2, 3]], [[2]]]);
  });

  it('refuses a grouping expression beside an aggregate, unless it is a variable or a property', async () => {
    for (const clause of ['', 'WITH * ']) {
      expect(await ask(`MATCH (n:N) ${clause}RETURN n.x + 1, n.x + 1 + count(*)`)).toMatchObject({ code: 'cypher_syntax_error' });
      expect((await ask(`MATCH (n:N) ${clause}RETURN n.x, n.x + count(*) AS m ORDER BY m`)).rows).toEqual([[2, 3], [7, 8]]); // prettier-ignore
    }
  });

  it('keeps apart the stored answers of 1 and 1.0, and finds each again', async () => {
    for (const status of ['miss', 'hit']) {
      for (const [parameters, expected] of [['{"p": 2}', 1], ['{"p": 2.0}', 1.5]] as const) {
        const { rows, cache } = await ask('RETURN 3 / $p AS x', parameters);
        expect([rows, cache.status]).toEqual([[[expected]], status]);
      }
    } // prettier-ignore
    expect(await ask('RETURN $p', '{"p": 9223372036854775808}')).toMatchObject({ code: 'cypher_parameter_invalid' });
    expect((await ask('RETURN $p', '{"p": 9223372036854775807}')).plan.parameters).toEqual({ p: '9223372036854775807' });
  });

  it('takes the zone of the caller for the clock, and stores no answer that asked for the clock', async () => {
    const zone = ', "timezone": "Pacific/Kiritimati"';
    for (const clock of ['date()', 'datetime()', "date.truncate('day')"]) {
      const first = await ask(`RETURN ${clock} AS x`, '{}', zone);
      expect([first.query_id, first.cache.status]).toEqual([null, 'miss']);
      expect((await ask(`RETURN ${clock} AS x`, '{}', zone)).cache.status).toBe('miss');
    }
    expect((await ask('RETURN toString(datetime()) AS x', '{}', zone)).rows[0][0]).toMatch(/\+14:00\[Pacific\/Kiritimati\]$/);
    expect((await ask('RETURN rand() AS x')).query_id).toBeNull();
    // A date made from a text does not depend on the clock, so its answer is stored.
    expect((await ask("RETURN date('2024-05-01') AS x", '{}', zone)).query_id).not.toBeNull();
    expect((await ask("RETURN datetime('2024-05-01T00:00') AS x", '{}', zone)).rows).toEqual([
      ['2024-05-01T00:00+14:00[Pacific/Kiritimati]'],
    ]);
  });

  it('cites the matches of all equal rows that DISTINCT and UNION give once, or says that it cannot', async () => {
    const citing = async (cypher: string) => {
      const { citations, warnings } = await ask(cypher, '{}', ', "cache": "refresh"');
      return [citations.map(({ label, key }: any) => `${label} ${key.id}`).sort(), warnings];
    };
    const all = ['N 1', 'N 2', 'R 1'];
    const some = [expect.any(Array), [expect.stringContaining('Not all citations')]];
    const pairs = 'MATCH (a:N)-[r:R]-(b:N)';
    expect(await citing(`${pairs} RETURN DISTINCT type(r) AS t`)).toEqual([all, []]);
    expect(await citing('MATCH (n:N) RETURN DISTINCT n.x > 0 AS t')).toEqual([['N 1', 'N 2'], []]);
    expect(await citing('MATCH (n:N) WITH DISTINCT n.x > 0 AS t ORDER BY t RETURN t')).toEqual([['N 1', 'N 2'], []]);
    expect(await citing('MATCH (n:N) RETURN 1 AS t UNION MATCH ()-[r:R]->() RETURN 1 AS t')).toEqual([all, []]);
    expect(await citing(`${pairs} RETURN DISTINCT a`)).toEqual([all, []]);
    // DISTINCT hands a row on before it reads an equal one, so only the citations of the first row are certain.
    expect(await citing('MATCH (n:N) WITH DISTINCT n.x > 0 AS t RETURN t')).toEqual(some);
    expect(await citing('MATCH (n:N) WITH n RETURN DISTINCT n.x > 0 AS t LIMIT 1')).toEqual(some);
  });

  it('says that citations leave out the matches of EXISTS and COUNT', async () => {
    for (const value of ['EXISTS { (n)-[:R]-() }', 'COUNT { (n)-[:R]-() }', 'size([(n)-[:R]-(m) | m.x])'])
      expect((await ask(`MATCH (n:N {id: 1}) RETURN ${value} AS x`)).warnings).toEqual(['Not all citations are listed']);
  });

  it('says which executor ran a query, and why', async () => {
    const planOf = async (cypher: string) => {
      const { plan } = await ask(cypher);
      return [plan.executor, plan.reason];
    };
    expect(await planOf('RETURN 1 AS x')).toEqual(['memory', 'no_graph']);
    // Earlier queries have loaded the graph.
    expect(await planOf('MATCH (n:N {id: 1})-->(m) RETURN m')).toEqual(['memory', 'graph_loaded']);
    expect(await planOf('MATCH (n:N) RETURN count(n) AS c')).toEqual(['sql', 'no_relationship']);
    expect(await planOf('MATCH (n:N) RETURN collect(n.x) AS c')).toEqual(['memory', 'only_in_memory']);
    expect(await planOf('MATCH (n:N {id: 1}) RETURN 10 / (n.x - 7.0) AS c')).toEqual(['memory', 'value_decides']);
    expect(await planOf('MATCH (a:N)-[:R]->(b) RETURN count(*) AS c')).toEqual(['memory', 'graph_loaded']);
  });

  it('shows rows and time of each operator on request, and stores no such answer', async () => {
    const profiled = ', "include": ["profile"]';
    const inMemory = await ask('MATCH (n:N) WITH n WHERE n.x > 2 RETURN n.x AS x', '{}', profiled);
    expect(inMemory.plan.profile).toEqual([
      { operator: 'MATCH', rows: 2, time_ms: expect.any(Number) },
      { operator: 'WITH', rows: 1, time_ms: expect.any(Number) },
      { operator: 'RETURN', rows: 1, time_ms: expect.any(Number) },
    ]);
    const inSql = await ask('MATCH (n:N) RETURN count(n) AS c', '{}', profiled);
    expect(inSql.plan).toMatchObject({ executor: 'sql' });
    expect(inSql.plan.profile[0]).toEqual({ operator: expect.stringMatching(/scan nodes \(N\)$/i), rows: 2, time_ms: expect.any(Number) });
    expect(inSql.plan.profile).toContainEqual({ operator: 'Aggregate', rows: 1, time_ms: expect.any(Number) });
    expect(JSON.stringify(inSql.plan.profile)).not.toMatch(/_\d|graph_data/);
    expect([inMemory.query_id, inSql.query_id]).toEqual([null, null]);
    const { body } = await owner
      .post(`/api/graphs/${graphId}/query`)
      .send({ search: 'a', include: ['profile'] })
      .expect(422);
    expect(body.detail.errors[0].loc).toEqual(['body', 'include']);
  });

  it('answers from SQL with a warning where the graph changes each time that it is loaded, and else says when to try again', async () => {
    const database = RetrievalDatabase.open({ databaseUrl: test.databaseUrl }, 2, 1_000_000, createLog('error'));
    try {
      const graphs = new LoadedGraphs(database, 64_000_000, localParts(64_000_000), null, () => undefined);
      // Stands for a graph that gets a new version during every load: no load succeeds.
      const loading = jest.spyOn(graphs, 'elementsOf').mockResolvedValue(null);
      const run = (text: string) => runCypher(database, graphs, cypherRequest(graphId, text), new AbortController().signal);
      const answer = await run('MATCH (a)-[:R]->(b)<-[:R]-(c) RETURN count(*) AS n');
      expect([answer.rows, answer.plan.executor, answer.plan.reason]).toEqual([[[0]], 'sql', 'graph_changing']);
      expect(answer.warnings).toEqual([expect.stringContaining('a new version')]);
      const refused = run('MATCH (n:N) RETURN collect(n.id) AS ids');
      await expect(refused).rejects.toMatchObject({ status: 503, code: 'graph_changing', headers: { 'Retry-After': '5' } });
      expect(loading).toHaveBeenCalledTimes(8);
    } finally {
      await database.close();
    }
  });

  it('answers from SQL with a warning where the graph is larger than the memory, and refuses what SQL cannot run', async () => {
    const database = RetrievalDatabase.open({ databaseUrl: test.databaseUrl }, 2, 1_000_000, createLog('error'));
    try {
      const graphs = new LoadedGraphs(database, 10, localParts(10), null, () => undefined);
      const run = (text: string) => runCypher(database, graphs, cypherRequest(graphId, text), new AbortController().signal);
      const answer = await run('MATCH (a)-[:R]->(b)<-[:R]-(c) RETURN count(*) AS n');
      expect([answer.rows, answer.plan.executor, answer.plan.reason]).toEqual([[[0]], 'sql', 'graph_exceeds_memory']);
      expect(answer.warnings).toEqual([expect.stringContaining('RETRIEVAL_MEMORY_MB')]);
      await expect(run('MATCH (n:N) RETURN collect(n.id) AS ids')).rejects.toMatchObject({ code: 'graph_exceeds_memory' });
      await expect(run('MATCH (n:N) RETURN n.x / 0')).rejects.toMatchObject({ code: 'graph_exceeds_memory' });
    } finally {
      await database.close();
    }
  });
});
