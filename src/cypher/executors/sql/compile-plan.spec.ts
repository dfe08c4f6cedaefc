import { createGraphTables, graphTables } from '../../../database/graph-tables.js';
import { compile, errorOf, nodes, OrderGraph, warningsOf } from '../../../../test/support/order-graph.js';
import { maxUsedSize } from '../../semantics/query-parameters.js';

const graph = new OrderGraph();
const { execute, run } = graph;

describe('the SQL text', () => {
  it('looks for 200 characters in other texts in all, because PostgreSQL is not interrupted in a row', () => {
    const seeking = (...lengths: number[]): string =>
      `MATCH (c:客户) WHERE ${lengths.map((length, i) => `c.company_name CONTAINS '${i}${'x'.repeat(length - 1)}'`).join(' OR ')} RETURN c`;
    expect(compile(seeking(100, 60, 40)).sql).toContain('position');
    for (const query of [seeking(201), seeking(100, 60, 41), 'MATCH (c:客户) WHERE c.company_name CONTAINS c.客户编号 RETURN c'])
      expect(() => compile(query)).toThrow('SQL cannot run the search for texts that may be long exactly');
  });

  it('finds a node by its key and walks its edges by their index (risk: a scan of all nodes of the label)', async () => {
    const compiled = compile("MATCH (c:客户 {客户编号: 'ALFKI'})-[:下单]->(o:订单) RETURN o.订单编号");
    expect(compiled.sql).toBe(
      [
        `SELECT (((n1.properties -> $1::text))::text::int8)::text AS c0, jsonb_build_object('nodes', jsonb_build_array(n0.id, n1.id), 'edges', jsonb_build_array(jsonb_build_array(e0.id, e0.source_id, e0.target_id, e0.type)))::text AS evidence`,
        'FROM graph_data."nodes_7" AS n0',
        'JOIN graph_data."edges_7" AS e0 ON e0.type = $2::text AND e0.source_id = n0.id',
        'JOIN graph_data."nodes_7" AS n1 ON n1.id = e0.target_id AND n1.label = $3::text',
        'WHERE n0.label = $4::text',
        '  AND n0.key = $5::text',
        '  AND ((n0.properties -> $6::text) = $7::jsonb)',
        'LIMIT $8::int8',
      ].join('\n'),
    );
    expect(compiled.parameters).toEqual(['订单编号', '下单', '订单', '客户', 'ALFKI', '客户编号', '"ALFKI"', 1000]);
    expect(compiled.columns).toEqual([{ name: 'o.订单编号', type: 'integer', word: null }]);
    expect((await execute(compiled)).flat().sort()).toEqual([101, 102]);
  });

  it('does not read nodes of which only the id matters (risk: a join for every counted node)', async () => {
    const compiled = compile('MATCH (c:客户)-[:下单]->(o)-->() RETURN c, count(o) AS n');
    expect(compiled.sql).toBe(
      [
        'SELECT (q.k0_id)::text AS c0, (q.a0)::text AS c1',
        'FROM (SELECT n0.id AS k0_id, count(e0.target_id) AS a0',
        'FROM graph_data."nodes_7" AS n0',
        'JOIN graph_data."edges_7" AS e0 ON e0.type = $1::text AND e0.source_id = n0.id',
        'JOIN graph_data."edges_7" AS e1 ON e1.source_id = e0.target_id',
        'WHERE n0.label = $2::text',
        '  AND e0.id <> e1.id',
        'GROUP BY n0.id) AS q',
        'LIMIT $3::int8',
      ].join('\n'),
    );
    expect((await execute(compiled)).sort()).toEqual([
      [1, 3],
      [2, 1],
    ]);
  });

  it('fails for a value that is not of its declared type (risk: it counts as no value, as memory would not have it)', async () => {
    const compiled = compile('MATCH (p:产品) WHERE p.单价 >= $min RETURN p.产品编号', { min: 18 });
    expect(compiled.sql).toContain('(((n0.properties -> $3::text))::text::numeric >= $4::numeric)');
    await expect(execute(compiled)).rejects.toMatchObject({ code: expect.stringMatching(/^22/) });
    await expect(run('MATCH (p:产品) WHERE p.停产 = true AND p.产品编号 = 3 RETURN p')).resolves.toEqual([]);
    await expect(run('MATCH (p:产品) WHERE p.停产 AND p.产品编号 > 0 RETURN p')).rejects.toMatchObject({ code: '22023' });
  });

  it('fails where memory has an error (risk: a wrong number without any sign of it)', async () => {
    await expect(run('MATCH (o:订单) RETURN o.订单编号 / (o.订单编号 - 102)')).rejects.toMatchObject({ code: '22012' });
    await expect(run('MATCH (o:订单) RETURN o.订单编号 + 9223372036854775807 ORDER BY o.订单编号 LIMIT 1')).rejects.toMatchObject({
      code: '22003',
    });
    await expect(run('MATCH (o:订单 {订单编号: 101}) RETURN o.订单编号 * 1e308 * 1e308')).rejects.toMatchObject({ code: '22003' });
  });

  it('builds the text of a composite key in SQL (risk: another spacing or escaping than ingestion wrote)', async () => {
    const compiled = compile("MATCH (b:批次 {年: 1997, 号: 'a\"b'}) RETURN b.号");
    expect(compiled.sql).toContain('n0.key = jsonb_build_array($3::text, $4::text)::text');
    expect(await execute(compiled)).toEqual([['a"b']]);
  });

  it('looks ids up as int8 (risk: a numeric comparison that no index serves)', async () => {
    const compiled = compile('MATCH (n) WHERE id(n) = 11 OR id(n) IN $ids RETURN id(n)', { ids: [12, 13] });
    expect(compiled.sql).toContain('((n0.id = $1::int8) OR (n0.id = ANY($2::int8[])))');
    expect((await execute(compiled)).flat().sort()).toEqual([11, 12, 13]);
  });
});

