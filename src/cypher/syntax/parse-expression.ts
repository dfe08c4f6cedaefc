import { type Bilingual } from '../../text/bilingual.js';
import {
  sizeOf,
  type ArithmeticOperator,
  type BinaryOperator,
  type ComparisonOperator,
  type Expression,
  type MapEntry,
  type Name,
  type Quantifier,
} from './cypher-ast.js';
import { expected, unbuilt } from './phrases.js';
import { instead } from './old-forms.js';
import { type TokenStream } from './token-stream.js';

const comparisonOperators: ReadonlySet<string> = new Set(['=', '<>', '<', '<=', '>', '>=']);
const quantifiers: ReadonlySet<string> = new Set<Quantifier>(['all', 'any', 'none', 'single']);

/**
 * Maximum expressions in a middle operand of a chain of comparisons. The `b` of `a < b < c` is computed twice, so the work of chains
 * nested in chains would double at each level.
 */
const maxChainedSize = 20;

/** Words that end an expression or start a construct. In backticks they are ordinary variables. */
const reservedWords: ReadonlySet<string> = new Set(
  (
    'ALL AND AS ASC ASCENDING BY CASE CONTAINS CREATE DELETE DESC DESCENDING DETACH DISTINCT ELSE END ENDS EXISTS FALSE IN IS LIMIT ' +
    'MATCH MERGE NOT NULL OPTIONAL OR ORDER REMOVE RETURN SET SKIP STARTS THEN TRUE UNION UNWIND WHEN WHERE WITH XOR'
  ).split(' '),
);

/**
 * Parses openCypher 9 expressions by recursive descent, the loosest operator first: OR, XOR, AND, NOT, comparison (chained),
 * string/list/null predicates, + -, * / %, ^, sign, then property access, index and label test.
 */
export function parseExpression(tokens: TokenStream): Expression {
  return tokens.nested(() => parseOr(tokens));
}

function parseOr(tokens: TokenStream): Expression {
  return parseLogical(tokens, 'OR', () =>
    leftAssociative(
      tokens,
      () => takeWord(tokens, 'XOR'),
      () => parseLogical(tokens, 'AND', () => parseNot(tokens)),
    ),
  );
}

function parseLogical(tokens: TokenStream, operator: 'AND' | 'OR', operand: () => Expression): Expression {
  const first = operand();
  const operands = [first];
  while (tokens.takeKeywords(operator)) operands.push(operand());
  return operands.length === 1 ? first : { kind: 'logical', operator, operands, position: first.position };
}

function parseNot(tokens: TokenStream): Expression {
  const { position } = tokens.current;
  if (!tokens.takeKeywords('NOT')) return parseComparison(tokens);
  return { kind: 'unary', operator: 'NOT', operand: tokens.nested(() => parseNot(tokens)), position };
}

function parseComparison(tokens: TokenStream): Expression {
  const comparisons: Expression[] = [];
  let left = parsePredicate(tokens);
  const first = left;
  for (;;) {
    const { text, position, kind } = tokens.current;
    if (kind === 'symbol' && text === '=~')
      throw tokens.notSupported('=~', position, {
        zh: '（请用 CONTAINS、STARTS WITH 或 ENDS WITH）',
        en: ' (use CONTAINS, STARTS WITH or ENDS WITH)',
      });
    if (kind !== 'symbol' || !comparisonOperators.has(text)) break;
    tokens.next();
    if (comparisons.length > 0 && sizeOf(left) > maxChainedSize) throw tokens.notSupported(unbuilt.longChain, left.position);
    const right = parsePredicate(tokens);
    comparisons.push({ kind: 'binary', operator: text as ComparisonOperator, left, right, position });
    left = right;
  }
  // a < b <= c means a < b AND b <= c.
  if (comparisons.length <= 1) return comparisons[0] ?? first;
  return { kind: 'logical', operator: 'AND', operands: comparisons, position: first.position };
}

