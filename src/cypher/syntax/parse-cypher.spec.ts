import { type ApiError } from '../../common/errors/api-error.js';
import { toApiError } from '../../common/errors/to-api-error.js';
import { type SimpleQuery, toSimpleQuery } from '../plan/simple-query.js';
import { parseCypher } from './parse-cypher.js';
import { maxQueryCharacters } from './tokenize.js';

function errorOf(text: string): ApiError {
  try {
    parseCypher(text);
  } catch (error) {
    return toApiError(error);
  }
  throw new Error(`parsed: ${text}`);
}

function parseSimpleQuery(text: string): SimpleQuery {
  return toSimpleQuery(parseCypher(text))!;
}

function returned(expression: string): unknown {
  return stripped(parseSimpleQuery(`MATCH (n) RETURN ${expression}`).returns.items[0]?.expression);
}

function stripped(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value, (key: string, inner: unknown) => (key === 'position' ? undefined : inner)));
}

describe('parseCypher', () => {
  it('reads labels, types, property maps and directions of a pattern', () => {
    const { matches } = parseSimpleQuery("MATCH (s:供应商|Supplier:A {国家: '德国'})-[r:供应|:包含 {数量: 3}]->()<--(`a b`)--(x) RETURN 1");
    const [pattern] = matches[0]!.patterns;
    expect(pattern!.nodes.map(node => [node.variable, node.labels.map(group => group.map(label => label.name))])).toEqual([
      ['s', [['供应商', 'Supplier'], ['A']]],
      [null, []],
      ['a b', []],
      ['x', []],
    ]);
    expect(pattern!.edges.map(edge => [edge.variable, edge.types.map(type => type.name), edge.direction])).toEqual([
      ['r', ['供应', '包含'], 'out'],
      [null, [], 'in'],
      [null, [], 'both'],
    ]);
    expect(pattern!.nodes[0]!.properties[0]).toMatchObject({ name: '国家', value: { kind: 'literal', value: '德国' } });
  });

  it('names a column after its alias, its variable or its text', () => {
    const { items } = parseSimpleQuery('MATCH (n) RETURN n, n . 名称, count( * ) AS `数 量`').returns;
    expect(items.map(item => item.name)).toEqual(['n', 'n . 名称', '数 量']);
  });

  it('binds operators as openCypher does', () => {
    expect(returned('1 + 2 * 3 ^ 2')).toMatchObject({ operator: '+', right: { operator: '*', right: { operator: '^' } } });
    expect(returned('NOT n.a = 1 AND n.b OR n.c')).toMatchObject({
      operator: 'OR',
      operands: [
        { operator: 'AND', operands: [{ operator: 'NOT', operand: { operator: '=' } }, { kind: 'property' }] },
        { kind: 'property' },
      ],
    });
    expect(returned('1 < n.a <= 3')).toMatchObject({ operator: 'AND', operands: [{ operator: '<' }, { operator: '<=' }] });
    expect(returned("n.a STARTS WITH 'x' + 'y'")).toMatchObject({ operator: 'STARTS WITH', right: { operator: '+' } });
  });

  it('reads escapes, comments and numbers', () => {
    expect(returned(String.raw`'a\n\'\u4e2d' /* c */ // d`)).toEqual({ kind: 'literal', value: "a\n'中" });
    expect(returned('0xFF')).toEqual({ kind: 'number', text: '255', integer: true });
    expect(returned('-9223372036854775808')).toEqual({ kind: 'number', text: '-9223372036854775808', integer: true });
    expect(returned('.5e-2')).toEqual({ kind: 'number', text: '.5e-2', integer: false });
    expect(returned('$`a b`')).toEqual({ kind: 'parameter', name: 'a b' });
  });

  it('says where a query breaks, what it found and what it expected', () => {
    expect(errorOf('MATCH (n)\nRETURN n.名称,')).toMatchObject({
      status: 400,
      code: 'cypher_syntax_error',
      context: { position: 22, line: 2, column: 13, found: 'end of query', expected: 'an expression' },
    });
    expect(errorOf('MATCH (n RETURN n').context).toMatchObject({ found: 'RETURN', expected: "')'", position: 9 });
    expect(errorOf("RETURN '🐉'\n, '🐉' x").context).toMatchObject({ position: 19, line: 2, column: 7, found: 'x' });
    expect(errorOf('MATCH （n) RETURN n').message).toContain('请用半角符号');
    expect(errorOf("MATCH (n) RETURN 'a").message).toContain('字符串没有结束');
    expect(errorOf('').code).toBe('cypher_syntax_error');
    expect(errorOf('MATCH (n) RETURN n; MATCH (m) RETURN m').context).toMatchObject({ found: 'MATCH', expected: 'end of query' });
  });

  it.each([
    ['CREATE (n)', 'CREATE', 0],
    ['MATCH (n) SET n.a = 1', 'SET', 10],
    ['MATCH (n) DETACH DELETE n', 'DETACH DELETE', 10],
    ['MATCH (n) REMOVE n.a', 'REMOVE', 10],
    ['MERGE (n:A)', 'MERGE', 0],
    ['call db.labels()', 'CALL', 0],
    ["LOAD CSV FROM 'x' AS r RETURN r", 'LOAD', 0],
    ['MATCH (n) RETURN n DELETE n', 'DELETE', 19],
  ])('refuses %s as writing or calling', (text, feature, position) => {
    expect(errorOf(text)).toMatchObject({ status: 400, code: 'cypher_read_only', context: { feature, position } });
  });

  it.each([
    ['OPTIONAL MATCH (n) RETURN n', { kind: 'match', optional: true }],
    ['UNWIND [1] AS x RETURN x', { kind: 'unwind', variable: 'x' }],
    ['WITH 1 AS x WHERE x > 0 RETURN x', { kind: 'with', where: { operator: '>' } }],
    ['MATCH (a)-[:T*1..3]->(b) RETURN a', { patterns: [{ edges: [{ length: { least: 1, most: 3 } }] }] }],
    ['MATCH (a)-[*]->(b) RETURN a', { patterns: [{ edges: [{ length: { least: 1, most: null } }] }] }],
    ['MATCH p = (a)-->(b) RETURN p', { patterns: [{ variable: 'p' }] }],
    ['MATCH p = shortestPath((a)-[*..5]-(b)) RETURN p', { patterns: [{ shortest: 'one', edges: [{ length: { least: 1, most: 5 } }] }] }],
    ['MATCH (n) WHERE EXISTS { (n)-->() } RETURN n', { where: { kind: 'subquery', form: 'EXISTS' } }],
    ['MATCH (n) WHERE (n)-->() RETURN n', { where: { kind: 'pattern' } }],
    ['MATCH (n) WHERE any(x IN n.a WHERE x > 1) RETURN n', { where: { kind: 'quantifier', quantifier: 'any', variable: 'x' } }],
  ])('reads %s', (text, clause) => {
    expect(parseCypher(text).queries[0]![0]).toMatchObject(clause);
  });

  it('reads queries joined by UNION, all of one kind', () => {
    expect(parseCypher('RETURN 1 AS a UNION RETURN 2 AS a')).toMatchObject({ queries: [{}, {}], distinct: true });
    expect(parseCypher('RETURN 1 AS a UNION ALL RETURN 2 AS a').distinct).toBe(false);
    expect(errorOf('RETURN 1 AS a UNION ALL RETURN 2 AS a UNION RETURN 3 AS a')).toMatchObject({ code: 'cypher_syntax_error' });
    const inner = 'RETURN 1 AS a UNION ALL RETURN 1 AS a UNION RETURN 1 AS a';
    expect(errorOf(`RETURN COUNT { ${inner} } AS n`)).toMatchObject({ code: 'cypher_syntax_error' });
    expect(() => parseCypher('RETURN COUNT { UNWIND ([1]) AS x } AS n')).not.toThrow();
  });

  it.each([
    ['MATCH (n) RETURN n {.a}', 'map projection'],
    ["MATCH (n) WHERE n.a =~ 'x' RETURN n", '=~'],
    ['MATCH (n:!A) RETURN n', 'label expressions with !, % or parentheses'],
    ['RETURN filter(x IN [1] WHERE x > 1)', 'filter(… IN …)'],
    ['PROFILE MATCH (n) RETURN n', 'PROFILE'],
  ])('refuses %s by name', (text, feature) => {
    expect(errorOf(text)).toMatchObject({ status: 400, code: 'cypher_not_supported', context: { feature, line: 1 } });
  });

  it('bounds length, nesting and chains before they cost anything', () => {
    expect(errorOf(`RETURN '${'x'.repeat(maxQueryCharacters)}'`).message).toContain('10000');
    for (const deep of [
      '('.repeat(65) + '1' + ')'.repeat(65),
      'NOT '.repeat(3000) + 'true',
      '['.repeat(3000),
      '- '.repeat(4000) + '1',
      '1' + ' + 1'.repeat(2000),
      'n' + '[0]'.repeat(3000),
    ]) {
      expect(errorOf(`MATCH (n) RETURN ${deep}`)).toMatchObject({ code: 'cypher_syntax_error' });
    }
    expect(() => parseCypher(`MATCH (n) WHERE ${Array.from({ length: 600 }, (_, i) => `n.a = ${i}`).join(' OR ')} RETURN n`)).not.toThrow();
  });

  it('refuses a name that is too long to be repeated in an error', () => {
    const name = 'v'.repeat(1_000);
    expect(() => parseCypher(`RETURN 1 AS ${name}`)).not.toThrow();
    for (const text of [`RETURN ${name}v`, `RETURN $${name}v`, `MATCH (n:\`${name}v\`) RETURN n`]) {
      const { code, context } = errorOf(text);
      expect([code, context]).toEqual(['cypher_syntax_error', expect.objectContaining({ length: 1_001, max_length: 1_000 })]);
    }
  });

  it('keeps out NUL and half surrogate pairs, which no text column can hold', () => {
    expect(errorOf('RETURN "\0"').code).toBe('cypher_syntax_error');
    expect(errorOf('RETURN "\ud800"').code).toBe('cypher_syntax_error');
    expect(errorOf(String.raw`RETURN "\u0000"`).code).toBe('cypher_syntax_error');
    expect(errorOf(String.raw`RETURN "\ud800"`).code).toBe('cypher_syntax_error');
    expect(returned(String.raw`"\ud83d\ude00"`)).toEqual({ kind: 'literal', value: '😀' });
  });

  it.each([
    ['MATCH (n) RETURN n n', '语法错误：此处应为 查询结尾，实际为 n'],
    ['MATCH (n) RETURN n {.a}', '暂不支持 映射投影'],
    ['MATCH (n:) RETURN n', '此处应为 标签'],
    ['MATCH shortestPath((a)-->(b)-->(c)) RETURN a', '须恰好有一个关系'],
  ])('says what is wrong with %s in Chinese too', (text, zh) => {
    expect(() => parseCypher(text)).toThrow(zh);
  });
});
