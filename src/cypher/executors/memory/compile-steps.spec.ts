import { denseGraph } from '../../../../test/support/dense-graph.js';
import { emptyGraph, prepareCypher } from '../../prepare-cypher.js';
import { parseCypher } from '../../syntax/parse-cypher.js';
import { prepareInMemory } from './run-in-memory.js';

const graph = denseGraph(100, 300);
const run = {
  parameters: new Map(),
  limits: { steps: 30_000_000, heldBytes: 67_108_864 },
  now: { epochNanoseconds: 0n, timeZone: 'UTC' },
};
/** Puts an expression into a form that contains it once. */
type Nest = (inner: string) => string;
/**
 * The levels that each form may be nested to. A query has 64 levels: one for the expression of RETURN, and as many for each form as it has
 * expressions, subqueries, CASE and signs in each other. The third is the innermost expression, `true` if it is left out.
 */
const nests: Record<string, [levels: number, nest: Nest, innermost?: string]> = {
  EXISTS: [31, inner => `EXISTS { RETURN ${inner} AS a }`],
  'EXISTS that groups': [31, inner => `EXISTS { RETURN ${inner} AS a, count(*) AS c }`],
  'EXISTS that groups and sorts': [31, inner => `EXISTS { RETURN ${inner} AS a, count(*) AS c ORDER BY a }`],
  'EXISTS with DISTINCT': [31, inner => `EXISTS { RETURN DISTINCT ${inner} AS a }`],
  'EXISTS with ORDER BY': [31, inner => `EXISTS { WITH 1 AS x RETURN x ORDER BY ${inner} }`],
  'EXISTS with WITH … WHERE': [21, inner => `EXISTS { WITH 1 AS x WHERE (${inner}) IS NULL RETURN x }`],
  'EXISTS with MATCH … WHERE': [21, inner => `EXISTS { MATCH (n) WHERE (${inner}) IS NULL }`],
  'EXISTS with UNION': [31, inner => `EXISTS { RETURN 1 AS a UNION RETURN ${inner} AS a }`],
  'a property of a node in EXISTS': [31, inner => `EXISTS { MATCH ({a: ${inner}, b: 1}) }`],
  'a property of a relationship in EXISTS': [31, inner => `EXISTS { MATCH ()-[{a: ${inner}, b: 1}]-() }`],
  'a property of a long relationship in EXISTS': [31, inner => `EXISTS { MATCH ()-[*1..2 {a: ${inner}}]-() }`],
  'a property of a node of shortestPath': [31, inner => `EXISTS { MATCH shortestPath(({a: ${inner}})-[*..2]-({b: 1})) }`],
  'a property of a relationship of allShortestPaths': [31, inner => `EXISTS { MATCH allShortestPaths(()-[*..2 {a: ${inner}}]-()) }`],
  'a property of shortestPath as an expression': [
    21,
    inner => `EXISTS { MATCH (a), (b) WHERE shortestPath((a)-[*..2 {a: ${inner}}]-(b)) IS NULL }`,
  ],
  'a property of a pattern as a condition': [21, inner => `EXISTS { MATCH (n) WHERE (n)-[{a: ${inner}}]-({b: 1}) }`],
  'a property of an optional node': [31, inner => `COUNT { OPTIONAL MATCH ({a: ${inner}}) RETURN 1 AS a }`],
  COUNT: [31, inner => `COUNT { RETURN ${inner} AS a, count(*) AS c }`],
  COLLECT: [31, inner => `COLLECT { RETURN ${inner} AS a }`],
  'COLLECT with ORDER BY': [31, inner => `COLLECT { WITH 1 AS x RETURN x ORDER BY ${inner} DESC, x LIMIT 2 }`],
  UNWIND: [21, inner => `EXISTS { UNWIND [${inner}] AS x RETURN 1 AS a }`],
  LIMIT: [15, inner => `COUNT { RETURN 1 AS a LIMIT size([${inner}]) }`],
  SKIP: [15, inner => `COUNT { RETURN 1 AS a SKIP size([${inner}]) }`],
  'an aggregate': [21, inner => `COUNT { RETURN max(${inner}) AS a }`],
  'an aggregate of distinct values': [21, inner => `COLLECT { RETURN count(DISTINCT ${inner}) AS a }`],
  'the subject of CASE': [31, inner => `CASE ${inner} WHEN 1 THEN 1 WHEN 2 THEN 2 WHEN 3 THEN 3 END`],
  'WHEN of CASE': [21, inner => `CASE WHEN (${inner}) IS NULL THEN 1 ELSE 2 END`],
  'WHEN of CASE with a subject': [31, inner => `CASE 1 WHEN ${inner} THEN 1 ELSE 2 END`],
  'THEN of CASE': [31, inner => `CASE 1 WHEN 1 THEN ${inner} WHEN 2 THEN 1 END`],
  'ELSE of CASE': [31, inner => `CASE WHEN false THEN 1 ELSE ${inner} END`],
  'a list comprehension': [62, inner => `[x IN [1] WHERE x > 0 | ${inner}]`, '[1]'],
  'the list of a list comprehension': [31, inner => `[x IN [${inner}] | x]`],
  'the condition of a list comprehension': [31, inner => `[x IN [1] WHERE (${inner}) IS NULL]`],
  any: [31, inner => `any(x IN [1] WHERE (${inner}) IS NULL)`],
  all: [31, inner => `all(x IN [1] WHERE (${inner}) IS NULL)`],
  none: [31, inner => `none(x IN [1] WHERE (${inner}) IS NULL)`],
  single: [31, inner => `single(x IN [1] WHERE (${inner}) IS NULL)`],
  'the list of a quantifier': [31, inner => `any(x IN [${inner}] WHERE x)`],
  'a reduce': [62, inner => `reduce(a = 1, x IN [1] | ${inner})`, '[1][0]'],
  'the first value of a reduce': [62, inner => `reduce(a = ${inner}, x IN [1] | a)`, '[1][0]'],
  'the list of a reduce': [31, inner => `reduce(a = 1, x IN [${inner}] | a)`],
  'a pattern comprehension': [63, inner => `[(a)--(b) | ${inner}]`],
  'a property in a pattern comprehension': [63, inner => `[({a: ${inner}})-[{b: 1}]-() | 1]`],
  'the condition of a pattern comprehension': [31, inner => `[(a)--(b) WHERE (${inner}) IS NULL | 1]`],
  'a list': [63, inner => `[${inner}]`],
  'a map': [63, inner => `{a: ${inner}}`],
  'a property of a map': [63, inner => `{a: ${inner}}.a`],
  'an index': [63, inner => `[1][${inner}]`],
  'an indexed list': [63, inner => `[${inner}][0]`],
  'a slice': [63, inner => `[1][..${inner}]`],
  'the start of a slice': [63, inner => `[1][${inner}..]`],
  'a sum': [63, inner => `(1 + ${inner})`],
  'a difference': [63, inner => `(${inner} - 1)`, '1'],
  'a product': [63, inner => `(2 * ${inner})`, '1'],
  'a remainder': [63, inner => `(${inner} % 2)`, '1'],
  'a power': [63, inner => `(1 ^ ${inner})`, '1'],
  'a minus': [62, inner => `- ${inner}`, '[1][0]'],
  'a minus before parentheses': [31, inner => `-(${inner})`, '1'],
  'a sum of lists': [62, inner => `([1] + ${inner})`, '[1]'],
  'a comparison': [63, inner => `(1 < 2 < ${inner})`],
  'an equation': [63, inner => `(${inner} = 1)`],
  AND: [63, inner => `(true AND ${inner})`],
  OR: [63, inner => `(false OR ${inner})`],
  XOR: [63, inner => `(true XOR ${inner})`],
  NOT: [31, inner => `(NOT ${inner})`],
  'IS NULL': [63, inner => `(${inner} IS NULL)`],
  'IS NOT NULL': [63, inner => `(${inner} IS NOT NULL)`],
  'an item of IN': [62, inner => `(${inner} IN [1])`],
  'the list of IN': [31, inner => `(1 IN [${inner}])`],
  CONTAINS: [63, inner => `('a' CONTAINS ${inner})`],
  'STARTS WITH': [63, inner => `('a' STARTS WITH ${inner})`],
  'ENDS WITH': [63, inner => `(${inner} ENDS WITH 'a')`],
  'a label test': [63, inner => `coalesce(null, ${inner}):A`],
  'a call': [63, inner => `coalesce(null, ${inner})`],
};
const tooDeep = { code: 'cypher_syntax_error', facts: { max_depth: 64 } };
const noSchema = { labels: [], edges: [] };

