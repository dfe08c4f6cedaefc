/** The tree of a query. `position` is the offset of the first character in the query text. Trees built in code may use 0. */
export interface CypherQuery extends UnionQuery {
  /** The text that positions point into; '' for a tree built in code. */
  text: string;
}

/** Queries joined by UNION, which all have the same columns. `distinct` is false for UNION ALL. */
export interface UnionQuery {
  queries: Clause[][];
  distinct: boolean;
}

export type Clause = MatchClause | UnwindClause | WithClause | ReturnClause;

/**
 * `[OPTIONAL] MATCH pattern, … [WHERE …]`. The edges that one clause matches are pairwise different; two clauses may match the same edge.
 */
export interface MatchClause {
  kind: 'match';
  optional: boolean;
  patterns: PathPattern[];
  where: Expression | null;
  position: number;
}

/** A clause `UNWIND list AS variable`. */
export interface UnwindClause {
  kind: 'unwind';
  list: Expression;
  variable: string;
  position: number;
}

export interface WithClause extends Projection {
  kind: 'with';
  where: Expression | null;
}

export interface ReturnClause extends Projection {
  kind: 'return';
}

/**
 * A path pattern: `nodes.length === edges.length + 1`, and `edges[i]` lies between `nodes[i]` and `nodes[i + 1]`. `shortest` is set by
 * shortestPath() and allShortestPaths(), which take a single edge.
 */
export interface PathPattern {
  variable: string | null;
  shortest: 'one' | 'all' | null;
  nodes: NodePattern[];
  edges: EdgePattern[];
  position: number;
}

/** `(variable:A|B:C {property: value})`: `labels` is [[A, B], [C]]. A node must have at least one label of every group. */
export interface NodePattern {
  variable: string | null;
  labels: Name[][];
  properties: MapEntry[];
  position: number;
}

/** A pattern `-[variable:A|B {property: value}]->`. `types` is empty for any type; `direction` is seen from the left node. */
export interface EdgePattern {
  variable: string | null;
  types: Name[];
  direction: Direction;
  /**
   * Minimum and maximum number of consecutive edges, from `*least..most`; `most` is null if the pattern sets no maximum. `length` is null
   * for a pattern of exactly one edge.
   */
  length: { least: number; most: number | null } | null;
  properties: MapEntry[];
  position: number;
}

export type Direction = 'out' | 'in' | 'both';

export interface Name {
  name: string;
  position: number;
}

export interface MapEntry {
  name: string;
  value: Expression;
  position: number;
  storedNames?: StoredNames | undefined;
}

/**
 * The names under which nodes and edges store a property that the query calls otherwise: `nodes` by the label of the node's key, `edges`
 * by the type of the edge.
 */
export interface StoredNames {
  nodes: ReadonlyMap<string, string>;
  edges: ReadonlyMap<string, string>;
}

/** Common part of WITH and RETURN. */
export interface Projection {
  distinct: boolean;
  /** Whether the query has `*`, which stands for every named variable, before the items. */
  star: boolean;
  items: ReturnItem[];
  orderBy: OrderItem[];
  skip: Expression | null;
  limit: Expression | null;
  position: number;
}

/** An item of WITH or RETURN. `name` is the name of its column: the alias, or else the text of the expression. */
export interface ReturnItem {
  name: string;
  aliased: boolean;
  expression: Expression;
}

export interface OrderItem {
  expression: Expression;
  descending: boolean;
}

export type ComparisonOperator = '=' | '<>' | '<' | '<=' | '>' | '>=';
export type StringOperator = 'STARTS WITH' | 'ENDS WITH' | 'CONTAINS';
export type ArithmeticOperator = '+' | '-' | '*' | '/' | '%' | '^';
export type BinaryOperator = ComparisonOperator | StringOperator | ArithmeticOperator | 'IN' | 'XOR';

