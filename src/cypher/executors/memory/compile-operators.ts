import { type BinaryOperator, type Expression } from '../../syntax/cypher-ast.js';
import { add, divide, multiply, power, remainder, subtract } from '../../values/arithmetic.js';
import { type CypherValue } from '../../values/cypher-value.js';
import { equals, isIn } from '../../values/equality.js';
import { lessOrEqual, lessThan } from '../../values/order.js';
import { compile, type ExpressionPlace } from './expression-place.js';
import { type Evaluate } from './scope.js';
import { isPlain, staticType } from './static-type.js';

type Operation = (left: CypherValue, right: CypherValue) => CypherValue;

const operations: Record<Exclude<BinaryOperator, 'XOR'>, Operation> = {
  '=': equals,
  '<>': (left, right) => negated(equals(left, right)),
  '<': lessThan,
  '<=': lessOrEqual,
  '>': (left, right) => lessThan(right, left),
  '>=': (left, right) => lessOrEqual(right, left),
  'STARTS WITH': ofTexts((left, right) => left.startsWith(right)),
  'ENDS WITH': ofTexts((left, right) => left.endsWith(right)),
  CONTAINS: ofTexts((left, right) => left.includes(right)),
  IN: isIn,
  '+': add,
  '-': subtract,
  '*': multiply,
  '/': divide,
  '%': remainder,
  '^': power,
};

export function compileBinary(expression: Expression & { kind: 'binary' }, place: ExpressionPlace): Evaluate {
  const { operator, position } = expression;
  if (operator === 'XOR') throw new Error('XOR is compiled with the conditions');
  const type = staticType(expression.right, place.scope);
  if (operator === 'IN' && isPlain(type) && type !== 'list')
    throw place.query.error('InvalidArgumentType', { zh: 'IN 之后须为列表', en: 'IN takes a list' }, expression.right.position);
  if (['-', '*', '/', '%', '^'].includes(operator))
    for (const operand of [expression.left, expression.right])
      if (['string', 'boolean', 'list', 'map'].includes(staticType(operand, place.scope)))
        throw place.query.error(
          'InvalidArgumentType',
          { zh: `运算符 ${operator} 不适用于此处的值`, en: `The operator ${operator} does not apply to a value of this type` },
          operand.position,
        );
  const [left, right] = [compile(expression.left, place), compile(expression.right, place)];
  const operation = operations[operator];
  return place.query.at(position, row => operation(left(row), right(row)));
}

function negated(value: boolean | null): boolean | null {
  return value === null ? null : !value;
}

/** Null for anything that is no text. */
function ofTexts(operation: (left: string, right: string) => boolean): Operation {
  return (left, right) => (typeof left === 'string' && typeof right === 'string' ? operation(left, right) : null);
}
