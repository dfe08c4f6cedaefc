import pg from 'pg';
import { type ApiError } from '../../../common/errors/api-error.js';
import { toApiError } from '../../../common/errors/to-api-error.js';
import { createGraphTables, graphTables } from '../../../database/graph-tables.js';
import { cloneDatabase } from '../../../../test/support/database.js';
import { aLabel, anEdge } from '../../../../test/support/graph-schema.js';
import { compilePlan, type CompiledQuery, type CompileOptions } from './compile-plan.js';
import { decodeRows, type DecodedRows } from './decode-rows.js';
import { type GraphSchema } from '../../semantics/graph-schema.js';
import { type CypherError } from '../../syntax/cypher.errors.js';
import { parseCypher } from '../../syntax/parse-cypher.js';
import { maxUsedSize } from '../../semantics/query-parameters.js';
import { type QueryWarning } from '../../semantics/typed-tree.js';
import { planCypher } from '../../plan/plan-cypher.js';

const schema: GraphSchema = {
  labels: [
    aLabel('客户', {
      aliases: ['Customer'],
      keyProperties: ['客户编号'],
      properties: [
        { name: '客户编号', type: 'string', column: 'customer_id' },
        { name: '名称', type: 'string', column: 'company_name' },
        { name: '国家', type: 'string', column: 'country' },
      ],
    }),
    aLabel('订单', {
      aliases: ['Order'],
      keyProperties: ['订单编号'],
      properties: [
        { name: '订单编号', type: 'int', column: 'order_id' },
        { name: '日期', type: 'date', column: 'order_date' },
        { name: '运费', type: 'decimal(12,2)', column: 'freight' },
      ],
    }),
    aLabel('产品', {
      aliases: ['Product'],
      keyProperties: ['产品编号'],
      properties: [
        { name: '产品编号', type: 'int', column: 'product_id' },
        { name: '单价', type: 'decimal(12,2)', column: 'unit_price' },
        { name: '停产', type: 'boolean' },
      ],
    }),
    aLabel('批次', {
      keyProperties: ['年', '号'],
      properties: [
        { name: '年', type: 'int' },
        { name: '号', type: 'string' },
      ],
    }),
  ],
  edges: [
    anEdge('下单', '客户', '订单', { aliases: ['PLACED'] }),
    anEdge('包含', '订单', '产品', { aliases: ['CONTAINS'], properties: [{ name: '数量', type: 'int' }] }),
    anEdge('替代', '产品', '产品'),
  ],
};

const nodes: [id: number, label: string, key: string, properties: object | string][] = [
  [1, '客户', 'ALFKI', { 客户编号: 'ALFKI', 名称: '阿尔弗', 国家: '德国' }],
  [2, '客户', 'BERGS', { 客户编号: 'BERGS', 名称: 'Bergs', 国家: '瑞典' }],
  [3, '客户', "O'NEIL", { 客户编号: "O'NEIL", 名称: null }],
  [11, '订单', '101', '{"订单编号": 101, "日期": "1997-03-01", "运费": 12.50}'],
  [12, '订单', '102', { 订单编号: 102, 日期: '1998-11-30', 运费: 7 }],
  [13, '订单', '103', { 订单编号: 103, 日期: '1998-01-15' }],
  [21, '产品', '1', { 产品编号: 1, 单价: 18, 停产: false }],
  [22, '产品', '2', '{"产品编号": 2, "单价": 9007199254740993.25, "停产": true}'],
  // This value breaks its declared type. It must never raise a cast error.
  [23, '产品', '3', { 产品编号: 3, 单价: '约 20', 停产: '否' }],
  [31, '批次', '["1997", "a\\"b"]', { 年: 1997, 号: 'a"b' }],
];

const edges: [id: number, type: string, source: number, target: number, properties: object][] = [
  [1, '下单', 1, 11, {}],
  [2, '下单', 1, 12, {}],
  [3, '下单', 2, 13, {}],
  [4, '包含', 11, 21, { 数量: 2 }],
  [5, '包含', 11, 22, { 数量: 1 }],
  [6, '包含', 12, 21, { 数量: 5 }],
  [7, '包含', 13, 23, { 数量: 3 }],
  [8, '替代', 21, 22, {}],
  [9, '替代', 21, 21, {}],
];

