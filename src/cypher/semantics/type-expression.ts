import { type Expression } from '../syntax/cypher-ast.js';
import { nearestName } from '../../text/nearest-name.js';
import { CypherNotSupportedError, CypherSyntaxError } from '../syntax/cypher.errors.js';
import { notInSql } from '../syntax/phrases.js';
import { ValueTooLargeError } from '../too-large.errors.js';
import { maxValueBytes } from '../values/bounds.js';
import { type Constant, ExactNumber, sizeOfConstant } from '../values/constant.js';
import { commonType, familyOf, mayBe, type ValueType } from '../values/value-type.js';
import { isAggregate } from './aggregates.js';
import { findFunction, functionNames, takes, typeOfCall } from './functions.js';
import { type QueryContext } from './query-context.js';
import { type PatternResolver } from './resolve-patterns.js';
import { isDate } from './time-text.js';
import { constant, equality, isNull, mismatch, typeOperator } from './type-operators.js';
import { type DatePart, type TypedExpression } from './typed-tree.js';

/** The place of an expression, which gives its variables their meaning. */
export interface ExpressionScope {
  context: QueryContext;
  /** Resolves variables to nodes and edges. */
  patterns: PatternResolver;
  /** The meaning of the expression as a whole, such as a variable or a group's column. Null to type it from its parts. */
  resolve(expression: Expression): TypedExpression | null;
}

/**
 * Resolves the names and types of an expression.
 * @throws CypherSyntaxError when types can never fit; CypherNotSupportedError for functions that are not built
 */
export function typeExpression(expression: Expression, scope: ExpressionScope): TypedExpression {
  const resolved = scope.resolve(expression);
  if (resolved !== null) return resolved;
  const { context } = scope;
  const { position } = expression;
  const typed = (inner: Expression) => typeExpression(inner, scope);
  switch (expression.kind) {
    case 'literal':
      return constant(expression.value, position);
    case 'number':
      return constant(new ExactNumber(expression.text, expression.integer), position);
    case 'parameter':
      return constant(context.parameters.read(expression.name, position), position);
    case 'property':
      return access(typed(expression.object), expression.name, position, scope) ?? fail('属性访问', 'property access');
    case 'index':
      return typeIndex(typed(expression.object), typed(expression.index), position, scope);
    case 'slice':
      return typeSlice(expression, scope);
    case 'list':
      return typeList(expression.items.map(typed), position, context);
    case 'map':
      return typeMap(
        expression.entries.map(({ name, value }) => ({ name, value: typed(value) })),
        position,
        context,
      );
    case 'logical': {
      const operands = expression.operands.map(operand => typeCondition(operand, scope));
      return { kind: 'logical', type: 'boolean', operator: expression.operator, operands, position };
    }
    case 'unary': {
      if (expression.operator === 'NOT')
        return { kind: 'not', type: 'boolean', operand: typeCondition(expression.operand, scope), position };
      const operand = typed(expression.operand);
      if (!mayBe(operand.type, 'number')) throw mismatch(context, expression.operand, '算术', 'arithmetic');
      return { kind: 'sign', type: operand.type === 'any' ? 'number' : operand.type, operator: expression.operator, operand, position };
    }
    case 'binary': {
      if (expression.operator !== 'XOR')
        return typeOperator(expression.operator, typed(expression.left), typed(expression.right), position, context);
      const operands = [typeCondition(expression.left, scope), typeCondition(expression.right, scope)];
      return { kind: 'logical', type: 'boolean', operator: 'XOR', operands, position };
    }
    case 'isNull':
      return { kind: 'isNull', type: 'boolean', negated: expression.negated, operand: typed(expression.operand), position };
    case 'hasLabels': {
      const object = typed(expression.object);
      if (isNull(object)) return object;
      if (!isElement(object)) return fail('标签判断', 'a label test');
      const labels = expression.labels.map(group => group.map(label => context.label(label)));
      return { kind: 'hasLabels', type: 'boolean', object, labels, position };
    }
    case 'case':
      return typeCase(expression, scope);
    case 'call':
      return typeCall(expression, scope);
    case 'variable':
      throw context.error(`变量 ${expression.name} 未定义`, `The variable ${expression.name} is not defined`, position);
    case 'countAll':
      return misplacedAggregate();
    case 'listComprehension':
    case 'patternComprehension':
    case 'quantifier':
    case 'reduce':
    case 'pattern':
    case 'subquery':
      throw new CypherNotSupportedError(expression.kind, context.place(position));
    default:
      return expression satisfies never;
  }

  function fail(zh: string, en: string): never {
    throw mismatch(context, expression, zh, en);
  }

  function misplacedAggregate(): never {
    throw new CypherSyntaxError({ zh: '此处不能使用聚合函数', en: 'An aggregate cannot stand here' }, context.place(position));
  }
}

