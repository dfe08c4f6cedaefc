import { CypherNotSupportedError, type CypherSyntaxError } from '../syntax/cypher.errors.js';
import { type BinaryOperator, type ComparisonOperator } from '../syntax/cypher-ast.js';
import { notInSql } from '../syntax/phrases.js';
import { constantIn, equalConstants } from '../values/constant-equality.js';
import { type Constant, ExactNumber, typeOfConstant } from '../values/constant.js';
import { familyOf, mayBe, numericType } from '../values/value-type.js';
import { type QueryContext } from './query-context.js';
import { comparesAsTime } from './time-text.js';
import { type TypedConstant, type TypedExpression } from './typed-tree.js';

type Operator = Exclude<BinaryOperator, 'XOR'>;

export function constant(value: Constant, position: number): TypedConstant {
  return { kind: 'constant', type: typeOfConstant(value), value, position };
}

/** A null of no type. A comparison that can never hold is null too, but as a boolean, and fits only where booleans do. */
export function isNull(expression: TypedExpression): boolean {
  return expression.kind === 'constant' && expression.value === null && expression.type === 'any';
}

/** The error for a value whose type can never fit its place. */
export function mismatch(context: QueryContext, { position }: { position: number }, zh: string, en: string): CypherSyntaxError {
  return context.error(`类型不符：无法用于${zh}`, `Type mismatch: cannot be used for ${en}`, position);
}

/**
 * Decides which operation an operator means for operands of these types.
 * @throws CypherSyntaxError when no values of these types fit it
 */
export function typeOperator(
  operator: Operator,
  left: TypedExpression,
  right: TypedExpression,
  position: number,
  context: QueryContext,
): TypedExpression {
  warnOfMismatch(operator, left, right, position, context);
  refuseOtherTimes(operator, left, right, position, context);
  switch (operator) {
    case '=':
    case '<>':
      return equality(operator, left, right, position);
    case '<':
    case '<=':
    case '>':
    case '>=':
      if (left.type === 'list' || right.type === 'list') throw new CypherNotSupportedError(notInSql.listOrdering, context.place(position));
      return ordering(operator, left, right, position);
    case 'STARTS WITH':
    case 'ENDS WITH':
    case 'CONTAINS':
      return { kind: 'stringTest', type: 'boolean', operator, left, right, position };
    case 'IN':
      if (!mayBe(right.type, 'list')) throw mismatch(context, right, ' IN 右侧的列表', 'the list of IN');
      return membership(left, right, position);
    case '+':
      return plus(left, right, position, context);
    case '-':
    case '*':
    case '/':
    case '%':
    case '^': {
      if (!mayBe(left.type, 'number') || !mayBe(right.type, 'number')) throw mismatch(context, { position }, '算术', 'arithmetic');
      const type = operator === '^' ? 'float' : numericType(left.type, right.type);
      return { kind: 'arithmetic', type, operator, left, right, position };
    }
    default:
      return operator satisfies never;
  }
}

/** Null with anything is null. A null inside a constant list or map can make an otherwise equal pair null. */
export function equality(operator: '=' | '<>', left: TypedExpression, right: TypedExpression, position: number): TypedExpression {
  if (isNull(left) || isNull(right)) return constant(null, position);
  if (isNested(left) && isNested(right)) {
    const equal = equalConstants(left.value, right.value);
    return constant(equal === null ? null : equal === (operator === '='), position);
  }
  return { kind: 'comparison', type: 'boolean', operator, left, right, position };
}

/** Null unless both are numbers, both texts or both booleans. */
function ordering(
  operator: Exclude<ComparisonOperator, '=' | '<>'>,
  left: TypedExpression,
  right: TypedExpression,
  position: number,
): TypedExpression {
  if (isNull(left) || isNull(right)) return constant(null, position);
  const families = new Set([familyOf(left.type), familyOf(right.type)].filter(family => family !== 'any'));
  const [family = 'any'] = families;
  const isOrdered = families.size < 2 && (family === 'any' || family === 'number' || family === 'string' || family === 'boolean');
  if (!isOrdered) return { ...constant(null, position), type: 'boolean' };
  return { kind: 'comparison', type: 'boolean', operator, left, right, position };
}

