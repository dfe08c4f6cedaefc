import { type Direction, type EdgePattern, type MapEntry, type Name, type NodePattern, type PathPattern } from './cypher-ast.js';
import { isShortestPath, parseLabels, parseMapEntries, takeName, takeVariable } from './parse-expression.js';
import { expected } from './phrases.js';
import { type TokenStream } from './token-stream.js';

/** Parses `pattern, …` of a MATCH. */
export function parsePatterns(tokens: TokenStream): PathPattern[] {
  const patterns: PathPattern[] = [];
  do patterns.push(parsePath(tokens));
  while (tokens.takeSymbol(','));
  return patterns;
}

/** Parses `[variable =] path`. */
export function parsePath(tokens: TokenStream): PathPattern {
  const { kind } = tokens.current;
  if ((kind !== 'name' && kind !== 'quoted') || !tokens.isSymbol('=', 1)) return parseBarePath(tokens);
  const variable = takeVariable(tokens);
  tokens.expectSymbol('=');
  return { ...parseBarePath(tokens), variable };
}

function parseBarePath(tokens: TokenStream): PathPattern {
  const { kind, text } = tokens.current;
  if (kind !== 'name' || !tokens.isSymbol('(', 1)) return parseChain(tokens);
  if (!isShortestPath(tokens)) throw tokens.notSupported(text);
  return parseShortestPath(tokens);
}

/** Parses `shortestPath((a)-[*]-(b))` or `allShortestPaths(…)`. */
export function parseShortestPath(tokens: TokenStream): PathPattern {
  const shortest = tokens.isKeyword('SHORTESTPATH') ? 'one' : 'all';
  const { position, text } = tokens.next();
  tokens.expectSymbol('(');
  const path = parseChain(tokens);
  tokens.expectSymbol(')');
  if (path.edges.length === 1) return { ...path, shortest, position };
  throw tokens.refuse(
    { zh: `${text}() 须恰好有一个关系`, en: `${text}() takes a pattern of exactly one relationship` },
    position,
    {},
    'InvalidRelationshipPattern',
  );
}

/** Parses nodes with edges between them. */
export function parseChain(tokens: TokenStream): PathPattern {
  const { position } = tokens.current;
  const nodes = [parseNode(tokens)];
  const edges: EdgePattern[] = [];
  while (tokens.isSymbol('-') || tokens.isSymbol('<')) {
    edges.push(parseEdge(tokens));
    nodes.push(parseNode(tokens));
  }
  return { variable: null, shortest: null, nodes, edges, position };
}

function parseNode(tokens: TokenStream): NodePattern {
  if (tokens.current.kind === 'name') throw tokens.unexpected("'('", undefined, 'a-->b');
  const { position } = tokens.expectSymbol('(');
  const variable = takeVariable(tokens);
  const labels = parseLabels(tokens);
  const properties = parseProperties(tokens);
  tokens.expectSymbol(')');
  return { variable, labels, properties, position };
}

function parseEdge(tokens: TokenStream): EdgePattern {
  const { position } = tokens.current;
  const pointsLeft = tokens.takeSymbol('<');
  tokens.expectSymbol('-');
  const edge: EdgePattern = { variable: null, types: [], direction: 'both', length: null, properties: [], position };
  if (tokens.takeSymbol('[')) {
    edge.variable = takeVariable(tokens);
    if (tokens.isSymbol(':')) edge.types = parseTypes(tokens);
    if (tokens.takeSymbol('*')) edge.length = parseLength(tokens);
    else if (tokens.isSymbol('..')) throw tokens.unexpected("'*'", 'InvalidRelationshipPattern');
    edge.properties = parseProperties(tokens);
    tokens.expectSymbol(']');
  }
  tokens.expectSymbol('-');
  edge.direction = directionOf(pointsLeft, tokens.takeSymbol('>'));
  return edge;
}

function directionOf(pointsLeft: boolean, pointsRight: boolean): Direction {
  if (pointsLeft === pointsRight) return 'both';
  return pointsLeft ? 'in' : 'out';
}

function parseTypes(tokens: TokenStream): Name[] {
  tokens.expectSymbol(':');
  const types = [takeName(tokens, expected.relationshipType)];
  while (tokens.takeSymbol('|')) {
    tokens.takeSymbol(':');
    types.push(takeName(tokens, expected.relationshipType));
  }
  return types;
}

/** Parses what follows `*`: nothing, `n`, `n..`, `..m` or `n..m`. */
function parseLength(tokens: TokenStream): { least: number; most: number | null } {
  const least = takeCount(tokens);
  if (!tokens.takeSymbol('..')) return least === null ? { least: 1, most: null } : { least, most: least };
  return { least: least ?? 1, most: takeCount(tokens) };
}

function takeCount(tokens: TokenStream): number | null {
  const { kind, value } = tokens.current;
  if (kind !== 'integer') {
    if (tokens.isSymbol('-') || kind === 'float') throw tokens.unexpected(expected.count, 'InvalidRelationshipPattern');
    return null;
  }
  tokens.next();
  return Math.min(Number(value), Number.MAX_SAFE_INTEGER);
}

function parseProperties(tokens: TokenStream): MapEntry[] {
  if (tokens.current.kind === 'parameter') {
    throw tokens.refuse(
      {
        zh: '参数不能作为模式的属性；请逐个写出属性，如 {name: $name}',
        en: 'A parameter cannot be the properties of a pattern; write them one by one, like {name: $name}',
      },
      tokens.current.position,
      {},
      'InvalidParameterUse',
    );
  }
  return tokens.isSymbol('{') ? parseMapEntries(tokens, '(n {props})') : [];
}
