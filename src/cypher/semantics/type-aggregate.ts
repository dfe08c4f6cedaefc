import { type Expression } from '../syntax/cypher-ast.js';
import { familyOf, mayBe, type ValueType } from '../values/value-type.js';
import { type ExpressionScope, typeExpression } from './type-expression.js';
import { type AggregateName, type TypedAggregate } from './typed-tree.js';

/** @param scope of the matches that are aggregated */
export function typeAggregate(expression: Expression & { kind: 'call' | 'countAll' }, scope: ExpressionScope): TypedAggregate {
  const { position } = expression;
  if (expression.kind === 'countAll')
    return { kind: 'aggregate', type: 'integer', function: 'count', distinct: false, argument: null, position };
  const [first, ...others] = expression.args;
  if (!first || others.length > 0)
    throw scope.context.error(`${expression.name}() 需要 1 个参数`, `${expression.name}() takes 1 argument`, position);
  const argument = typeExpression(first, scope);
  const name = expression.name.toLowerCase() as AggregateName;
  const type = typeOf(name, argument.type);
  if (type === null)
    throw scope.context.error(`类型不符：不能用于 ${expression.name}()`, `Type mismatch: cannot be used in ${expression.name}()`, position);
  return { kind: 'aggregate', type, function: name, distinct: expression.distinct, argument, position };
}

/** The type of the result, or null if values of the argument's type can never be aggregated so. */
function typeOf(name: AggregateName, argument: ValueType): ValueType | null {
  switch (name) {
    case 'count':
      return 'integer';
    case 'collect':
      return 'list';
    case 'avg':
      return mayBe(argument, 'number') ? 'float' : null;
    case 'sum':
      if (!mayBe(argument, 'number')) return null;
      return argument === 'any' ? 'number' : argument;
    case 'min':
    case 'max': {
      const family = familyOf(argument);
      return family === 'number' || family === 'string' || family === 'boolean' ? argument : 'any';
    }
    default:
      return name satisfies never;
  }
}