/** Types an expression that must be a boolean or null: in WHERE, and under AND, OR, XOR and NOT. */
export function typeCondition(expression: Expression, scope: ExpressionScope): TypedExpression {
  const typed = typeExpression(expression, scope);
  if (!mayBe(typed.type, 'boolean')) throw mismatch(scope.context, expression, '布尔条件', 'a condition');
  return typed;
}

function isElement({ type }: TypedExpression): boolean {
  return type === 'node' || type === 'edge';
}

/** `object.name`, or null if a value of this type has no names. */
function access(object: TypedExpression, name: string, position: number, { context, patterns }: ExpressionScope): TypedExpression | null {
  if (isNull(object)) return object;
  if (object.kind === 'variable' && object.element !== null) {
    const element = patterns.elementNamed(object.element);
    const property = element ? context.property(name, element) : { name, type: 'any' as const, inMemory: false };
    if (property.inMemory) throw new CypherNotSupportedError(notInSql.valuesOfMemory, context.place(position));
    return { kind: 'property', type: property.type, object, name: property.name, position };
  }
  if (object.type === 'date' || object.type === 'datetime') {
    const part = name.toLowerCase();
    return isDatePart(part) ? { kind: 'datePart', type: 'integer', date: object, part, position } : null;
  }
  return mayBe(object.type, 'map') ? { kind: 'entry', type: 'any', object, name: constant(name, position), position } : null;
}

function isDatePart(name: string): name is DatePart {
  return ['year', 'quarter', 'month', 'day'].includes(name);
}

function typeIndex(object: TypedExpression, index: TypedExpression, position: number, scope: ExpressionScope): TypedExpression {
  const { context } = scope;
  if (isNull(object) || isNull(index)) return constant(null, position);
  if (index.kind === 'constant' && typeof index.value === 'string') {
    const found = access(object, index.value, position, scope);
    if (found === null) throw mismatch(context, { position }, '按名称取值', 'access by name');
    return found;
  }
  const [of, by] = [familyOf(object.type), familyOf(index.type)];
  const isNamed = by === 'string' || by === 'any';
  const isCounted = by === 'number' || by === 'any';
  if (isNamed && isElement(object)) refuseValuesOfMemory(position, context);
  if (isNamed && (isElement(object) || of === 'map' || (of === 'any' && by === 'string')))
    return { kind: 'entry', type: 'any', object, name: index, position };
  if (isCounted && (of === 'list' || (of === 'any' && by === 'number')))
    return { kind: 'item', type: 'any', list: object, index, position };
  throw mismatch(context, { position }, '下标', 'an index');
}

function typeSlice(expression: Expression & { kind: 'slice' }, scope: ExpressionScope): TypedExpression {
  const { context } = scope;
  const list = typeExpression(expression.object, scope);
  if (!mayBe(list.type, 'list')) throw mismatch(context, expression, '切片', 'a slice');
  const bound = (end: Expression | null): TypedExpression | null => {
    if (end === null) return null;
    const typed = typeExpression(end, scope);
    if (!mayBe(typed.type, 'number')) throw mismatch(context, end, '切片', 'a slice');
    return typed;
  };
  return { kind: 'slice', type: 'list', list, from: bound(expression.from), to: bound(expression.to), position: expression.position };
}

function typeList(items: TypedExpression[], position: number, context: QueryContext): TypedExpression {
  const constants = items.map(item => (item.kind === 'constant' ? item.value : undefined));
  if (constants.every(value => value !== undefined)) return boundedConstant(constants, position, context);
  return { kind: 'list', type: 'list', items, position };
}

function typeMap(entries: { name: string; value: TypedExpression }[], position: number, context: QueryContext): TypedExpression {
  if (entries.some(({ value }) => value.kind !== 'constant')) return { kind: 'map', type: 'map', entries, position };
  const map = Object.create(null) as Record<string, Constant>;
  for (const { name, value } of entries) if (value.kind === 'constant') map[name] = value.value;
  return boundedConstant(map, position, context);
}

/** Checks the size of a list or map of constants here, because PostgreSQL never sees its parts: `[$p, $p, …]` multiplies a parameter. */
function boundedConstant(value: Constant, position: number, context: QueryContext): TypedExpression {
  const size = sizeOfConstant(value);
  if (size > maxValueBytes) throw new ValueTooLargeError(size, maxValueBytes, context.place(position));
  return constant(value, position);
}

