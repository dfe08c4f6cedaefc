import { type Expression } from './cypher-ast.js';

/** Replaces variables by other expressions. In ORDER BY an alias stands for its item and hides a variable of the same name. */
export function replaceVariables(expression: Expression, replacements: ReadonlyMap<string, Expression>): Expression {
  if (expression.kind === 'variable') return replacements.get(expression.name) ?? expression;
  const replace = (inner: Expression) => replaceVariables(inner, replacements);
  const replaceOrNull = (inner: Expression | null) => (inner === null ? null : replace(inner));
  switch (expression.kind) {
    case 'property':
    case 'hasLabels':
      return { ...expression, object: replace(expression.object) };
    case 'index':
      return { ...expression, object: replace(expression.object), index: replace(expression.index) };
    case 'slice':
      return { ...expression, object: replace(expression.object), from: replaceOrNull(expression.from), to: replaceOrNull(expression.to) };
    case 'list':
      return { ...expression, items: expression.items.map(replace) };
    case 'map':
      return { ...expression, entries: expression.entries.map(entry => ({ ...entry, value: replace(entry.value) })) };
    case 'logical':
      return { ...expression, operands: expression.operands.map(replace) };
    case 'unary':
    case 'isNull':
      return { ...expression, operand: replace(expression.operand) };
    case 'binary':
      return { ...expression, left: replace(expression.left), right: replace(expression.right) };
    case 'call':
      return { ...expression, args: expression.args.map(replace) };
    case 'case':
      return {
        ...expression,
        subject: replaceOrNull(expression.subject),
        branches: expression.branches.map(branch => ({ when: replace(branch.when), then: replace(branch.then) })),
        otherwise: replaceOrNull(expression.otherwise),
      };
    case 'literal':
    case 'number':
    case 'parameter':
    case 'countAll':
      return expression;
    case 'listComprehension':
    case 'patternComprehension':
    case 'quantifier':
    case 'reduce':
    case 'pattern':
    case 'subquery':
      // Expressions of these kinds have variables of their own, and SQL runs none of them.
      return expression;
    default:
      return expression satisfies never;
  }
}
