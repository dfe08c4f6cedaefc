import { emptyGraph, prepareCypher } from '../../prepare-cypher.js';
import { parseCypher } from '../../syntax/parse-cypher.js';
import { prepareInMemory } from './run-in-memory.js';

const run = {
  parameters: new Map(),
  limits: { steps: 30_000_000, heldBytes: 67_108_864 },
  now: { epochNanoseconds: 0n, timeZone: 'UTC' },
};
/** The deepest nesting that is parsed; a subquery takes two levels, as parentheses under an operator do. */
const mostLevels = 64;

/** Puts an expression into a form that contains it once. */
type Nest = (inner: string) => string;
const nests: Record<string, Nest> = {
  EXISTS: inner => `EXISTS { RETURN ${inner} AS a }`,
  'EXISTS that groups': inner => `EXISTS { RETURN ${inner} AS a, count(*) AS c }`,
  'EXISTS that groups and sorts': inner => `EXISTS { RETURN ${inner} AS a, count(*) AS c ORDER BY a }`,
  'EXISTS with DISTINCT': inner => `EXISTS { RETURN DISTINCT ${inner} AS a }`,
  'EXISTS with ORDER BY': inner => `EXISTS { WITH 1 AS x RETURN x ORDER BY ${inner} }`,
  'EXISTS with WITH … WHERE': inner => `EXISTS { WITH 1 AS x WHERE (${inner}) IS NULL RETURN x }`,
  'EXISTS with MATCH … WHERE': inner => `EXISTS { MATCH (n) WHERE (${inner}) IS NULL }`,
  'EXISTS with UNION': inner => `EXISTS { RETURN 1 AS a UNION RETURN ${inner} AS a }`,
  'a property of a node in EXISTS': inner => `EXISTS { MATCH ({a: ${inner}, b: 1}) }`,
  'a property of a relationship in EXISTS': inner => `EXISTS { MATCH ()-[{a: ${inner}, b: 1}]-() }`,
  'a property of a long relationship in EXISTS': inner => `EXISTS { MATCH ()-[*1..2 {a: ${inner}}]-() }`,
  COUNT: inner => `COUNT { RETURN ${inner} AS a, count(*) AS c }`,
  COLLECT: inner => `COLLECT { RETURN ${inner} AS a }`,
  LIMIT: inner => `COUNT { RETURN 1 AS a LIMIT size([${inner}]) }`,
  'the subject of CASE': inner => `CASE ${inner} WHEN 1 THEN 1 WHEN 2 THEN 2 WHEN 3 THEN 3 END`,
  'WHEN of CASE': inner => `CASE WHEN (${inner}) IS NULL THEN 1 ELSE 2 END`,
  'THEN of CASE': inner => `CASE 1 WHEN 1 THEN ${inner} WHEN 2 THEN 1 END`,
  'a list comprehension': inner => `[x IN [1] WHERE x > 0 | ${inner}]`,
  'the list of a list comprehension': inner => `[x IN [${inner}] | x]`,
  'a quantifier': inner => `any(x IN [1] WHERE (${inner}) IS NULL)`,
  'a reduce': inner => `reduce(a = 1, x IN [1] | ${inner})`,
  'the first value of a reduce': inner => `reduce(a = ${inner}, x IN [1] | a)`,
  'a pattern comprehension': inner => `[(a)--(b) | ${inner}]`,
  'a property in a pattern comprehension': inner => `[({a: ${inner}})-[{b: 1}]-() | 1]`,
  'the condition of a pattern comprehension': inner => `[(a)--(b) WHERE (${inner}) IS NULL | 1]`,
  'a list': inner => `[${inner}]`,
  'a map': inner => `{a: ${inner}}`,
  'an index': inner => `[1][${inner}]`,
  'a slice': inner => `[1][..${inner}]`,
  'a sum': inner => `(1 + ${inner})`,
  'a comparison': inner => `(1 < 2 < ${inner})`,
  AND: inner => `(true AND ${inner})`,
  XOR: inner => `(true XOR ${inner})`,
  NOT: inner => `(NOT ${inner})`,
  'a call': inner => `coalesce(null, ${inner})`,
};

function nested(nest: Nest, levels: number): string {
  let text = 'true';
  for (let level = 0; level < levels; level++) text = nest(text);
  return `RETURN ${text} AS r`;
}

function unitsOf(text: string): number {
  return prepareInMemory(parseCypher(text), emptyGraph, run).compileUnits;
}

/** The most levels, up to 64, at which the nested expression is parsed and compiled without a type error. */
function deepest(nest: Nest): number {
  for (let levels = mostLevels; levels > 0; levels--) {
    try {
      unitsOf(nested(nest, levels));
      return levels;
    } catch {
      continue;
    }
  }
  return 0;
}

describe('compiling', () => {
  it.each(Object.entries(nests))('takes each expression once, however deep it stands: %s', (_, nest) => {
    const levels = deepest(nest);
    expect(levels).toBeGreaterThanOrEqual(2);
    const [half, whole] = [unitsOf(nested(nest, levels >> 1)), unitsOf(nested(nest, levels))];
    // Twice the depth may take twice the units, and four times the units where each level copies the variables around it.
    expect(whole).toBeLessThan(5 * half + 200);
    expect(whole).toBeLessThan(60_000);
  });

  const long = (first: string, part: (i: number) => string, last: string): string => {
    let text = first;
    for (let i = 0; text.length < 9_900 - last.length; i++) text += part(i);
    return text + last;
  };
  const schema = { labels: [], edges: [] };

  it.each([
    ['a pattern of thousands of relationships', long('MATCH ()', () => '--()', ' RETURN 1 AS r')],
    ['a thousand patterns', long('MATCH (n)', i => `,(n${i}:A)`, ' RETURN 1 AS r')],
    ['a thousand conditions', long('MATCH (n) WHERE true', i => ` AND n.x < ${i}`, ' RETURN 1 AS r')],
  ])('takes each part of a long query once: %s', (_, text) => {
    expect(() => prepareCypher(text, schema, '{}')).not.toThrow();
  });

  it('is refused when it takes too long', () => {
    const text = long('', i => (i < 300 ? `UNWIND [1] AS x${i} ` : 'WITH * '), ' RETURN 1 AS r');
    expect(() => prepareCypher(text, schema, '{}')).toThrow(expect.objectContaining({ status: 422, code: 'query_too_much_work' }));
    expect(() => prepareCypher(text, schema, '{}')).toThrow('nested to be compiled');
  });
});
