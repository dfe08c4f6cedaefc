import { WritableGraph } from '../../../../test/tck/writable-graph.js';
import { parseCypher } from '../../syntax/parse-cypher.js';
import { type CypherValue, isList, isMap } from '../../values/cypher-value.js';
import { type AnswerRow, type MemoryRun, prepareInMemory } from './run-in-memory.js';

const run: MemoryRun = {
  parameters: new Map(),
  limits: { steps: 1e6, heldBytes: 1e8 },
  now: { epochNanoseconds: 0n, timeZone: 'UTC' },
};

/** The rows of a query on the graph that `setup` creates. */
function answerOf(text: string, setup: string | null = null): AnswerRow[] {
  const graph = new WritableGraph(run);
  if (setup !== null) graph.runSetup(setup);
  return [...prepareInMemory(parseCypher(text), graph, run).rows()].filter(row => row !== null);
}

/** The rows of values; a node or edge is shown as the value of its property `id`. */
function rowsOf(text: string, setup: string | null = null): unknown[][] {
  return answerOf(text, setup).map(({ values }) => values.map(plain));
}

function plain(value: CypherValue): unknown {
  if (typeof value === 'bigint') return Number(value);
  if (typeof value !== 'object' || value === null) return value;
  if (isList(value)) return value.map(plain);
  if (isMap(value)) return Object.fromEntries([...value].map(([name, inner]) => [name, plain(inner)]));
  return 'properties' in value ? plain(value.properties.get('id') ?? null) : value;
}

