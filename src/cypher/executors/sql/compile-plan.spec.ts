import { createGraphTables, graphTables } from '../../../database/graph-tables.js';
import { compile, errorOf, nodes, OrderGraph, warningsOf } from '../../../../test/support/order-graph.js';
import { maxUsedSize } from '../../semantics/query-parameters.js';

const graph = new OrderGraph();
const { execute, run } = graph;

describe('the SQL text', () => {
  it('finds a node by its key and walks its edges by their index (risk: a scan of all nodes of the label)', async () => {
    const compiled = compile("MATCH (c:客户 {客户编号: 'ALFKI'})-[:下单]->(o:订单) RETURN o.订单编号");
    expect(compiled.sql).toBe(
      [
        `SELECT (n1.properties -> $1::text)::text AS c0, jsonb_build_object('nodes', jsonb_build_array(n0.id, n1.id), 'edges', jsonb_build_array(jsonb_build_array(e0.id, e0.source_id, e0.target_id, e0.type)))::text AS evidence`,
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
    expect(compiled.columns).toEqual([{ name: 'o.订单编号', type: 'integer' }]);
    expect((await execute(compiled)).rows.flat().sort()).toEqual([101, 102]);
  });

  it('does not read nodes of which only the id matters (risk: a join for every counted node)', async () => {
    const compiled = compile('MATCH (c:客户)-[:下单]->(o)-->() RETURN c.国家 AS 国家, count(o) AS n');
    expect(compiled.sql).toBe(
      [
        'SELECT q.k0::text AS c0, (to_jsonb(q.a0))::text AS c1',
        'FROM (SELECT (n0.properties -> $1::text) AS k0, count(e0.target_id)::numeric AS a0',
        'FROM graph_data."nodes_7" AS n0',
        'JOIN graph_data."edges_7" AS e0 ON e0.type = $2::text AND e0.source_id = n0.id',
        'JOIN graph_data."edges_7" AS e1 ON e1.source_id = e0.target_id',
        'WHERE n0.label = $3::text',
        '  AND e0.id <> e1.id',
        'GROUP BY (n0.properties -> $1::text)) AS q',
        'LIMIT $4::int8',
      ].join('\n'),
    );
    expect((await execute(compiled)).rows.sort()).toEqual([
      ['德国', 3],
      ['瑞典', 1],
    ]);
  });

  it('guards a typed comparison (risk: one value of another type fails the whole query)', async () => {
    const compiled = compile('MATCH (p:产品) WHERE p.单价 >= $min RETURN p.产品编号', { min: 18 });
    expect(compiled.sql).toContain(
      "(CASE WHEN jsonb_typeof((n0.properties -> $3::text)) = 'number' THEN (n0.properties -> $3::text)::numeric END >= $4::numeric)",
    );
    expect((await execute(compiled)).rows.flat().sort()).toEqual([1, 2]);
  });

  it('builds the text of a composite key in SQL (risk: another spacing or escaping than ingestion wrote)', async () => {
    const compiled = compile("MATCH (b:批次 {年: 1997, 号: 'a\"b'}) RETURN b.号");
    expect(compiled.sql).toContain('n0.key = jsonb_build_array($3::text, $4::text)::text');
    expect((await execute(compiled)).rows).toEqual([['a"b']]);
  });

  it('looks ids up as int8 (risk: a numeric comparison that no index serves)', async () => {
    const compiled = compile('MATCH (n) WHERE id(n) = 11 OR id(n) IN $ids RETURN id(n)', { ids: [12, 13] });
    expect(compiled.sql).toContain('((n0.id = $1::int8) OR (n0.id = ANY($2::int8[])))');
    expect((await execute(compiled)).rows.flat().sort()).toEqual([11, 12, 13]);
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
        `MATCH (n) WHERE n.${quoted} IN [${literal}, $p] OR n.名称 STARTS WITH ${literal} OR n:${quoted} RETURN DISTINCT n.${quoted}, count(*)`,
        { p: text },
      ],
      [
        `MATCH (n) WHERE n.名称 = $${quoted} RETURN {${quoted}: ${literal}} AS m, n['${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'").replaceAll('\n', '\\n')}']`,
        { [text]: { [text]: [text] } },
      ],
    ];
    for (const [query, parameters] of queries) {
      const compiled = compile(query, parameters);
      expect(compiled.sql.replaceAll(/\$\d+::/g, '')).not.toContain(text.length > 2 ? text : `'${text}'`);
      await expect(execute(compiled)).resolves.toBeDefined();
    }
    expect(await run(`RETURN ${literal} AS ${quoted}`)).toEqual([[text]]);
    expect(await run('RETURN $p', { p: text })).toEqual([[text]]);
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
    expect(compile(`MATCH (n) WHERE ${uses(4)} RETURN n`, { list }).parameters).toContainEqual(list.map(text => JSON.stringify(text)));
  });

  it('stays in its graph', async () => {
    expect(await run('MATCH (n) RETURN count(*)')).toEqual([[nodes.length]]);
    expect(await run('MATCH (n) WHERE id(n) > 1000 RETURN n')).toEqual([]);
  });

  it('stays small however values of unknown type nest', async () => {
    const sum = Array.from({ length: 40 }, (_, i) => `n.未知${i}`).join(' + ');
    const { sql } = compile(`MATCH (n) RETURN ${sum} < ${sum}`);
    expect(sql.length).toBeLessThan(100_000);
    expect(await run(`MATCH (n:批次) RETURN ${sum} < ${sum}`)).toEqual([[null]]);
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
    ['MATCH (o:订单 {订单编号: 1007})<-[:下单]-(c) RETURN c', ['nodes_9_label_key_key', 'edges_9_target_id_type_idx', 'nodes_9_pkey']],
    [
      "MATCH (x)-[:下单]-(c:客户 {客户编号: '7'}) RETURN x",
      ['edges_9_source_id_type_target_id_key_key', 'edges_9_target_id_type_idx', 'nodes_9_pkey'],
    ],
    [
      "MATCH (c:客户 {客户编号: '7'})-[:下单]->()-[:包含]->(p) RETURN p",
      ['nodes_9_label_key_key', 'edges_9_source_id_type_target_id_key_key', 'nodes_9_pkey'],
    ],
    ["MATCH (c:客户 {客户编号: '7'})--()--(p) RETURN count(p)", ['edges_9_source_id_type_target_id_key_key', 'edges_9_target_id_type_idx']],
    ['MATCH (n) WHERE id(n) = 7 RETURN n', ['nodes_9_pkey']],
  ])('uses the indexes for %s', async (text, indexes) => {
    const plan = await explain(text);
    for (const index of indexes) expect(plan).toContain(index);
    expect(plan).not.toContain('Seq Scan');
  });
});
