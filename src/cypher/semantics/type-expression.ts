import { type BinaryOperator, type ComparisonOperator, type Expression } from '../syntax/cypher-ast.js';
import { type CypherMap, type CypherValue, isList } from '../values/cypher-value.js';
import { temporalFunctions } from '../values/temporal/temporal-functions.js';
import { typeOfValue, typeOfWord, type ValueType } from '../values/value-type.js';
import { commonForm, constantIn, equalityForm, fits, formOf } from './forms.js';
import { NotInSqlError } from './not-in-sql.error.js';
import { type QueryContext } from './query-context.js';
import { type PatternResolver } from './resolve-patterns.js';
import { type TypedConstant, type TypedExpression } from './typed-tree.js';

/** The context in which an expression is typed: it gives variables and parameters their meaning. */
export interface ExpressionScope {
  context: QueryContext;
  parameters: CypherMap;
  /** Resolves variables to nodes and edges. */
  patterns: PatternResolver;
  /**
   * Returns the meaning of a whole expression, such as a variable or a column of a group. Null if the expression has to be typed from its
   * parts.
   */
  resolve(expression: Expression): TypedExpression | null;
}

/**
 * Types an expression for which SQL returns exactly the result of the in-memory executor. Everything uncertain is refused: a value of
 * unknown type, or a calculation that SQL does in another way.
 * @throws NotInSqlError
 */
export function typeExpression(expression: Expression, scope: ExpressionScope): TypedExpression {
  const resolved = scope.resolve(expression);
  if (resolved !== null) return resolved;
  const { position } = expression;
  const typed = (inner: Expression) => typeExpression(inner, scope);
  switch (expression.kind) {
    case 'literal':
      return constant(expression.value, position);
    case 'number':
      return constant(expression.integer ? BigInt(expression.text) : Number(expression.text), position);
    case 'parameter':
      return constant(scope.parameters.get(expression.name) ?? null, position);
    case 'list': {
      const items = expression.items.map(typed);
      return constant(
        items.map(item => (item.kind === 'constant' ? item.value : refuse('a list that is computed'))),
        position,
      );
    }
    case 'property':
      return typeProperty(typed(expression.object), expression.name, position, scope);
    case 'logical':
      return logical(expression.operator, expression.operands, position, scope);
    case 'unary':
      if (expression.operator === 'NOT')
        return { kind: 'not', type: 'boolean', operand: infallible(typeCondition(expression.operand, scope)), position };
      return expression.operator === '-' ? negation(typed(expression.operand), position) : refuse('a sign');
    case 'binary': {
      if (expression.operator === 'XOR') return logical('XOR', [expression.left, expression.right], position, scope);
      return typeOperator(expression.operator, typed(expression.left), typed(expression.right), position, scope.context);
    }
    case 'isNull': {
      const operand = infallible(typed(expression.operand));
      return { kind: 'isNull', type: 'boolean', negated: expression.negated, operand, position };
    }
    case 'hasLabels': {
      const labels = expression.labels.map(group => group.map(({ name }) => name));
      if (labels.flat().some(label => scope.context.schema.isFurtherLabel(label)))
        return refuse('a label that nodes carry besides another');
      return { kind: 'hasLabels', type: 'boolean', object: elementOf(typed(expression.object)), labels, position };
    }
    case 'call':
      return typeCall(expression.name.toLowerCase(), expression.args, position, scope);
    default:
      return refuse(expression.kind);
  }
}

/** Types an expression that must be a boolean or null: in WHERE, and under AND, OR, XOR and NOT. */
export function typeCondition(expression: Expression, scope: ExpressionScope): TypedExpression {
  const typed = typeExpression(expression, scope);
  return typed.type === 'boolean' ? typed : refuse('a condition of unknown type');
}

/** Types `=` or `<>` of two values whose types are certain. Code that builds a condition without a query text calls this too. */
export function equality(
  operator: '=' | '<>',
  left: TypedExpression,
  right: TypedExpression,
  position: number,
  context?: QueryContext,
): TypedExpression {
  if (left.type === right.type && (left.type === 'node' || left.type === 'edge'))
    return { kind: 'comparison', type: 'boolean', operator, form: null, left, right, position };
  return comparison(operator, left, right, position, context);
}

export function constant(value: CypherValue, position: number): TypedConstant {
  return { kind: 'constant', type: typeOfValue(value), value, position };
}