function parsePredicate(tokens: TokenStream): Expression {
  return tokens.chained<Expression>(
    () => parseSum(tokens),
    left => {
      const { position } = tokens.current;
      const operator = takePredicateOperator(tokens);
      if (operator !== null) return { kind: 'binary', operator, left, right: parseSum(tokens), position };
      if (tokens.takeKeywords('IS', 'NULL')) return { kind: 'isNull', negated: false, operand: left, position };
      if (tokens.takeKeywords('IS', 'NOT', 'NULL')) return { kind: 'isNull', negated: true, operand: left, position };
      return null;
    },
  );
}

function takePredicateOperator(tokens: TokenStream): BinaryOperator | null {
  if (tokens.takeKeywords('STARTS', 'WITH')) return 'STARTS WITH';
  if (tokens.takeKeywords('ENDS', 'WITH')) return 'ENDS WITH';
  if (tokens.takeKeywords('CONTAINS')) return 'CONTAINS';
  return tokens.takeKeywords('IN') ? 'IN' : null;
}

function parseSum(tokens: TokenStream): Expression {
  return leftAssociative(
    tokens,
    () => takeSign(tokens, '+', '-'),
    () =>
      leftAssociative(
        tokens,
        () => takeSign(tokens, '*', '/', '%'),
        () =>
          leftAssociative(
            tokens,
            () => takeSign(tokens, '^'),
            () => parseSigned(tokens),
          ),
      ),
  );
}

function takeSign(tokens: TokenStream, ...signs: ArithmeticOperator[]): ArithmeticOperator | null {
  return signs.find(sign => tokens.takeSymbol(sign)) ?? null;
}

function takeWord(tokens: TokenStream, word: 'XOR'): BinaryOperator | null {
  return tokens.takeKeywords(word) ? word : null;
}

function leftAssociative(tokens: TokenStream, takeOperator: () => BinaryOperator | null, operand: () => Expression): Expression {
  return tokens.chained(operand, left => {
    const { position } = tokens.current;
    const operator = takeOperator();
    return operator === null ? null : { kind: 'binary', operator, left, right: operand(), position };
  });
}

function parseSigned(tokens: TokenStream): Expression {
  const { position } = tokens.current;
  const sign = tokens.takeSymbol('-') ? '-' : tokens.takeSymbol('+') ? '+' : null;
  if (sign === null) return parsePostfix(tokens);
  const { kind, value } = tokens.current;
  if (sign === '-' && (kind === 'integer' || kind === 'float') && !/^-/.test(value)) {
    tokens.next();
    return parsePostfixOf(tokens, () => ({ kind: 'number', text: `-${value}`, integer: kind === 'integer', position }));
  }
  return { kind: 'unary', operator: sign, operand: tokens.nested(() => parseSigned(tokens)), position };
}

function parsePostfix(tokens: TokenStream): Expression {
  return parsePostfixOf(tokens, () => parseAtom(tokens));
}

function parsePostfixOf(tokens: TokenStream, atom: () => Expression): Expression {
  return tokens.chained(atom, object => {
    const { position } = tokens.current;
    if (tokens.takeSymbol('.'))
      return { kind: 'property', object, name: tokens.expectName(expected.propertyName).value, position: object.position };
    if (tokens.takeSymbol('[')) return parseBracket(tokens, object);
    if (tokens.isSymbol(':')) return { kind: 'hasLabels', object, labels: parseLabels(tokens), position };
    if (tokens.isSymbol('{') && object.kind === 'variable') throw tokens.notSupported(unbuilt.mapProjection, position);
    return null;
  });
}

function parseBracket(tokens: TokenStream, object: Expression): Expression {
  const from = tokens.isSymbol('..') ? null : parseExpression(tokens);
  if (!tokens.takeSymbol('..')) {
    tokens.expectSymbol(']');
    if (from === null) throw tokens.unexpected(expected.index);
    return { kind: 'index', object, index: from, position: object.position };
  }
  const to = tokens.isSymbol(']') ? null : parseExpression(tokens);
  tokens.expectSymbol(']');
  return { kind: 'slice', object, from, to, position: object.position };
}

