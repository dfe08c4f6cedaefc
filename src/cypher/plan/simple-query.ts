import { type CypherQuery, type MatchClause, type ReturnClause } from '../syntax/cypher-ast.js';

/** Maximum relationships in one path that SQL runs. */
const mostHops = 3;

/** A query of the form that SQL can run: one or more `MATCH … [WHERE …]`, then `RETURN …`. */
export interface SimpleQuery {
  text: string;
  matches: MatchClause[];
  returns: ReturnClause;
}

/**
 * The query as clauses that SQL can run. Null for a query of any other form, and for a query without MATCH. SQL may still be unable to
 * evaluate the expressions of the query.
 */
export function toSimpleQuery({ text, queries }: CypherQuery): SimpleQuery | null {
  const [clauses = []] = queries;
  const returns = clauses.at(-1);
  const matches = clauses.filter(clause => clause.kind === 'match');
  if (queries.length > 1 || returns?.kind !== 'return' || matches.length !== clauses.length - 1 || matches.length === 0) return null;
  return matches.every(isSimple) ? { text, matches, returns } : null;
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