describe('a query in memory', () => {
  describe('edges that are bound already', () => {
    const setup = 'CREATE (:N {id: 2})-[:S]->(:N {id: 5}), (:N {id: 3})-[:R]->(b:N:B {id: 4})-[:S]->(:N {id: 6})';

    it('share the node between them', () => {
      const bound = 'MATCH ()-[r1:R]->() MATCH ()-[r2:S]->()';
      expect(rowsOf(`${bound} MATCH (a)-[r1]->(b)-[r2]->(c) RETURN a, b, c`, setup)).toEqual([[3, 4, 6]]);
      expect(rowsOf(`${bound} MATCH (c)<-[r2]-(b)<-[r1]-(a) RETURN a, b, c`, setup)).toEqual([[3, 4, 6]]);
      expect(rowsOf(`${bound} MATCH (a)-[r1]-(b:B)-[r2]-(c) RETURN a, b, c`, setup)).toEqual([[3, 4, 6]]);
      expect(rowsOf(`${bound} MATCH (a)-[r1]->(b), (b)-[r2]->(c) RETURN a, b, c`, setup)).toEqual([[3, 4, 6]]);
    });

    it('share the node between lists of them', () => {
      const bound = 'MATCH ()-[r1:R*]->() MATCH ()-[r2:S*]->()';
      expect(rowsOf(`${bound} MATCH (a)-[r1*]->(b)-[r2*]->(c) RETURN a, b, c`, setup)).toEqual([[3, 4, 6]]);
    });
  });

  it('keeps apart rows whose texts hold what stands between them', () => {
    const rows = "UNWIND [['a\\nsb', 'c'], ['a', 'b\\nsc'], ['a', 'b\\nsc']] AS r";
    expect(rowsOf(`${rows} RETURN DISTINCT r[0] AS a, r[1] AS b`)).toEqual([['a\nsb', 'c'], ['a', 'b\nsc']]); // prettier-ignore
    expect(rowsOf(`${rows} RETURN r[0] AS a, r[1] AS b, count(*) AS n`)).toEqual([['a\nsb', 'c', 1], ['a', 'b\nsc', 2]]); // prettier-ignore
    const union = "RETURN 'a\\nsb' AS a, 'c' AS b UNION RETURN 'a' AS a, 'b\\nsc' AS b";
    expect(rowsOf(union)).toHaveLength(2);
    expect(rowsOf(`RETURN COUNT { ${union} } AS n`)).toEqual([[2]]);
  });

  it('joins the parts of a UNION in a subquery as it does outside, by the names of their columns', () => {
    const union = 'RETURN 1 AS a, 2 AS b UNION RETURN 2 AS b, 1 AS a';
    expect(rowsOf(union)).toEqual([[1, 2]]);
    expect(rowsOf(`RETURN COUNT { ${union} } AS n, COUNT { ${union.replace('UNION', 'UNION ALL')} } AS m`)).toEqual([[1, 2]]);
    expect(rowsOf('RETURN COLLECT { RETURN 2 AS a UNION RETURN 1 AS a UNION RETURN 2 AS a } AS l')).toEqual([[[2, 1]]]);
    for (const form of ['EXISTS', 'COUNT', 'COLLECT'])
      for (const other of ['RETURN 1 AS b', 'RETURN 1 AS a, 2 AS b', 'MATCH (n)'])
        expect(() => rowsOf(`RETURN ${form} { RETURN 1 AS a UNION ${other} } AS x`)).toThrow('Both sides of UNION');
  });

  it('takes a name behind DISTINCT and grouping for the column, not for the variable that it hides', () => {
    const list = 'UNWIND [3, 1, 2] AS x WITH';
    for (const distinct of ['', 'DISTINCT ']) {
      expect(rowsOf(`${list} ${distinct}x AS y, -x AS x WHERE x > 0 RETURN y`)).toEqual([]);
      expect(rowsOf(`${list} ${distinct}x AS y, -x AS x ORDER BY x RETURN y`)).toEqual([[3], [2], [1]]);
      expect(rowsOf(`${list} ${distinct}x AS y, -x AS x ORDER BY -x RETURN y`)).toEqual([[1], [2], [3]]);
      expect(rowsOf(`${list} ${distinct}x AS y, 10 - x AS x ORDER BY size([i IN [1] WHERE x > 8]) DESC, y RETURN y`)).toEqual([[1], [2], [3]]); // prettier-ignore
    }
    expect(rowsOf(`${list} x AS y, -x AS x, count(*) AS n ORDER BY x RETURN y`)).toEqual([[3], [2], [1]]);
    expect(() => rowsOf(`${list} -x AS x, count(x) AS n ORDER BY count(x) RETURN n`)).toThrow('ORDER BY aggregates only');
    const pair = 'CREATE (:N {id: 1})-[:R]->(:N {id: 2}), (:N {id: 4})-[:R]->(:N {id: 3}), (:N {id: 6})-[:R]->(:N {id: 0})';
    expect(rowsOf('MATCH (a)-->(b) RETURN DISTINCT a AS b, b AS a ORDER BY a.id', pair)).toEqual([[6, 0], [1, 2], [4, 3]]); // prettier-ignore
  });

  it('lets queries and patterns beside an aggregate read what has one value in the group, and nothing else', () => {
    const setup = 'CREATE (a:A {id: 1})-[:R]->(:B {id: 2}), (a)-[:R]->(:B {id: 3})';
    const rows = (result: string) => rowsOf(`MATCH (n) ${result}`, setup);
    for (const ambiguous of [
      'COUNT { (n)-->() }',
      'EXISTS { MATCH (m) WHERE m.id = n.id }',
      'size([(n)-->(m) | m.id])',
      'size([(m)-->() | n.id])',
    ])
      expect(() => rows(`RETURN count(*), [count(*), ${ambiguous}]`)).toThrow('n has no single value beside an aggregate');
    expect(rows('RETURN n, count(*) + size([(n)-->(m) | m.id]) AS c ORDER BY n.id')).toEqual([[1, 3], [2, 1], [3, 1]]); // prettier-ignore
    expect(rows('RETURN n, count(*) + COUNT { (n)-->(m:B) } AS c ORDER BY n.id')).toEqual([[1, 3], [2, 1], [3, 1]]); // prettier-ignore
    expect(rows('RETURN count(*) + COUNT { MATCH (m:B) WITH m.id AS n RETURN n } AS c')).toEqual([[5]]);
    expect(rows('RETURN count(*) + reduce(s = 0, i IN [1, 2] | s + i + COUNT { UNWIND [i] AS j RETURN j }) AS c')).toEqual([[8]]);
  });

  it('finds no match of a node that OPTIONAL MATCH has left null, whatever else is bound', () => {
    const setup = 'CREATE (:A {id: 1})-[:R]->(:B {id: 2})';
    const match = 'MATCH ()-[r]->() OPTIONAL MATCH (n:Nowhere)';
    for (const node of ['(n)', '(n:A)', '(n {id: 1})', '(n:A {id: 1})'])
      expect(rowsOf(`${match} MATCH ${node}, ()-[r]->() RETURN count(*) AS c`, setup)).toEqual([[0]]);
  });

  it('takes a function for the same in any case', () => {
    const rows = 'UNWIND [[1, 5], [2, 3], [1, 1]] AS x';
    expect(rowsOf(`${rows} RETURN x[0] AS k, sum(x[1]) AS s ORDER BY SUM(x[1])`)).toEqual([[2, 3], [1, 6]]); // prettier-ignore
    expect(rowsOf(`${rows} RETURN DISTINCT toString(x[0]) AS k ORDER BY tostring(x[0]) DESC`)).toEqual([['2'], ['1']]);
  });

  describe('properties of edges', () => {
    const setup =
      'CREATE (a:A {id: 1, k: 7})-[:R {y: 5}]->(:B {id: 2, y: 5}), (a)-[:R {y: 6}]->(:B {id: 3, y: 5})-[:S {y: 5}]->(:B {id: 4, y: 5})';

    it.each([
      ['(a:A)-[r # ]->(b)', 'b.y', [2]],
      ['(b)<-[r # ]-(a:A)', 'b.y', [2]],
      ['(a:A)-[r # ]->(b), (c:B {id: 4})', 'c.y + 1', [3]],
      ['(a:A)-[r # ]->(b), p = (c)-[:S]->(d)', 'size(nodes(p)) + 4', [3]],
      ['(a:A)-[r # ]->(b)', '5 + COUNT { (b)-->() }', [2, 3]],
      ['(a:A)-[r # ]->(b)', 'size([(b)-->(x) | x]) + 5', [2, 3]],
    ])('read what the same pattern binds: %s with %s', (pattern, value, expected) => {
      const rows = (y: string, where: string) => rowsOf(`MATCH ${pattern.replace('#', y)} ${where} RETURN b`, setup).flat();
      expect([rows(`{y: ${value}}`, ''), rows('', `WHERE r.y = ${value}`)]).toEqual([expected, expected]);
    });

    it('read nodes that the same pattern binds, along many edges', () => {
      expect(rowsOf('MATCH (a:A)-[*1..2 {y: b.y}]->(b) RETURN b', setup)).toEqual([[2]]);
      expect(rowsOf('MATCH (a:A)-[*0..2 {y: b.y}]->(b) RETURN b ORDER BY b.id', setup)).toEqual([[1], [2]]);
      expect(rowsOf('MATCH (a:A)-[r:R]->() MATCH (x)-[r {y: z.y}]->(z) RETURN z', setup)).toEqual([[2]]);
    });

    it('decide which path is the shortest, so they wait for what they read', () => {
      expect(rowsOf('MATCH p = shortestPath((a:A)-[* {y: c.y}]->(b:B {id: 2})), (c {id: 4}) RETURN length(p)', setup)).toEqual([[1]]);
      expect(rowsOf('MATCH p = shortestPath((a:A)-[* {y: c.y}]->(b:B {id: 4})), (c {id: 4}) RETURN length(p)', setup)).toEqual([]);
      expect(rowsOf('MATCH ()-[r:R]->() MATCH shortestPath((a)-[r {y: c.y}]->(b)), (c {id: 4}) RETURN b', setup)).toEqual([[2]]);
      expect(() => rowsOf('MATCH p = shortestPath((a:A)-[r {y: r.y}]->(b:B)) RETURN p', setup)).toThrow('cannot read a variable that the path decides'); // prettier-ignore
    });
  });

  it('raises an error of a condition only where no other condition hides it', () => {
    const setup = "CREATE (:A {id: 1, t: date('2024-05-01')})-[:R]->(:B {id: 2, x: 1})";
    for (const hidden of ["b.x = 2 AND a.t = 'abc'", "b.x = 2 AND a.t > 'abc' AND b.x = 3"])
      expect(rowsOf(`MATCH (a:A)-->(b:B) WHERE ${hidden} RETURN b`, setup)).toEqual([]);
    expect(rowsOf("MATCH (a:A)-[:S]->(b) WHERE a.t = 'abc' RETURN b", setup)).toEqual([]);
    expect(rowsOf('UNWIND [1, 2] AS x MATCH (a:A), (b:B {id: 9}) WHERE x.p = 1 RETURN b', setup)).toEqual([]);
    expect(() => rowsOf("MATCH (a:A)-->(b:B) WHERE a.t = 'abc' AND b.x = 1 RETURN b", setup)).toThrow();
    expect(() => rowsOf("MATCH (a:A)-->(b:B) WHERE b.x = 1 AND a.t = 'abc' RETURN b", setup)).toThrow();
    expect(rowsOf("MATCH (a:A)-->(b:B) WHERE a.t = '2024-05-01' AND b.x = 1 RETURN b", setup)).toEqual([[2]]);
  });

  it('does not cite what a list held in a match that was rejected', () => {
    const setup = 'CREATE (a:A {id: 1})-[:R]->(:B {id: 2}), (a)-[:R]->(:B {id: 3, ok: true})';
    for (const condition of [
      'any(x IN nodes(p) WHERE x.bad)',
      'size([x IN nodes(p) WHERE x.bad]) > 0',
      'reduce(s = null, x IN nodes(p) | x).bad',
    ]) {
      const [row] = answerOf(`MATCH p = (a:A)-->(b) WHERE b.ok OR ${condition} RETURN b`, setup);
      expect([...row!.behind!.nodes.values()].map(node => plain(node)).sort()).toEqual([1, 3]);
    }
  });

  it.each([
    ['RETURN COUNT { MATCH (a:A) } AS n', true],
    ['RETURN COUNT { UNWIND [1] AS x RETURN x } AS n', false],
    ['RETURN EXISTS { (:A)-->() } AS e', true],
    ['RETURN COLLECT { MATCH (a:A) RETURN a.id } AS l', true],
    ['MATCH (a:A) WHERE (a)-->() RETURN a', true],
    ['MATCH (a:A) RETURN [(a)-->(b) | b.id] AS l', true],
    ['MATCH (a:A)-->(b) RETURN length(shortestPath((a)-[*]->(b))) AS l', true],
    ['MATCH (a:A)-->(b) RETURN DISTINCT a.id AS id', false],
    ['MATCH (a:A)-->(b) WITH DISTINCT a.id AS id RETURN id', true],
    ['MATCH (a:A) RETURN DISTINCT a.id AS id', false],
    ['UNWIND [1, 1] AS x RETURN DISTINCT x', false],
    ['MATCH (a:A) RETURN 1 AS x UNION MATCH (b:B) RETURN 1 AS x', false],
    ['MATCH (a:A) RETURN a.id AS x UNION MATCH (b:B) RETURN b.id AS x', false],
    ['MATCH (a:A)-->(b) RETURN a.id, count(b)', false],
  ])('says whether it rests on elements that no row cites: %s', (text, expected) => {
    const graph = new WritableGraph(run);
    graph.runSetup('CREATE (a:A {id: 1})-[:R]->(:B {id: 2}), (a)-[:R]->(:B {id: 3})');
    const prepared = prepareInMemory(parseCypher(text), graph, run);
    expect([[...prepared.rows()].length > 0, prepared.hasUncited()]).toEqual([true, expected]);
  });

  it.each(['MATCH (n) RETURN DISTINCT n.id % 2 AS x', 'MATCH (n) RETURN n.id % 2 AS x UNION MATCH (n) RETURN n.id % 2 AS x'])(
    'says so where nobody takes the rows behind: %s',
    text => {
      const graph = new WritableGraph(run);
      graph.runSetup('UNWIND range(1, 40) AS i CREATE ({id: i})');
      const prepared = prepareInMemory(parseCypher(text), graph, run);
      for (const row of prepared.rows()) if (row) break;
      expect(prepared.hasUncited()).toBe(true);
    },
  );

  it('reads a subject of CASE in parentheses, not a call', () => {
    expect(rowsOf("UNWIND [1, 2] AS i RETURN CASE (i + 1) WHEN 2 THEN 'two' ELSE 'more' END AS t", '')).toEqual([['two'], ['more']]);
    expect(rowsOf('RETURN CASE (1 < 2) WHEN true THEN 1 END AS t', '')).toEqual([[1]]);
  });

  it('reads a text beside a time as a time in a pattern too', () => {
    const setup = "CREATE (:A {id: 1, t: date('2024-05-01')}), (:A {id: 2, t: date('2024-05-02')})";
    expect(rowsOf("MATCH (a:A {t: '2024-05-02'}) RETURN a", setup)).toEqual([[2]]);
    expect(rowsOf("MATCH (a:A {t: 'abc'})-->() RETURN a", setup)).toEqual([]);
    expect(() => rowsOf("MATCH (a:A {t: 'abc'}) RETURN a", setup)).toThrow();
  });
});