/** Reads `:A|B:C` as [[A, B], [C]]. A node needs at least one label of every group. */
export function parseLabels(tokens: TokenStream): Name[][] {
  const groups: Name[][] = [];
  while (tokens.takeSymbol(':')) groups.push(...parseAlternatives(tokens));
  return groups;
}

/** Maximum groups that one label expression becomes. `A&B|C&D` becomes four groups, and each further `|E&F` doubles their number. */
const mostLabelGroups = 64;

/** Reads `A|B&C` as [[A, B], [A, C]], since `&` binds tighter than `|`. */
function parseAlternatives(tokens: TokenStream): Name[][] {
  const alternatives: Name[][] = [];
  do {
    tokens.takeSymbol(':');
    alternatives.push(parseTogether(tokens));
  } while (tokens.takeAlternative());
  let groups = [alternatives.filter(({ length }) => length === 1).flat()];
  for (const together of alternatives.filter(({ length }) => length > 1)) {
    if (groups.length * together.length > mostLabelGroups) throw tokens.tooDeep();
    groups = groups.flatMap(group => together.map(name => [...group, name]));
  }
  return groups;
}

function parseTogether(tokens: TokenStream): Name[] {
  const names: Name[] = [];
  do {
    if (tokens.isSymbol('!') || tokens.isSymbol('%') || tokens.isSymbol('(')) throw tokens.notSupported(unbuilt.labelExpression);
    names.push(takeName(tokens, expected.label));
  } while (tokens.takeSymbol('&'));
  return names;
}

export function takeName(tokens: TokenStream, what: Bilingual): Name {
  const token = tokens.expectName(what);
  return { name: token.value, position: token.position };
}

/**
 * Takes a variable; null if there is none.
 * @throws CypherSyntaxError for a reserved word, so that `UNWIND list AS RETURN n` fails at RETURN instead of declaring a variable `RETURN`
 */
export function takeVariable(tokens: TokenStream): string | null {
  const { kind, text, value } = tokens.current;
  if (kind === 'quoted' && value !== '') return tokens.next().value;
  if (kind !== 'name') return null;
  if (reservedWords.has(text.toUpperCase())) throw tokens.unexpected(expected.variable);
  return tokens.next().value;
}

export function isShortestPath(tokens: TokenStream): boolean {
  return (tokens.isKeyword('SHORTESTPATH') || tokens.isKeyword('ALLSHORTESTPATHS')) && tokens.isSymbol('(', 1);
}

function parseAtom(tokens: TokenStream): Expression {
  const { kind, value, position, text } = tokens.current;
  switch (kind) {
    case 'string':
      tokens.next();
      return { kind: 'literal', value, position };
    case 'integer':
    case 'float':
      // 2^63 is beyond 64-bit integers, but -2^63 is not. parseSigned reads a number together with its minus sign, so only 2^63 comes here.
      if (value === '9223372036854775808')
        throw tokens.refuse(
          { zh: `整数超出 64 位范围：${text}`, en: `The integer leaves the 64-bit range: ${text}` },
          position,
          {
            found: text,
          },
          'IntegerOverflow',
        );
      tokens.next();
      return { kind: 'number', text: value, integer: kind === 'integer', position };
    case 'parameter':
      tokens.next();
      return { kind: 'parameter', name: value, position };
    case 'quoted':
    case 'name':
      return parseNamed(tokens);
    case 'symbol':
      return parseBracketed(tokens);
    case 'end':
      throw tokens.unexpected(expected.expression);
    default:
      return kind satisfies never;
  }
}

