import { freeVariables } from './free-variables.js';
import { parseExpression } from './parse-expression.js';
import { tokensOf } from './parse-cypher.js';

/** The names of the free variables of an expression. Outside the expression, only n and m are visible. */
function freeIn(text: string): string {
  return freeVariables(parseExpression(tokensOf(text)), ['n', 'm'])
    .map(({ name }) => name)
    .join(' ');
}

describe('freeVariables', () => {
  it.each([
    ['n.x + q', 'n q'],
    ['[n IN m | n.x]', 'm'],
    ['[x IN n WHERE x > m | x + n]', 'n m n'],
    ['any(n IN m WHERE n)', 'm'],
    ['reduce(n = m, x IN n | n + x)', 'm n'],
    ['(n)-->(:A)', 'n'],
    ['[(n)-->(x {y: m.z}) | x]', 'n m'],
    ['[(x)-->(y) WHERE x.z | y.z]', ''],
    ['COUNT { (n)-->(x) WHERE x.y = m.y }', 'n m'],
    ['COUNT { MATCH (x) WITH x AS n MATCH (n)-->(m) RETURN m.x }', ''],
    ['COUNT { UNWIND n AS x WITH *, x AS m RETURN m.x, n }', 'n n'],
    ['EXISTS { WITH 1 AS x RETURN x ORDER BY m }', 'm'],
  ])('finds in %s: %s', (text, expected) => expect(freeIn(text)).toBe(expected));
});