export type Expression = { position: number } & (
  | { kind: 'literal'; value: null | boolean | string }
  | { kind: 'number'; text: string; integer: boolean }
  | { kind: 'parameter'; name: string }
  | { kind: 'variable'; name: string }
  | { kind: 'property'; object: Expression; name: string; storedNames?: StoredNames | undefined }
  | { kind: 'index'; object: Expression; index: Expression; storedNames?: StoredNames | undefined }
  | { kind: 'slice'; object: Expression; from: Expression | null; to: Expression | null }
  | { kind: 'list'; items: Expression[] }
  | { kind: 'map'; entries: MapEntry[] }
  | { kind: 'logical'; operator: 'AND' | 'OR'; operands: Expression[] }
  | { kind: 'unary'; operator: 'NOT' | '-' | '+'; operand: Expression }
  | { kind: 'binary'; operator: BinaryOperator; left: Expression; right: Expression }
  | { kind: 'isNull'; negated: boolean; operand: Expression }
  | { kind: 'hasLabels'; object: Expression; labels: Name[][] }
  | { kind: 'call'; name: string; distinct: boolean; args: Expression[] }
  | { kind: 'countAll' }
  | { kind: 'listComprehension'; variable: string; list: Expression; where: Expression | null; projection: Expression | null }
  | { kind: 'patternComprehension'; pattern: PathPattern; where: Expression | null; projection: Expression }
  | { kind: 'quantifier'; quantifier: Quantifier; variable: string; list: Expression; where: Expression | null }
  | { kind: 'reduce'; accumulator: string; initial: Expression; variable: string; list: Expression; step: Expression }
  /** Whether the pattern occurs. If the pattern has `shortest`, the value is the path, or the list of all shortest paths. */
  | { kind: 'pattern'; pattern: PathPattern }
  /**
   * `EXISTS { … }`, `COUNT { … }` or `COLLECT { … }`. If the query in braces has no RETURN, the rows of its last clause are its result.
   */
  | { kind: 'subquery'; form: 'EXISTS' | 'COUNT' | 'COLLECT'; query: UnionQuery }
  | { kind: 'case'; subject: Expression | null; branches: { when: Expression; then: Expression }[]; otherwise: Expression | null }
);

export type Quantifier = 'all' | 'any' | 'none' | 'single';

/** The direct operands of an expression, without the expressions inside subqueries. */
export function childrenOf(expression: Expression): Expression[] {
  switch (expression.kind) {
    case 'literal':
    case 'number':
    case 'parameter':
    case 'variable':
    case 'countAll':
      return [];
    case 'property':
    case 'hasLabels':
      return [expression.object];
    case 'index':
      return [expression.object, expression.index];
    case 'slice':
      return [expression.object, expression.from, expression.to].filter(child => child !== null);
    case 'list':
      return expression.items;
    case 'map':
      return expression.entries.map(entry => entry.value);
    case 'logical':
      return expression.operands;
    case 'unary':
    case 'isNull':
      return [expression.operand];
    case 'binary':
      return [expression.left, expression.right];
    case 'call':
      return expression.args;
    case 'listComprehension':
      return [expression.list, expression.where, expression.projection].filter(child => child !== null);
    case 'patternComprehension':
      return [...expressionsOf(expression.pattern), expression.where, expression.projection].filter(child => child !== null);
    case 'quantifier':
      return [expression.list, expression.where].filter(child => child !== null);
    case 'reduce':
      return [expression.initial, expression.list, expression.step];
    case 'pattern':
      return expressionsOf(expression.pattern);
    case 'subquery':
      return [];
    case 'case': {
      const branches = expression.branches.flatMap(branch => [branch.when, branch.then]);
      return [expression.subject, ...branches, expression.otherwise].filter(child => child !== null);
    }
    default:
      return expression satisfies never;
  }
}

/** The expressions of all property values in a path pattern. */
export function expressionsOf({ nodes, edges }: PathPattern): Expression[] {
  return [...nodes, ...edges].flatMap(({ properties }) => properties.map(({ value }) => value));
}

/** Calls `visit` on the expression and on all expressions under it, parents first. */
export function walk(expression: Expression, visit: (expression: Expression) => void): void {
  visit(expression);
  for (const child of childrenOf(expression)) walk(child, visit);
}

/** Whether an expression of this kind has the same value everywhere in the query. */
export function isConstant({ kind }: { kind?: unknown }): boolean {
  return kind === 'literal' || kind === 'number' || kind === 'parameter';
}

/** Whether the expression is cheap to read: a constant, a variable, or a property of a variable. */
export function isKeyed(expression: { kind?: unknown; object?: unknown }): boolean {
  const isVariable = ({ kind }: { kind?: unknown }) => kind === 'variable';
  return isConstant(expression) || isVariable(expression) || (expression.kind === 'property' && isVariable(expression.object as object));
}

/** The number of expressions in a tree. */
export function sizeOf(expression: Expression): number {
  return childrenOf(expression).reduce((size, child) => size + sizeOf(child), 1);
}

/** A text that is equal for two expressions with the same meaning anywhere in the query. The case of function names does not matter. */
export function shapeOf(expression: Expression): string {
  return JSON.stringify(expression, function (this: { kind?: unknown }, key: string, value: unknown) {
    if (key === 'name' && this.kind === 'call') return String(value).toLowerCase();
    return key === 'position' ? undefined : value;
  });
}