let database: Awaited<ReturnType<typeof cloneDatabase>>;
let client: pg.Client;

beforeAll(async () => {
  database = await cloneDatabase();
  client = new pg.Client(database.url);
  await client.connect();
  for (const graph of [7, 8]) {
    await client.query(createGraphTables(graph));
  }
  for (const [id, label, key, properties] of nodes) {
    const json =
      typeof properties === 'string'
        ? properties
        : JSON.stringify(Object.fromEntries(Object.entries(properties).filter(([, value]) => value !== null)));
    for (const graph of [7, 8]) {
      // Graph 8 holds the same data under other ids. None of it may ever appear in a result.
      await client.query(
        `INSERT INTO ${graphTables(graph).nodes} (id, label, key, display, properties, run_id) VALUES ($1, $2, $3, $3, $4, 1)`,
        [id + (graph - 7) * 1000, label, key, json],
      );
    }
  }
  for (const [id, type, source, target, properties] of edges) {
    await client.query(
      `INSERT INTO ${graphTables(7).edges} (id, type, source_id, target_id, key, properties, run_id) VALUES ($1, $2, $3, $4, '', $5, 1)`,
      [id, type, source, target, JSON.stringify(properties)],
    );
  }
});

afterAll(async () => {
  await client.end();
  await database.drop();
});

function compile(text: string, parameters: Record<string, unknown> = {}, options: Partial<CompileOptions> = {}): CompiledQuery {
  return compilePlan(planCypher(parseCypher(text), schema, parameters), { graphId: 7, limit: 1000, ...options });
}

function warningsOf(text: string, parameters: Record<string, unknown> = {}): QueryWarning[] {
  return planCypher(parseCypher(text), schema, parameters).warnings;
}

async function execute(compiled: CompiledQuery): Promise<DecodedRows> {
  const { rows } = await client.query<(string | null)[]>({ text: compiled.sql, values: compiled.parameters, rowMode: 'array' });
  return decodeRows(compiled, rows);
}

async function run(text: string, parameters: Record<string, unknown> = {}, options: Partial<CompileOptions> = {}): Promise<unknown[][]> {
  return (await execute(compile(text, parameters, options))).rows;
}

function errorOf(text: string, parameters: Record<string, unknown> = {}): ApiError {
  try {
    compile(text, parameters);
  } catch (error) {
    return toApiError(error);
  }
  throw new Error(`compiled: ${text}`);
}

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

