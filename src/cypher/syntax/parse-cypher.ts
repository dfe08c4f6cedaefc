import {
  type CypherQuery,
  type EdgePattern,
  type MatchClause,
  type NodePattern,
  type OrderItem,
  type PathPattern,
  type ReturnClause,
  type ReturnItem,
} from './cypher-ast.js';
import { parseExpression, parseLabels, parseMapEntries, takeName, takeVariable } from './parse-expression.js';
import { expected, unbuilt } from './phrases.js';
import { unbuiltReads, writingClauses } from './refused.js';
import { TokenStream } from './token-stream.js';

/** The longest path of one pattern, in relationships. */
export const maxHops = 3;

const tooLongPath = { zh: `超过 ${maxHops} 个关系的路径`, en: `a path of more than ${maxHops} relationships` };

/**
 * Parses one openCypher query: `MATCH … [WHERE …]` any number of times, then `RETURN …`.
 * @throws CypherSyntaxError with the place and what was expected; CypherReadOnlyError for clauses that write or call;
 * CypherNotSupportedError for reads that are not built
 */
export function parseCypher(text: string): CypherQuery {
  const tokens = new TokenStream(text);
  const matches: MatchClause[] = [];
  for (;;) {
    refuseUnbuilt(tokens);
    if (!tokens.isKeyword('MATCH')) break;
    matches.push(parseMatch(tokens));
  }
  const returns = parseReturn(tokens);
  tokens.takeSymbol(';');
  refuseUnbuilt(tokens);
  if (tokens.current.kind !== 'end') throw tokens.unexpected(expected.endOfQuery);
  return { text, matches, returns };
}

function refuseUnbuilt(tokens: TokenStream): void {
  const write = Object.keys(writingClauses).find(word => tokens.isKeyword(word));
  if (write !== undefined) throw tokens.readOnly(write === 'DETACH' ? 'DETACH DELETE' : write);
  const read = Object.keys(unbuiltReads).find(word => tokens.isKeyword(word));
  if (read !== undefined) throw tokens.notSupported(read === 'OPTIONAL' ? 'OPTIONAL MATCH' : read);
}

function parseMatch(tokens: TokenStream): MatchClause {
  const { position } = tokens.next();
  const patterns: PathPattern[] = [];
  do patterns.push(parsePath(tokens));
  while (tokens.takeSymbol(','));
  const where = tokens.takeKeywords('WHERE') ? parseExpression(tokens) : null;
  return { patterns, where, position };
}

function parsePath(tokens: TokenStream): PathPattern {
  const { position, kind, text } = tokens.current;
  if ((kind === 'name' || kind === 'quoted') && tokens.isSymbol('=', 1)) throw tokens.notSupported(unbuilt.namedPath);
  if (kind === 'name' && tokens.isSymbol('(', 1)) throw tokens.notSupported(text);
  const nodes = [parseNode(tokens)];
  const edges: EdgePattern[] = [];
  while (tokens.isSymbol('-') || tokens.isSymbol('<')) {
    const start = tokens.current.position;
    edges.push(parseEdge(tokens));
    if (edges.length > maxHops) {
      throw tokens.notSupported(tooLongPath, start, {
        zh: `（每条路径最多 ${maxHops} 跳）`,
        en: ` (at most ${maxHops} hops in one path)`,
      });
    }
    nodes.push(parseNode(tokens));
  }
  return { nodes, edges, position };
}

function parseNode(tokens: TokenStream): NodePattern {
  const { position } = tokens.expectSymbol('(');
  const variable = takeVariable(tokens);
  const labels = parseLabels(tokens);
  if (tokens.current.kind === 'parameter') throw tokens.notSupported(unbuilt.parameterAsProperties);
  const properties = tokens.isSymbol('{') ? parseMapEntries(tokens) : [];
  tokens.expectSymbol(')');
  return { variable, labels, properties, position };
}

function parseEdge(tokens: TokenStream): EdgePattern {
  const { position } = tokens.current;
  const pointsLeft = tokens.takeSymbol('<');
  tokens.expectSymbol('-');
  const edge: EdgePattern = { variable: null, types: [], direction: 'both', properties: [], position };
  if (tokens.takeSymbol('[')) {
    edge.variable = takeVariable(tokens);
    if (tokens.isSymbol(':')) edge.types = parseTypes(tokens);
    if (tokens.isSymbol('*')) throw tokens.notSupported(unbuilt.variableLength);
    if (tokens.current.kind === 'parameter') throw tokens.notSupported(unbuilt.parameterAsProperties);
    if (tokens.isSymbol('{')) edge.properties = parseMapEntries(tokens);
    tokens.expectSymbol(']');
  }
  tokens.expectSymbol('-');
  const pointsRight = tokens.takeSymbol('>');
  if (pointsLeft !== pointsRight) edge.direction = pointsLeft ? 'in' : 'out';
  return edge;
}

function parseTypes(tokens: TokenStream): EdgePattern['types'] {
  tokens.expectSymbol(':');
  const types = [takeName(tokens, expected.relationshipType)];
  while (tokens.takeSymbol('|')) {
    tokens.takeSymbol(':');
    types.push(takeName(tokens, expected.relationshipType));
  }
  return types;
}

function parseReturn(tokens: TokenStream): ReturnClause {
  const { position } = tokens.current;
  if (!tokens.takeKeywords('RETURN')) throw tokens.unexpected(expected.clause);
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
  if (!tokens.takeKeywords('AS')) return { name: expression.kind === 'variable' ? expression.name : written, aliased: false, expression };
  return { name: tokens.expectName(expected.columnName).value, aliased: true, expression };
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
