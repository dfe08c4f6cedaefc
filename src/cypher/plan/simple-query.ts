import { CypherNotSupportedError } from '../syntax/cypher.errors.js';
import { parseCypher } from '../syntax/parse-cypher.js';
import { type CypherQuery, type MatchClause, type ReturnClause } from '../syntax/cypher-ast.js';

/** The longest path that SQL runs, in relationships. */
const mostHops = 3;

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
