import {
  type Clause,
  type CypherQuery,
  type Expression,
  type MatchClause,
  type OrderItem,
  type Projection,
  type ReturnItem,
  type UnionQuery,
} from './cypher-ast.js';
import { isShortestPath, parseExpression, takeVariable } from './parse-expression.js';
import { parseChain, parsePath, parsePatterns, parseShortestPath } from './parse-pattern.js';
import { expected } from './phrases.js';
import { instead } from './old-forms.js';
import { unbuiltReads, writingClauses } from './refused.js';
import { TokenStream } from './token-stream.js';

/**
 * Parses one openCypher query that only reads: MATCH, OPTIONAL MATCH, UNWIND and WITH in any order, then RETURN; or several such queries
 * joined by UNION.
 * @throws CypherSyntaxError with the place and what was expected; CypherReadOnlyError for clauses that write or call;
 * CypherNotSupportedError for reading clauses that are not supported
 */
export function parseCypher(text: string): CypherQuery {
  const tokens = tokensOf(text);
  const query = parseUnion(tokens);
  tokens.takeSymbol(';');
  refuseUnbuilt(tokens);
  if (tokens.current.kind !== 'end') throw tokens.unexpected(expected.endOfQuery);
  return { text, ...query };
}

export function tokensOf(text: string): TokenStream {
  return new TokenStream(text, { path: parsePath, chain: parseChain, shortestPath: parseShortestPath, subquery: parseSubquery });
}

function parseUnion(tokens: TokenStream): UnionQuery {
  const queries = [parseClauses(tokens)];
  let distinct: boolean | null = null;
  for (;;) {
    const { position } = tokens.current;
    if (!tokens.takeKeywords('UNION')) return { queries, distinct: distinct ?? true };
    const all = tokens.takeKeywords('ALL');
    if (distinct === all)
      throw tokens.refuse(
        { zh: 'UNION 与 UNION ALL 不能混用', en: 'UNION and UNION ALL cannot be mixed' },
        position,
        {},
        'InvalidClauseComposition',
      );
    distinct = !all;
    queries.push(parseClauses(tokens));
  }
}

/** Parses clauses up to RETURN inclusive. A query in braces may lack RETURN; it ends before `}`. */
function parseClauses(tokens: TokenStream): Clause[] {
  return tokens.chained<Clause[]>(
    () => [parseReadingClause(tokens)],
    clauses => (clauses.at(-1)!.kind === 'return' || tokens.isSymbol('}') ? null : [...clauses, parseReadingClause(tokens)]),
    Infinity,
  );
}

/** Parses `{ … }` of EXISTS, COUNT and COLLECT. In the braces is a query, or patterns with an optional WHERE. */
export function parseSubquery(tokens: TokenStream): UnionQuery {
  tokens.expectSymbol('{');
  const query = parseInner(tokens);
  tokens.expectSymbol('}');
  return query;
}

function parseInner(tokens: TokenStream): UnionQuery {
  if (tokens.current.kind === 'symbol' || tokens.isSymbol('=', 1) || isShortestPath(tokens)) {
    const { position } = tokens.current;
    return { queries: [[parsePatternsAndWhere(tokens, false, position)]], distinct: true };
  }
  return parseUnion(tokens);
}

/** Parses one clause. @throws CypherReadOnlyError, CypherNotSupportedError */
export function parseReadingClause(tokens: TokenStream): Clause {
  refuseUnbuilt(tokens);
  const { position } = tokens.current;
  if (tokens.takeKeywords('MATCH')) return parsePatternsAndWhere(tokens, false, position);
  if (tokens.takeKeywords('OPTIONAL', 'MATCH')) return parsePatternsAndWhere(tokens, true, position);
  if (tokens.takeKeywords('UNWIND')) return parseUnwind(tokens, position);
  if (tokens.takeKeywords('WITH')) {
    const projection = parseProjection(tokens, position);
    return { kind: 'with', ...projection, where: parseWhere(tokens) };
  }
  if (tokens.takeKeywords('RETURN')) return { kind: 'return', ...parseProjection(tokens, position) };
  throw tokens.unexpected(expected.clause);
}

function refuseUnbuilt(tokens: TokenStream): void {
  const write = Object.keys(writingClauses).find(word => tokens.isKeyword(word));
  if (write !== undefined) throw tokens.readOnly(write === 'DETACH' ? 'DETACH DELETE' : write);
  const read = Object.keys(unbuiltReads).find(word => tokens.isKeyword(word));
  if (read !== undefined) throw tokens.notSupported(read, undefined, instead(read));
}

function parsePatternsAndWhere(tokens: TokenStream, optional: boolean, position: number): MatchClause {
  const patterns = parsePatterns(tokens);
  return { kind: 'match', optional, patterns, where: parseWhere(tokens), position };
}

function parseWhere(tokens: TokenStream): Expression | null {
  return tokens.takeKeywords('WHERE') ? parseExpression(tokens) : null;
}

function parseUnwind(tokens: TokenStream, position: number): Clause {
  const list = parseExpression(tokens);
  if (!tokens.takeKeywords('AS')) throw tokens.unexpected('AS');
  const variable = takeVariable(tokens);
  if (variable === null) throw tokens.unexpected(expected.variable);
  return { kind: 'unwind', list, variable, position };
}

function parseProjection(tokens: TokenStream, position: number): Projection {
  const distinct = tokens.takeKeywords('DISTINCT');
  const star = tokens.takeSymbol('*');
  const items: ReturnItem[] = [];
  if (!star || tokens.takeSymbol(',')) {
    do items.push(parseItem(tokens));
    while (tokens.takeSymbol(','));
  }
  const orderBy = tokens.takeKeywords('ORDER', 'BY') ? parseOrder(tokens) : [];
  const skip = tokens.takeKeywords('SKIP') || tokens.takeKeywords('OFFSET') ? parseExpression(tokens) : null;
  const limit = tokens.takeKeywords('LIMIT') ? parseExpression(tokens) : null;
  return { distinct, star, items, orderBy, skip, limit, position };
}

function parseItem(tokens: TokenStream): ReturnItem {
  const { position } = tokens.current;
  const expression = parseExpression(tokens);
  const written = tokens.textSince(position);
  if (tokens.takeKeywords('AS')) return { name: tokens.expectName(expected.columnName).value, aliased: true, expression };
  if (expression.kind === 'variable') return { name: expression.name, aliased: false, expression };
  return { name: written, aliased: false, expression };
}

function parseOrder(tokens: TokenStream): OrderItem[] {
  const items: OrderItem[] = [];
  do {
    const expression = parseExpression(tokens);
    const descending = tokens.takeKeywords('DESC') || tokens.takeKeywords('DESCENDING');
    if (!descending && !tokens.takeKeywords('ASC')) tokens.takeKeywords('ASCENDING');
    items.push({ expression, descending });
  } while (tokens.takeSymbol(','));
  return items;
}