function parseNamed(tokens: TokenStream): Expression {
  const { kind, text, position } = tokens.current;
  const word = kind === 'name' ? text.toUpperCase() : '';
  if (isShortestPath(tokens)) return { kind: 'pattern', pattern: tokens.rules.shortestPath(tokens), position };
  // `CASE (x) WHEN …` looks like a call of a function `CASE`, so CASE is checked before calls.
  if (word === 'CASE') return tokens.nested(() => parseCase(tokens));
  if (tokens.isSymbol('(', 1) || (word !== '' && tokens.isSymbol('.', 1) && isNamespacedCall(tokens))) return parseCall(tokens);
  if (word === 'TRUE' || word === 'FALSE' || word === 'NULL') {
    tokens.next();
    return { kind: 'literal', value: word === 'NULL' ? null : word === 'TRUE', position };
  }
  if ((word === 'EXISTS' || word === 'COUNT' || word === 'COLLECT') && tokens.isSymbol('{', 1)) {
    tokens.next();
    return { kind: 'subquery', form: word, query: tokens.nested(() => tokens.rules.subquery(tokens)), position };
  }
  const name = takeVariable(tokens);
  if (name === null) throw tokens.unexpected(expected.expression);
  return { kind: 'variable', name, position };
}

/**
 * Whether a namespaced call such as `apoc.text.join(` begins here: names joined by dots, then an opening parenthesis. A property access is
 * never followed by an opening parenthesis.
 */
function isNamespacedCall(tokens: TokenStream): boolean {
  let ahead = 1;
  while (tokens.isSymbol('.', ahead) && (tokens.peek(ahead + 1).kind === 'name' || tokens.peek(ahead + 1).kind === 'quoted')) ahead += 2;
  return tokens.isSymbol('(', ahead);
}

function parseCall(tokens: TokenStream): Expression {
  const start = tokens.next();
  let name = start.value;
  while (tokens.takeSymbol('.')) name += `.${tokens.next().value}`;
  const lower = name.toLowerCase();
  tokens.expectSymbol('(');
  if (quantifiers.has(lower)) return parseQuantifier(tokens, lower as Quantifier, start.position);
  if (lower === 'reduce') return parseReduce(tokens, start.position);
  if ((lower === 'filter' || lower === 'extract') && isIteration(tokens))
    throw tokens.notSupported(`${lower}(… IN …)`, start.position, instead(`${lower}()`));
  if (lower === 'count' && tokens.takeSymbol('*')) {
    tokens.expectSymbol(')');
    return { kind: 'countAll', position: start.position };
  }
  const distinct = tokens.takeKeywords('DISTINCT');
  const args: Expression[] = [];
  if (!tokens.isSymbol(')')) {
    do args.push(parseExpression(tokens));
    while (tokens.takeSymbol(','));
  }
  tokens.expectSymbol(')');
  return { kind: 'call', name, distinct, args, position: start.position };
}

/** Parses `variable IN list [WHERE condition])`. */
function parseQuantifier(tokens: TokenStream, quantifier: Quantifier, position: number): Expression {
  const { variable, list } = parseIteration(tokens);
  const where = tokens.takeKeywords('WHERE') ? parseExpression(tokens) : null;
  tokens.expectSymbol(')');
  return { kind: 'quantifier', quantifier, variable, list, where, position };
}

/** Parses `accumulator = initial, variable IN list | step)`. */
function parseReduce(tokens: TokenStream, position: number): Expression {
  const accumulator = expectVariable(tokens);
  tokens.expectSymbol('=');
  const initial = parseExpression(tokens);
  tokens.expectSymbol(',');
  const { variable, list } = parseIteration(tokens);
  tokens.expectSymbol('|');
  const step = parseExpression(tokens);
  tokens.expectSymbol(')');
  return { kind: 'reduce', accumulator, initial, variable, list, step, position };
}

function parseIteration(tokens: TokenStream): { variable: string; list: Expression } {
  const variable = expectVariable(tokens);
  if (!tokens.takeKeywords('IN')) throw tokens.unexpected('IN');
  return { variable, list: parseExpression(tokens) };
}

function expectVariable(tokens: TokenStream): string {
  const variable = takeVariable(tokens);
  if (variable === null) throw tokens.unexpected(expected.variable);
  return variable;
}

function isIteration(tokens: TokenStream): boolean {
  return (tokens.current.kind === 'name' || tokens.current.kind === 'quoted') && tokens.isKeyword('IN', 1);
}