function membership(item: TypedExpression, list: TypedExpression, position: number): TypedExpression {
  if (isNull(list)) return constant(null, position);
  if (list.kind === 'constant' && Array.isArray(list.value)) {
    if (list.value.length === 0) return constant(false, position);
    if (isNested(item)) return constant(constantIn(item.value, list.value), position);
  }
  return { kind: 'in', type: 'boolean', item, list, position };
}

/** Numbers add, texts join (with numbers and booleans too), lists append. */
function plus(left: TypedExpression, right: TypedExpression, position: number, context: QueryContext): TypedExpression {
  const [a, b] = [familyOf(left.type), familyOf(right.type)];
  const isList = a === 'list' || b === 'list';
  if (!isList && [a, b].some(family => family === 'boolean' || family === 'map' || family === 'node' || family === 'edge'))
    throw mismatch(context, { position }, '加法', 'addition');
  if (isNull(left) || isNull(right)) return constant(null, position);
  if (a === 'number' && b === 'number')
    return { kind: 'arithmetic', type: numericType(left.type, right.type), operator: '+', left, right, position };
  if (isList) return { kind: 'append', type: 'list', left, right, position };
  const isText = (a === 'string' && b !== 'any') || (b === 'string' && a !== 'any');
  return isText ? { kind: 'join', type: 'string', left, right, position } : { kind: 'plus', type: 'any', left, right, position };
}

/**
 * Warns of a comparison between different types, which can never be true (`<>`: never false). Almost always a number or date is
 * quoted.
 */
function warnOfMismatch(operator: Operator, left: TypedExpression, right: TypedExpression, position: number, context: QueryContext): void {
  if (!['=', '<>', '<', '<=', '>', '>='].includes(operator)) return;
  const [a, b] = [familyOf(left.type), familyOf(right.type)];
  if (a === b || a === 'any' || b === 'any') return;
  context.warnMismatch({
    text: { zh: `${left.type} 与 ${right.type} 不可比较，结果不会为真`, en: `${left.type} and ${right.type} are never equal or ordered` },
    context: { operator, left: left.type, right: right.type, ...context.place(position) },
  });
}

/**
 * Refuses a time that is written in another way than graphs hold times. The comparison would give a wrong result without any sign
 * of it.
 */
function refuseOtherTimes(
  operator: Operator,
  left: TypedExpression,
  right: TypedExpression,
  position: number,
  context: QueryContext,
): void {
  if (!['=', '<>', '<', '<=', '>', '>=', 'IN'].includes(operator)) return;
  const isEquality = ['=', '<>', 'IN'].includes(operator);
  for (const [{ type }, other] of [
    [left, right],
    [right, left],
  ] as const) {
    if ((type !== 'date' && type !== 'datetime') || other.kind !== 'constant') continue;
    const texts = Array.isArray(other.value) ? other.value : [other.value];
    const wrong = texts.find(text => typeof text === 'string' && !comparesAsTime(type, isEquality, text));
    if (typeof wrong !== 'string') continue;
    const example = type === 'date' ? '2024-05-01' : `2024-05-01T12:30:00${isEquality ? '+08:00' : ''}`;
    const [shown, zh] = [wrong.slice(0, 40), type === 'date' ? '日期' : '日期时间'];
    throw context.error(
      `“${shown}”不是此处${zh}的写法，请写作 ${example}`,
      `'${shown}' is not how a ${type} is written here; write it as ${example}`,
      position,
    );
  }
}

/** A constant list or map. No other value can hold a null inside. */
function isNested(value: TypedExpression): value is TypedConstant {
  return value.kind === 'constant' && value.value !== null && typeof value.value === 'object' && !(value.value instanceof ExactNumber);
}