describe('a value or name from outside', () => {
  const hostile = ["x'; DROP TABLE nodes; --", 'a"b', "\\'", '$1', '$2::text', '{}x', "'||pg_sleep(9)||'", '%', '名称\n--', '`'];

  it.each(hostile)('reaches the database as a parameter only: %j', async text => {
    const quoted = `\`${text.replaceAll('`', '``')}\``;
    const literal = JSON.stringify(text);
    const queries: [string, Record<string, unknown>][] = [
      [`MATCH (n:${quoted}) RETURN n.${quoted} AS ${quoted}`, {}],
      [`MATCH (${quoted} {${quoted}: ${literal}})-[:${quoted}]-(m) RETURN ${quoted}`, {}],
      [
        `MATCH (n:客户) WHERE n.${quoted} IN [${literal}, $p] OR n.名称 STARTS WITH ${literal} OR n:${quoted} RETURN DISTINCT n.名称, $p AS p`,
        { p: text },
      ],
      [`MATCH (n:客户) WHERE n.名称 = $${quoted} RETURN count(n) AS n`, { [text]: text }],
    ];
    for (const [query, parameters] of queries) {
      const compiled = compile(query, parameters);
      expect(compiled.sql.replaceAll(/\$\d+::/g, '')).not.toContain(text.length > 2 ? text : `'${text}'`);
      await expect(execute(compiled)).resolves.toBeDefined();
    }
    expect(await run(`MATCH (n:批次) RETURN ${literal} AS ${quoted}, $p AS p`, { p: text })).toEqual([[text, text]]);
  });

  it('may be a parameter: a missing one is an error, an unused one a warning, one that no text can hold is refused', () => {
    expect(errorOf('MATCH (n) WHERE n.名称 = $who RETURN n')).toMatchObject({
      code: 'cypher_parameter_missing',
      context: { parameter: 'who', line: 1, column: 24 },
    });
    expect(errorOf('RETURN $toString').code).toBe('cypher_parameter_missing');
    expect(warningsOf('RETURN 1', { extra: 1 })).toMatchObject([{ code: 'unused_parameter', context: { name: 'extra' } }]);
    expect(errorOf('RETURN $p', { p: ['a\0b'] }).code).toBe('cypher_parameter_invalid');
    expect(errorOf('RETURN $p', { p: '\ud800' }).code).toBe('cypher_parameter_invalid');
  });

  it('counts a parameter wherever it is named (risk: a long list in hundreds of places blocks the event loop for everyone)', () => {
    const list = Array.from({ length: 40_000 }, (_, index) => `客户${index}`);
    const uses = (count: number) => Array(count).fill('n.名称 IN $list').join(' OR ');
    expect(errorOf(`MATCH (n) WHERE ${uses(400)} RETURN n`, { list })).toMatchObject({
      code: 'cypher_parameters_too_large',
      status: 422,
      context: { parameter: 'list', limit: maxUsedSize },
    });
    expect(compile(`MATCH (n:客户) WHERE ${uses(4)} RETURN n`, { list }).parameters).toContainEqual(list.map(text => JSON.stringify(text)));
  });

  it('stays in its graph', async () => {
    expect(await run('MATCH (n) RETURN count(*)')).toEqual([[nodes.length]]);
    expect(await run('MATCH (n) WHERE id(n) > 1000 RETURN n')).toEqual([]);
  });
});