function typeOperator(
  operator: Exclude<BinaryOperator, 'XOR'>,
  left: TypedExpression,
  right: TypedExpression,
  position: number,
  context: QueryContext,
): TypedExpression {
  switch (operator) {
    case '=':
    case '<>':
      return equality(operator, left, right, position, context);
    case '<':
    case '<=':
    case '>':
    case '>=':
      return comparison(operator, left, right, position, context);
    case 'STARTS WITH':
    case 'ENDS WITH':
    case 'CONTAINS':
      if (left.type !== 'string' || right.type !== 'string') return refuse('a test of something else than texts');
      return { kind: 'stringTest', type: 'boolean', operator, left, right, position };
    case 'IN':
      return membership(left, right, position);
    case '+':
    case '-':
    case '*':
    case '/':
    case '%':
      return arithmetic(operator, left, right, position);
    case '^':
      return refuse('a power');
    default:
      return operator satisfies never;
  }
}

function comparison(
  operator: ComparisonOperator,
  left: TypedExpression,
  right: TypedExpression,
  position: number,
  context?: QueryContext,
): TypedExpression {
  if (left.type === 'null' || right.type === 'null') return refuse('a comparison with null');
  if (context && areDifferentKinds(left, right)) context.warnMismatch(mismatchOf(operator, left, right, context, position));
  const form = operator === '=' || operator === '<>' ? equalityForm(left, right) : commonForm(left, right);
  if (form === null) return refuse('a comparison of values whose types are unknown or differ');
  return { kind: 'comparison', type: 'boolean', operator, form, left, right, position, ...failing(left, right) };
}

function areDifferentKinds({ type: a }: TypedExpression, { type: b }: TypedExpression): boolean {
  const familyOf = (type: ValueType) => (['integer', 'float', 'decimal', 'number'].includes(type) ? 'number' : type);
  const times: ValueType[] = ['date', 'datetime'];
  const isTimeText = (times.includes(a) && b === 'string') || (a === 'string' && times.includes(b));
  return a !== 'any' && b !== 'any' && !isTimeText && familyOf(a) !== familyOf(b);
}

/** The warning that values of these two types never match. Its usual cause is a number in quotes. */
function mismatchOf(
  operator: string,
  { type: left }: TypedExpression,
  { type: right }: TypedExpression,
  context: QueryContext,
  position: number,
): Parameters<QueryContext['warnMismatch']>[0] {
  const text =
    operator === '=' || operator === '<>'
      ? { zh: `${left} 与 ${right} 永不相等`, en: `${left} and ${right} are never equal` }
      : {
          zh: `${left} 与 ${right} 没有大小之分，比较的结果为 null`,
          en: `${left} and ${right} have no order, so comparing them gives null`,
        };
  return {
    text,
    context: { operator, left, right, ...context.place(position) },
  };
}

function membership(item: TypedExpression, list: TypedExpression, position: number): TypedExpression {
  if (list.kind !== 'constant' || !isList(list.value) || item.kind === 'constant') return refuse('IN of something else than constants');
  const items = list.value;
  const form = ['jsonb' as const, formOf(item.type), 'numeric' as const, 'timestamp' as const].find(
    each => each !== null && fits(item, each) && items.every(value => constantIn(value, each) !== undefined),
  );
  return form ? { kind: 'in', type: 'boolean', form, item, list: items, position, ...failing(item) } : refuse('IN a list of other types');
}

/**
 * Types `+`, `-`, `*`, `/` and `%`. SQL calculates 64-bit integers and floats as the in-memory executor does, or fails. Decimals are exact
 * in both, except for quotients.
 */
function arithmetic(
  operator: '+' | '-' | '*' | '/' | '%',
  left: TypedExpression,
  right: TypedExpression,
  position: number,
): TypedExpression {
  const types = [left.type, right.type];
  if (!types.every(type => type === 'integer' || type === 'float' || type === 'decimal')) return refuse('arithmetic of unknown types');
  const type = types.includes('float') ? 'float' : types.includes('decimal') ? 'decimal' : 'integer';
  if (type === 'decimal' && (operator === '/' || operator === '%')) return refuse('a quotient of decimals');
  if (type === 'float' && operator === '%') return refuse('a remainder of floats');
  for (const operand of [left, right])
    if (operand.kind === 'constant' && !Number.isFinite(Number(operand.value))) return refuse('an infinite number');
  // If one operand is a float, the other becomes a float. A constant is converted here, since `constantIn` for `float8` refuses decimals
  // and integers beyond 2^53.
  const operand = (value: TypedExpression) =>
    type === 'float' && value.kind === 'constant' ? constant(Number(value.value), value.position) : value;
  return { kind: 'arithmetic', type, operator, left: operand(left), right: operand(right), position, canFail: true };
}