describe('values', () => {
  it('returns nodes and edges with their parts, and the match behind each row', async () => {
    const { rows, evidence } = await execute(compile("MATCH (c:客户 {客户编号: 'BERGS'})-[r]->() RETURN c, r, c.名称 AS 名称"));
    expect(rows).toEqual([
      [
        {
          _kind: 'node',
          id: 2,
          label: '客户',
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

describe('results', () => {
  it('groups by the columns without aggregates, and groups nodes by identity', async () => {
    const query =
      'MATCH (c:客户)-[:下单]->(o) RETURN c, count(o) AS n, sum(o.运费) AS 运费, avg(o.运费), min(o.日期), max(o.日期), collect(o.订单编号) ORDER BY n DESC, c.名称';
    const rows = await run(query);
    expect(rows.map(([node, ...others]) => [(node as { key: string }).key, ...others])).toEqual([
      ['ALFKI', 2, 19.5, 9.75, '1997-03-01', '1998-11-30', expect.arrayContaining([101, 102])],
      ['BERGS', 1, 0, null, '1998-01-15', '1998-01-15', [103]],
    ]);
  });

  it('aggregates no match to 0, null or an empty list, and no group to no row', async () => {
    expect(await run('MATCH (n:无) RETURN count(*), count(n), sum(n.x), avg(n.x), min(n.x), max(n.x), collect(n)')).toEqual([
      [0, 0, 0, null, null, null, []],
    ]);
    expect(await run('MATCH (n:无) RETURN n.x, count(*)')).toEqual([]);
    expect(await run("MATCH (n:无) RETURN 'k', count(*)")).toEqual([]);
  });

  it('computes over aggregates, and orders by them', async () => {
    const query =
      'MATCH (o)-[i:包含]->(p) RETURN id(p) AS p, sum(i.数量) / count(*) AS per, count(DISTINCT o) * 10 AS tens ORDER BY sum(i.数量) DESC, p LIMIT 2';
    expect(await run(query)).toEqual([
      [21, 3, 20],
      [23, 3, 10],
    ]);
  });

  it('removes duplicates, and orders the returned columns', async () => {
    expect(await run('MATCH (o:订单)-[:包含]->(p) RETURN DISTINCT p.停产 ORDER BY p.停产')).toEqual([[false], [true], ['否']]);
    expect(
      await run('MATCH (c:客户)-->(o) RETURN DISTINCT c ORDER BY c.客户编号 DESC').then(rows =>
        rows.map(([c]) => (c as { id: number }).id),
      ),
    ).toEqual([2, 1]);
  });

  it('orders null last, by code point, with SKIP and LIMIT from parameters', async () => {
    expect(await run('MATCH (c:客户) RETURN c.国家 AS x ORDER BY x')).toEqual([['德国'], ['瑞典'], [null]]);
    expect(await run('MATCH (c:客户) RETURN c.国家 AS x ORDER BY x DESC SKIP $s LIMIT $l', { s: 1, l: 1 })).toEqual([['瑞典']]);
    expect(errorOf('MATCH (n) RETURN n LIMIT -1').code).toBe('cypher_syntax_error');
    expect(errorOf('MATCH (n) RETURN n SKIP $s', { s: 1.5 }).code).toBe('cypher_syntax_error');
  });

  it('keeps the LIMIT of a query within the caller’s', async () => {
    const ids = (text: string) => run(text, {}, { limit: 3 }).then(rows => rows.flat());
    expect(await ids('MATCH (n) RETURN id(n) ORDER BY id(n) SKIP 1 LIMIT 4')).toEqual([2, 3, 11]);
    expect(await ids('MATCH (n) RETURN id(n) ORDER BY id(n) LIMIT 2')).toEqual([1, 2]);
  });

  it('returns every named variable for *', () => {
    expect(compile('MATCH (a)-[r]->() RETURN *').columns).toEqual([
      { name: 'a', type: 'node' },
      { name: 'r', type: 'edge' },
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
    ['RETURN true + 1', '加法'],
    ['RETURN toUpper(1)', 'toUpper'],
    ['RETURN substring("a")', 'substring'],
  ])('refuses %s, naming what is wrong', (text, part) => {
    const error = errorOf(text);
    expect(error).toMatchObject({ status: 400, code: 'cypher_syntax_error' });
    expect(error.message).toContain(part);
  });

  it('names the nearest function', () => {
    expect(errorOf('RETURN toUper("a")')).toMatchObject({ code: 'cypher_not_supported' });
    expect(errorOf('RETURN toUper("a")').message).toContain('toupper()');
  });
});

describe('the plan PostgreSQL makes', () => {
  beforeAll(async () => {
    // Enough rows that PostgreSQL prefers an index.
    const { nodes, edges } = graphTables(9);
    await client.query(createGraphTables(9));
    await client.query(`
      INSERT INTO ${nodes} (id, label, key, display, properties, run_id)
      SELECT i, CASE WHEN i <= 1000 THEN '客户' ELSE '订单' END, i::text, '', jsonb_build_object('客户编号', i::text, '订单编号', i), 1 FROM generate_series(1, 10000) AS i`);
    await client.query(`
      INSERT INTO ${edges} (type, source_id, target_id, key, run_id)
      SELECT '下单', 1 + i % 1000, i, '', 1 FROM generate_series(1001, 10000) AS i
      UNION ALL SELECT '包含', i, 1001 + i * 7 % 9000, '', 1 FROM generate_series(1001, 10000) AS i`);
    await client.query(`ANALYZE ${nodes}, ${edges}`);
  });

  async function explain(text: string): Promise<string> {
    const { sql, parameters } = compile(text, {}, { graphId: 9 });
    const { rows } = await client.query<{ 'QUERY PLAN': string }>(`EXPLAIN ${sql}`, parameters);
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