describe('the plan PostgreSQL makes', () => {
  beforeAll(async () => {
    // Enough rows that PostgreSQL prefers an index.
    const { nodes, edges } = graphTables(9);
    await graph.client.query(createGraphTables(9));
    await graph.client.query(`
      INSERT INTO ${nodes} (id, label, key, display, properties, run_id)
      SELECT i, CASE WHEN i <= 1000 THEN '客户' ELSE '订单' END, i::text, '', jsonb_build_object('客户编号', i::text, '订单编号', i), 1 FROM generate_series(1, 10000) AS i`);
    await graph.client.query(`
      INSERT INTO ${edges} (type, source_id, target_id, key, run_id)
      SELECT '下单', 1 + i % 1000, i, '', 1 FROM generate_series(1001, 10000) AS i
      UNION ALL SELECT '包含', i, 1001 + i * 7 % 9000, '', 1 FROM generate_series(1001, 10000) AS i`);
    await graph.client.query(`ANALYZE ${nodes}, ${edges}`);
  });

  async function explain(text: string): Promise<string> {
    const { sql, parameters } = compile(text, {}, { graphId: 9 });
    const { rows } = await graph.client.query<{ 'QUERY PLAN': string }>(`EXPLAIN ${sql}`, parameters);
    return rows.map(row => row['QUERY PLAN']).join('\n');
  }

  it.each([
    [
      "MATCH (c:客户 {客户编号: '7'})-[:下单]->(o:订单) RETURN o",
      ['nodes_9_label_key_key', 'edges_9_source_id_type_target_id_key_key', 'nodes_9_pkey'],
    ],
    ['MATCH (o:订单 {订单编号: 1007})<-[:下单]-(c) RETURN c', ['nodes_9_label_key_key', 'edges_9_target_id_type_idx']],
    ["MATCH (x)-[:下单]-(c:客户 {客户编号: '7'}) RETURN x", ['edges_9_source_id_type_target_id_key_key', 'edges_9_target_id_type_idx']],
    [
      "MATCH (c:客户 {客户编号: '7'})-[:下单]->()-[:包含]->(p) RETURN p",
      ['nodes_9_label_key_key', 'edges_9_source_id_type_target_id_key_key'],
    ],
    ["MATCH (c:客户 {客户编号: '7'})--()--(p) RETURN count(p)", ['edges_9_source_id_type_target_id_key_key', 'edges_9_target_id_type_idx']],
    ['MATCH (n) WHERE id(n) = 7 RETURN n', ['nodes_9_pkey']],
  ])('uses the indexes for %s', async (text, indexes) => {
    const plan = await explain(text);
    for (const index of indexes) expect(plan).toContain(index);
    expect(plan).not.toContain('Seq Scan');
  });
});
