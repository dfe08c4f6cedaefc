import { type Expression } from '../syntax/cypher-ast.js';
import { type ValueType } from '../values/value-type.js';
import { formOf } from './forms.js';
import { NotInSqlError } from './not-in-sql.error.js';
import { type ExpressionScope, typeExpression } from './type-expression.js';
import { type AggregateName, type TypedAggregate, type TypedExpression } from './typed-tree.js';

/**
 * Types an aggregate.
 * @param scope the scope of the matches that are aggregated
 * @throws NotInSqlError if SQL would return another result, as for a sum of floats, which depends on the order of rows
 */
export function typeAggregate(expression: Expression & { kind: 'call' | 'countAll' }, scope: ExpressionScope): TypedAggregate {
  const { position } = expression;
  if (expression.kind === 'countAll')
    return { kind: 'aggregate', type: 'integer', function: 'count', distinct: false, argument: null, position };
  const [first, ...others] = expression.args;
  const name = expression.name.toLowerCase();
  if (!first || others.length > 0 || !isAggregateName(name)) throw new NotInSqlError(`${name}()`);
  const argument = typeExpression(first, scope);
  const type = typeOf(name, argument, expression.distinct);
  if (type === null) throw new NotInSqlError(`${name}() of this type`);
  return { kind: 'aggregate', type, function: name, distinct: expression.distinct, argument, position };
}

function isAggregateName(name: string): name is AggregateName {
  return ['count', 'sum', 'avg', 'min', 'max'].includes(name);
}

/** The type of the aggregate's result. Null if SQL and the in-memory executor would aggregate such values differently. */
function typeOf(name: AggregateName, { type, kind }: TypedExpression, distinct: boolean): ValueType | null {
  if (kind === 'constant') return null;
  const isElement = type === 'node' || type === 'edge';
  switch (name) {
    case 'count':
      return isElement || !distinct || formOf(type) !== null ? 'integer' : null;
    case 'sum':
      // The sum of no decimals is the integer 0, so the type is `number`.
      if (type === 'decimal') return 'number';
      return type === 'integer' ? 'integer' : null;
    case 'avg':
      if (type === 'decimal') return 'decimal';
      return type === 'integer' ? 'float' : null;
    case 'min':
    case 'max':
      return formOf(type) === null ? null : type;
    default:
      return name satisfies never;
  }
}