function parseCase(tokens: TokenStream): Expression {
  const { position } = tokens.next();
  const subject = tokens.isKeyword('WHEN') ? null : parseExpression(tokens);
  const branches: { when: Expression; then: Expression }[] = [];
  while (tokens.takeKeywords('WHEN')) {
    const when = parseExpression(tokens);
    if (!tokens.takeKeywords('THEN')) throw tokens.unexpected('THEN');
    branches.push({ when, then: parseExpression(tokens) });
  }
  if (branches.length === 0) throw tokens.unexpected('WHEN');
  const otherwise = tokens.takeKeywords('ELSE') ? parseExpression(tokens) : null;
  if (!tokens.takeKeywords('END')) throw tokens.unexpected('END');
  return { kind: 'case', subject, branches, otherwise, position };
}

function parseBracketed(tokens: TokenStream): Expression {
  const { position } = tokens.current;
  if (tokens.isSymbol('(')) {
    return tokens.either<Expression>(
      () => {
        const pattern = tokens.rules.chain(tokens);
        return pattern.edges.length === 0 ? null : { kind: 'pattern', pattern, position };
      },
      () => {
        tokens.expectSymbol('(');
        const inner = parseExpression(tokens);
        tokens.expectSymbol(')');
        return inner;
      },
    );
  }
  if (tokens.isSymbol('{')) {
    const entries = parseMapEntries(tokens);
    return { kind: 'map', entries, position };
  }
  if (!tokens.takeSymbol('[')) throw tokens.unexpected(expected.expression);
  if (isIteration(tokens)) return parseListComprehension(tokens, position);
  return tokens.either<Expression>(
    () => parsePatternComprehension(tokens, position),
    () => parseList(tokens, position),
  );
}

/**
 * Parses `variable IN list [WHERE condition] [| projection]]`. `[x IN list]` alone is a comprehension as well, in every dialect, and never
 * a list of one boolean.
 */
function parseListComprehension(tokens: TokenStream, position: number): Expression {
  const { variable, list } = parseIteration(tokens);
  const where = tokens.takeKeywords('WHERE') ? tokens.beforeProjection(() => parseExpression(tokens)) : null;
  const projection = tokens.takeSymbol('|') ? parseExpression(tokens) : null;
  tokens.expectSymbol(']');
  return { kind: 'listComprehension', variable, list, where, projection, position };
}

/** Parses `[path =] pattern [WHERE condition] | projection]`. Returns null for any other text. */
function parsePatternComprehension(tokens: TokenStream, position: number): Expression | null {
  if (!tokens.isSymbol('(') && !tokens.isSymbol('=', 1)) return null;
  const pattern = tokens.rules.path(tokens);
  if (pattern.edges.length === 0) return null;
  const where = tokens.takeKeywords('WHERE') ? tokens.beforeProjection(() => parseExpression(tokens)) : null;
  if (!tokens.takeSymbol('|')) return null;
  const projection = parseExpression(tokens);
  tokens.expectSymbol(']');
  return { kind: 'patternComprehension', pattern, where, projection, position };
}

function parseList(tokens: TokenStream, position: number): Expression {
  const items: Expression[] = [];
  if (!tokens.isSymbol(']')) {
    do items.push(parseExpression(tokens));
    while (tokens.takeSymbol(','));
  }
  tokens.expectSymbol(']');
  return { kind: 'list', items, position };
}

/** @param old the key of `oldForms` for an old parameter at this place, such as `{id}`; the error then names the form to write instead */
export function parseMapEntries(tokens: TokenStream, old: '{id}' | '(n {props})' = '{id}'): MapEntry[] {
  tokens.expectSymbol('{');
  const entries: MapEntry[] = [];
  if (!tokens.isSymbol('}')) {
    do {
      if (entries.length === 0 && tokens.isSymbol('}', 1)) throw tokens.unexpected(expected.map, undefined, old);
      const { name, position } = takeName(tokens, expected.propertyName);
      tokens.expectSymbol(':');
      entries.push({ name, value: parseExpression(tokens), position });
    } while (tokens.takeSymbol(','));
  }
  tokens.expectSymbol('}');
  return entries;
}
