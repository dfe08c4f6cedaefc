import { CypherNotSupportedError } from '../syntax/cypher.errors.js';
import { parseCypher } from '../syntax/parse-cypher.js';
import { type CypherQuery, type Expression, expressionsOf, type MatchClause, type ReturnClause, walk } from '../syntax/cypher-ast.js';

/** The longest path that SQL runs, in relationships. */
const mostHops = 3;

const inMemoryOnly: ReadonlySet<Expression['kind']> = new Set([
  'listComprehension',
  'patternComprehension',
  'quantifier',
  'reduce',
  'pattern',
  'subquery',
]);

/** A query of the form that SQL can run: `MATCH … [WHERE …]` any number of times, then `RETURN …`. */
export interface SimpleQuery {
  text: string;
  matches: MatchClause[];
  returns: ReturnClause;
}

/** Parses a query of this form. @throws CypherNotSupportedError for any other query that reads */
export function parseSimpleQuery(text: string): SimpleQuery {
  const query = toSimpleQuery(parseCypher(text));
  if (query === null) throw new CypherNotSupportedError('a query of this form in SQL', null);
  return query;
}

/** The query as clauses that SQL can run. Null for any other query. Its expressions may still be too rich. */
export function toSimpleQuery({ text, queries }: CypherQuery): SimpleQuery | null {
  const [clauses = []] = queries;
  const returns = clauses.at(-1);
  const matches = clauses.filter(clause => clause.kind === 'match');
  if (queries.length > 1 || returns?.kind !== 'return' || matches.length !== clauses.length - 1) return null;
  const expressions = [...matches.flatMap(expressionsOfMatch), ...expressionsOfReturn(returns)];
  return matches.every(isSimple) && expressions.every(isPlain) ? { text, matches, returns } : null;
}

function expressionsOfMatch({ patterns, where }: MatchClause): Expression[] {
  return [...patterns.flatMap(expressionsOf), ...(where ? [where] : [])];
}

function expressionsOfReturn({ items, orderBy, skip, limit }: ReturnClause): Expression[] {
  return [...[...items, ...orderBy].map(({ expression }) => expression), skip, limit].filter(expression => expression !== null);
}

/** Expressions with variables of their own do not run in SQL. */
function isPlain(expression: Expression): boolean {
  let plain = true;
  walk(expression, inner => {
    if (inMemoryOnly.has(inner.kind)) plain = false;
  });
  return plain;
}

function isSimple({ optional, patterns }: MatchClause): boolean {
  return (
    !optional &&
    patterns.every(
      ({ variable, shortest, edges }) =>
        variable === null && shortest === null && edges.length <= mostHops && edges.every(({ length }) => length === null),
    )
  );
}