function typeCase(expression: Expression & { kind: 'case' }, scope: ExpressionScope): TypedExpression {
  const { position } = expression;
  const typed = (inner: Expression) => typeExpression(inner, scope);
  const subject = expression.subject === null ? null : typed(expression.subject);
  const isRepeated = subject === null || subject.kind === 'constant' || isElement(subject);
  // Every branch compares with the subject, so a subject that has to be computed is computed once.
  const compared: TypedExpression | null = isRepeated ? subject : { kind: 'caseSubject', type: subject.type, position };
  const branches = expression.branches.map(({ when, then }) => ({
    when: compared === null ? typeCondition(when, scope) : equality('=', compared, typed(when), position),
    then: typed(then),
  }));
  const otherwise = expression.otherwise === null ? constant(null, position) : typed(expression.otherwise);
  const results = [...branches.map(({ then }) => then), otherwise].filter(result => !isNull(result));
  const type = typeOfCase(results.map(result => result.type));
  return { kind: 'case', type, subject: isRepeated ? null : subject, branches, otherwise, position };
}

/** Texts and dates become text. Lists, maps and elements cannot be told from other values. */
function typeOfCase(types: ValueType[]): ValueType {
  const type = commonType(types);
  switch (familyOf(type)) {
    case 'number':
    case 'boolean':
      return type;
    case 'string':
      return 'string';
    default:
      return 'any';
  }
}

function typeCall(expression: Expression & { kind: 'call' }, scope: ExpressionScope): TypedExpression {
  const { context } = scope;
  const { name, args, position } = expression;
  const place = context.place(position);
  if (isAggregate(expression)) throw new CypherSyntaxError({ zh: '此处不能使用聚合函数', en: 'An aggregate cannot stand here' }, place);
  const end = { startnode: 'source' as const, endnode: 'target' as const }[name.toLowerCase()];
  if (end !== undefined && args.length === 1 && args[0]) return typeEnd(end, args[0], expression, scope);
  const found = findFunction(name);
  if (!found) {
    const nearest = nearestName(name, functionNames);
    throw new CypherNotSupportedError(
      `${name}()`,
      place,
      nearest === null ? undefined : { zh: `，是否指 ${nearest}()？`, en: `; did you mean ${nearest}()?` },
    );
  }
  const { signature } = found;
  if (args.length < signature.least || args.length > signature.most) {
    const count = signature.least === signature.most ? `${signature.least}` : `${signature.least}–${signature.most}`;
    throw context.error(
      `${name}() 需要 ${count} 个参数，实际 ${args.length} 个`,
      `${name}() takes ${count} arguments, not ${args.length}`,
      position,
    );
  }
  const values = args.map(arg => typeExpression(arg, scope));
  const types = values.map(value => value.type);
  const [only] = values.length === 1 ? values : [];
  // Every function with one argument gives null for null.
  if (only && isNull(only) && found.name !== 'exists') return constant(null, position);
  if (only && found.name === 'coalesce') return only;
  if (found.name === 'properties' && only && isElement(only)) refuseValuesOfMemory(position, context);
  if (found.name === 'date' && types[0] === 'map') throw new CypherNotSupportedError(notInSql.dateOfMap, place);
  if (!takes(signature, types) || (found.name === 'date' && only && !mayBeDate(only)))
    throw mismatch(context, expression, ` ${name}() 的参数`, `an argument of ${name}()`);
  return { kind: 'call', type: typeOfCall(signature, types), function: found.name, args: values, position };
}

/** @throws CypherNotSupportedError if the properties of an element that is not known by name may be of types that SQL does not have */
function refuseValuesOfMemory(position: number, context: QueryContext): void {
  if (context.schema.hasValuesOfMemory) throw new CypherNotSupportedError(notInSql.valuesOfMemory, context.place(position));
}

function mayBeDate(value: TypedExpression): boolean {
  return value.kind !== 'constant' || typeof value.value !== 'string' || isDate(value.value.replace(/T.*$/, ''));
}

/** startNode(r) is the very node that the pattern binds, if the pattern gives the relationship a direction. */
function typeEnd(end: 'source' | 'target', argument: Expression, { position }: Expression, scope: ExpressionScope): TypedExpression {
  const { context } = scope;
  const edge = typeExpression(argument, scope);
  if (edge.kind !== 'variable' || edge.type !== 'edge' || edge.element === null)
    throw mismatch(context, { position }, ' startNode()/endNode() 的参数', 'an argument of startNode() or endNode()');
  const node = scope.patterns.endOf(edge.element, end);
  // Among the columns of a group, the node is there only if the group has it as a key.
  const found = node && scope.resolve({ kind: 'variable', name: node.variable, position });
  if (!found) throw new CypherNotSupportedError(notInSql.endsWithoutDirection, context.place(position));
  return found;
}