function nested(nest: Nest, levels: number, innermost = 'true'): string {
  let text = innermost;
  for (let level = 0; level < levels; level++) text = nest(text);
  return `RETURN ${text} AS r`;
}

function unitsOf(text: string): number {
  return prepareInMemory(parseCypher(text), emptyGraph, run).compileUnits;
}

function errorOf(work: () => unknown): unknown {
  try {
    work();
  } catch (error) {
    return error;
  }
  return null;
}

describe('compiling', () => {
  it.each(Object.entries(nests))('takes each expression once, however deep it stands: %s', (_, [levels, nest, innermost]) => {
    const [half, whole] = [unitsOf(nested(nest, levels >> 1, innermost)), unitsOf(nested(nest, levels, innermost))];
    // Twice the depth may take twice the units, four times where each level copies the variables around it, and some seven times where
    // two patterns of a level do.
    expect(whole).toBeLessThan(7 * half + 200);
    expect(whole).toBeLessThan(60_000);
    expect(() => prepareCypher(nested(nest, levels, innermost), noSchema, '{}')).not.toThrow();
    expect(errorOf(() => parseCypher(nested(nest, levels + 1, innermost)))).toMatchObject(tooDeep);
  });

  it('refuses a long expression in the middle of a chain of comparisons, which is compiled twice', () => {
    const chain: Nest = inner => `(1 < ${inner} < 2)`;
    expect(() => unitsOf(nested(chain, 3))).not.toThrow();
    for (const levels of [4, 5, 60]) expect(errorOf(() => unitsOf(nested(chain, levels)))).toMatchObject({ code: 'cypher_not_supported' });
  });

  it('refuses a parameter that nests too deep, wherever its levels are', () => {
    const parameter = (levels: number, [open, close]: [string, string]) => `{"p": ${open.repeat(levels)}1${close.repeat(levels)}}`;
    for (const brackets of [
      ['{"a": ', '}'],
      ['[', ']'],
      ['[{"a": ', '}]'],
    ] as [string, string][]) {
      const levels = 32 / brackets[1].length;
      expect(() => prepareCypher('RETURN $p AS r', noSchema, parameter(levels, brackets))).not.toThrow();
      expect(errorOf(() => prepareCypher('RETURN $p AS r', noSchema, parameter(levels + 1, brackets)))).toMatchObject({
        code: 'cypher_parameter_invalid',
        place: { line: 1, column: 8 },
      });
    }
  });

  /** Puts chains of 60 operators in each other, so that the tree has 60 levels for each of them. */
  const chained = (links: number, link: string, innermost: string): string =>
    `RETURN ${nested(inner => `(${inner}${link.repeat(60)})`, Math.floor(links / 60), innermost).slice(7, -5)}${link.repeat(links % 60)} AS r`;
  const clauses = (links: number, clause: string): string => `WITH 1 AS a ${clause.repeat(links - 1)}RETURN 1 AS r`;
  /** A subquery in the first clause runs while all later clauses wait for it. */
  const clausesInClauses = (links: number): string => {
    let text = '1';
    for (let level = 0; level < 4; level++)
      text = `COUNT { UNWIND [${text}] AS x${level} ${'WITH * '.repeat(links / 4 - 1)}RETURN 1 AS a }`;
    return `RETURN ${text} AS r`;
  };

  it.each<[string, (links: number) => string]>([
    ['sums', links => chained(links, '+1', '1')],
    ['powers', links => chained(links, '^1', '1')],
    ['properties', links => chained(links, '.a', 'null')],
    ['null tests', links => chained(links, ' IS NULL', '1')],
    ['XOR', links => chained(links, ' XOR true', 'true')],
    ['indexes', links => chained(links, '[0]', 'null')],
    ['WITH', links => clauses(links, 'WITH * ')],
    ['WITH with DISTINCT', links => clauses(links, 'WITH DISTINCT * ')],
    ['MATCH', links => clauses(links, 'MATCH (n:A {x: 3}) ')],
    ['clauses of subqueries', links => clausesInClauses(links)],
  ])('leaves room on the stack when operators or clauses are stacked in each other: %s', (_, query) => {
    const prepared = prepareInMemory(parseCypher(query(512)), graph, run);
    expect([...prepared.rows()].filter(row => row !== null)).toHaveLength(1);
    const refusal = errorOf(() => parseCypher(query(516)));
    expect(refusal).toMatchObject({ code: 'cypher_syntax_error', facts: { max_links: 512 } });
  });

  const long = (first: string, part: (i: number) => string, last: string): string => {
    let text = first;
    for (let i = 0; text.length < 9_900 - last.length; i++) text += part(i);
    return text + last;
  };

  it.each([
    ['a pattern of thousands of relationships', long('MATCH ()', () => '--()', ' RETURN 1 AS r')],
    ['a thousand patterns', long('MATCH (n)', i => `,(n${i}:A)`, ' RETURN 1 AS r')],
    ['a thousand conditions', long('MATCH (n) WHERE true', i => ` AND n.x < ${i}`, ' RETURN 1 AS r')],
  ])('takes each part of a long query once: %s', (_, text) => {
    expect(() => prepareCypher(text, noSchema, '{}')).not.toThrow();
  });

  it('is refused when it takes too long', () => {
    const text = `${Array.from({ length: 450 }, (_, i) => `UNWIND [1] AS x${i} `).join('')}RETURN 1 AS r`;
    expect(() => prepareCypher(text, noSchema, '{}')).toThrow(expect.objectContaining({ status: 422, code: 'query_too_much_work' }));
    expect(() => prepareCypher(text, noSchema, '{}')).toThrow('nested to be compiled');
  });
});
