/** The tree of a query. `position` is the offset of the first character in the query text. Trees built in code may use 0. */
export interface CypherQuery {
  /** The text that positions point into; '' for a tree built in code. */
  text: string;
  matches: MatchClause[];
  returns: ReturnClause;
}

/** `MATCH pattern, … [WHERE …]`. The edges of one clause are pairwise different; those of two clauses may be the same. */
export interface MatchClause {
  patterns: PathPattern[];
  where: Expression | null;
  position: number;
}

/** `nodes.length === edges.length + 1`; `edges[i]` lies between `nodes[i]` and `nodes[i + 1]`. */
export interface PathPattern {
  nodes: NodePattern[];
  edges: EdgePattern[];
  position: number;
}

/** `(variable:A|B:C {property: value})`: `labels` is [[A, B], [C]]. Every group must hold. */
export interface NodePattern {
  variable: string | null;
  labels: Name[][];
  properties: MapEntry[];
  position: number;
}

/** `-[variable:A|B {property: value}]->`. `types` is empty for any type; `direction` is seen from the left node. */
export interface EdgePattern {
  variable: string | null;
  types: Name[];
  direction: 'out' | 'in' | 'both';
  properties: MapEntry[];
  position: number;
}

export interface Name {
  name: string;
  position: number;
}

export interface MapEntry {
  name: string;
  value: Expression;
  position: number;
}

export interface ReturnClause {
  distinct: boolean;
  /** `*`: every named variable, before the items. */
  star: boolean;
  items: ReturnItem[];
  orderBy: OrderItem[];
  skip: Expression | null;
  limit: Expression | null;
  position: number;
}

/** `name` is the column: the alias, or else the text of the expression. */
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
  | { kind: 'property'; object: Expression; name: string }
  | { kind: 'index'; object: Expression; index: Expression }
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
  | { kind: 'case'; subject: Expression | null; branches: { when: Expression; then: Expression }[]; otherwise: Expression | null }
);

/** The expressions directly under this one. */
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
    case 'case': {
      const branches = expression.branches.flatMap(branch => [branch.when, branch.then]);
      return [expression.subject, ...branches, expression.otherwise].filter(child => child !== null);
    }
    default:
      return expression satisfies never;
  }
}

/** Calls `visit` on the expression and everything under it, parents first. */
export function walk(expression: Expression, visit: (expression: Expression) => void): void {
  visit(expression);
  for (const child of childrenOf(expression)) walk(child, visit);
}

/** The number of expressions in a tree. */
export function sizeOf(expression: Expression): number {
  return childrenOf(expression).reduce((size, child) => size + sizeOf(child), 1);
}

/** A text that is equal for two expressions that say the same thing anywhere in the query. */
export function shapeOf(expression: Expression): string {
  return JSON.stringify(expression, (key: string, value: unknown) => (key === 'position' ? undefined : value));
}