function negation(operand: TypedExpression, position: number): TypedExpression {
  if (operand.type !== 'integer' && operand.type !== 'float' && operand.type !== 'decimal')
    return refuse('the negative of an unknown type');
  return { kind: 'negate', type: operand.type, operand, position, canFail: true };
}

function logical(operator: 'AND' | 'OR' | 'XOR', operands: Expression[], position: number, scope: ExpressionScope): TypedExpression {
  return { kind: 'logical', type: 'boolean', operator, operands: operands.map(each => infallible(typeCondition(each, scope))), position };
}

/** Types `object.name`, where `object` is a node or an edge. @throws NotInSqlError for any other object */
function typeProperty(object: TypedExpression, name: string, position: number, { context, patterns }: ExpressionScope): TypedExpression {
  const element = object.kind === 'variable' && object.element !== null ? patterns.elementNamed(object.element) : undefined;
  if (!element) return refuse('a property of something else than an element');
  const { schema } = context;
  const found = 'possibleLabels' in element ? schema.nodeProperty(name, element.possibleLabels) : schema.edgeProperty(name, element.types);
  // `resolveNames` has already replaced aliases. If the schema still resolves this name to another property, SQL would read another
  // property than the in-memory executor.
  const { word, mayBeTime } = found;
  if (found.name !== name) return refuse('a property with another name in other labels');
  if (found.inMemory) return refuse('a property of a type that SQL does not have');
  return { kind: 'property', type: word === null ? 'any' : typeOfWord(word), object, name, word, mayBeTime, position };
}

function typeCall(name: string, args: Expression[], position: number, scope: ExpressionScope): TypedExpression {
  const values = args.map(arg => typeExpression(arg, scope));
  const [first, ...others] = values;
  if (!first) return refuse(`${name}()`);
  const call = (type: ValueType, called: (TypedExpression & { kind: 'call' })['function']): TypedExpression => ({
    kind: 'call',
    type,
    function: called,
    args: values,
    position,
    ...failing(...values),
  });
  if (name === 'coalesce') {
    const isOneType =
      values.every(value => value.type === first.type && !value.canFail) && formOf(first.type) !== null && first.type !== 'number';
    return isOneType ? call(first.type, 'coalesce') : refuse('coalesce() of several types');
  }
  if (others.length > 0) return refuse(`${name}()`);
  switch (name) {
    case 'id':
      elementOf(first);
      return call('integer', 'id');
    case 'elementid':
      elementOf(first);
      return call('string', 'elementid');
    case 'type':
      return first.type === 'edge' ? call('string', 'type') : refuse('type() of a node');
    case 'size':
      return first.type === 'string' && first.kind !== 'constant'
        ? call('integer', 'size')
        : refuse('size() of something else than a text');
    case 'date':
      return dateOf(first, position);
    case 'startnode':
    case 'endnode':
      return typeEnd(name === 'startnode' ? 'source' : 'target', first, position, scope);
    default:
      return refuse(`${name}()`);
  }
}

function dateOf(value: TypedExpression, position: number): TypedExpression {
  if (value.kind !== 'constant' || typeof value.value !== 'string' || constantIn(value.value, 'date') === undefined)
    return refuse('date() of a value');
  return constant(temporalFunctions.date!.call([value.value], { epochNanoseconds: 0n, timeZone: 'UTC' }), position);
}

/** Types startNode(r) or endNode(r): the node that the pattern binds at this end, if the pattern gives the relationship a direction. */
function typeEnd(end: 'source' | 'target', edge: TypedExpression, position: number, scope: ExpressionScope): TypedExpression {
  const node = edge.kind === 'variable' && edge.element !== null ? scope.patterns.endOf(edge.element, end) : null;
  // An expression over the columns of a group can only read the node if the node is a key of the group.
  return (node && scope.resolve({ kind: 'variable', name: node.variable, position })) ?? refuse('the end of a relationship');
}

function elementOf(value: TypedExpression): TypedExpression {
  return value.type === 'node' || value.type === 'edge' ? value : refuse('something else than an element');
}

/**
 * Returns an operand of AND, OR, XOR, NOT or IS NULL that cannot fail. The in-memory executor evaluates operands in order and stops at the
 * first that decides. SQL may evaluate all operands, or only later ones.
 * @throws NotInSqlError for an operand that may fail
 */
function infallible(value: TypedExpression): TypedExpression {
  return value.canFail ? refuse('a part that may fail under a condition') : value;
}

function failing(...operands: TypedExpression[]): { canFail?: true } {
  return operands.some(({ canFail }) => canFail) ? { canFail: true } : {};
}

function refuse(what: string): never {
  throw new NotInSqlError(what);
}
