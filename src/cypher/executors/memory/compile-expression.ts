import { itemAt, propertyOf, slice } from '../../functions/value-access.js';
import { type Expression } from '../../syntax/cypher-ast.js';
import { MissingParameterError } from '../../syntax/cypher.errors.js';
import { type CypherValue } from '../../values/cypher-value.js';
import { ValueFault } from '../../values/value-fault.js';
import { typeNameOf } from '../../values/type-names.js';
import { listOf } from '../../values/growing-list.js';
import { checkedSize } from '../../values/value-size.js';
import { negate } from '../../values/arithmetic.js';
import { compileCall } from './compile-call.js';
import { undefinedVariable } from './compile-expression-errors.js';
import { compileIteration } from './compile-iterations.js';
import { areEqual, compileBinary } from './compile-operators.js';
import { compilePatternExpression, compilePatternPredicate } from './compile-pattern-expression.js';
import { compileSubquery } from './compile-subquery.js';
import { labelTest } from './label-test.js';
import { type RunningQuery } from './running-query.js';
import { type ExpressionPlace } from './expression-place.js';
import { type Evaluate, type Row } from './scope.js';
import { isPlain, staticType } from './static-type.js';
import { and, booleanOf, not, or } from './truth.js';

/** Work units to compile one expression without its operands, which takes about a microsecond. */
const unitsOfCompiling = 50;

/** Work units to build a map, without the units for its entries. */
const unitsOfMap = 10;

/**
 * Compiles an expression to a function of the row. @throws CypherSyntaxError, CypherValueError for errors that show before the query runs
 */
export function compileExpression(expression: Expression, place: ExpressionPlace): Evaluate {
  place.query.work.spend(unitsOfCompiling);
  const resolved = place.resolve?.(expression);
  if (resolved) return resolved;
  const { query, scope } = place;
  const { position } = expression;
  const compile = (inner: Expression) => compileExpression(inner, place);
  const condition = (inner: Expression) => compileCondition(inner, place);
  switch (expression.kind) {
    case 'literal': {
      const { value } = expression;
      return () => value;
    }
    case 'number': {
      const value = expression.integer ? integerOf(expression.text, query, position) : Number(expression.text);
      return () => value;
    }
    case 'parameter': {
      const value = query.parameters.get(expression.name);
      if (value === undefined) throw new MissingParameterError(expression.name, query.place(position));
      return () => value;
    }
    case 'variable': {
      const variable = scope.find(expression.name);
      if (!variable) throw undefinedVariable(query, expression.name, position);
      const { slot } = variable;
      query.frame.markRead(slot);
      return row => row[slot] ?? null;
    }
    case 'property':
      return compileProperty(expression, place);
    case 'index': {
      const [object, index] = [compile(expression.object), compile(expression.index)];
      const { storedNames } = expression;
      return query.at(position, row => itemAt(object(row), index(row), storedNames));
    }
    case 'slice': {
      const object = compile(expression.object);
      const [from, to] = [expression.from && compile(expression.from), expression.to && compile(expression.to)];
      return query.at(position, row => slice(object(row), from?.(row), to?.(row)));
    }
    case 'list': {
      const items = expression.items.map(compile);
      return query.at(position, row => listOf(items, row));
    }
    case 'map': {
      const names = expression.entries.map(({ name }) => name);
      const makers = expression.entries.map(({ value }) => compile(value));
      return query.at(position, row => {
        query.work.spend(unitsOfMap);
        const values = listOf(makers, row);
        return checkedSize(new Map(names.map((name, i) => [name, values[i] ?? null])));
      });
    }
    case 'logical': {
      const operands = expression.operands.map(condition);
      return expression.operator === 'AND' ? and(operands) : or(operands);
    }
    case 'unary': {
      if (expression.operator === 'NOT') return not(condition(expression.operand));
      const operand = compile(expression.operand);
      return query.at(position, expression.operator === '-' ? row => negate(operand(row)) : row => negate(negate(operand(row))));
    }
    case 'binary':
      if (expression.operator === 'XOR') {
        const [left, right] = [condition(expression.left), condition(expression.right)];
        return row => {
          const [a, b] = [left(row), right(row)];
          return a === null || b === null ? null : a !== b;
        };
      }
      return compileBinary(expression, place);
    case 'isNull': {
      const operand = compile(expression.operand);
      const { negated } = expression;
      return row => (operand(row) === null) !== negated;
    }
    case 'hasLabels': {
      const object = compile(expression.object);
      const carries = labelTest(expression.labels);
      return query.at(position, row => {
        const labels = labelsOf(object(row));
        return labels && carries(labels);
      });
    }
    case 'case':
      return compileCase(expression, place);
    case 'call':
    case 'countAll':
      return compileCall(expression, place);
    case 'listComprehension':
    case 'quantifier':
    case 'reduce':
      return compileIteration(expression, place);
    case 'pattern':
    case 'patternComprehension':
      return compilePatternExpression(expression, place);
    case 'subquery':
      return compileSubquery(expression, place);
    default:
      return expression satisfies never;
  }
}

/** Compiles an expression that must be a boolean or null: in WHERE, and under AND, OR, XOR and NOT. */
export function compileCondition(expression: Expression, place: ExpressionPlace): Evaluate {
  if (expression.kind === 'pattern' && expression.pattern.shortest === null) return compilePatternPredicate(expression, place);
  const type = staticType(expression, place.scope);
  if (!['any', 'null', 'boolean'].includes(type))
    throw place.query.error(
      'InvalidArgumentType',
      { zh: '此处须为布尔条件', en: 'A condition must be a boolean here' },
      expression.position,
    );
  const evaluate = compileExpression(expression, place);
  return place.query.at(expression.position, row => booleanOf(evaluate(row)));
}

function integerOf(text: string, query: RunningQuery, position: number): bigint {
  const value = BigInt(text);
  if (value === BigInt.asIntN(64, value)) return value;
  throw query.error('IntegerOverflow', { zh: `整数超出 64 位范围：${text}`, en: `The integer leaves the 64-bit range: ${text}` }, position);
}

function compileProperty(expression: Expression & { kind: 'property' }, place: ExpressionPlace): Evaluate {
  const { name, position, storedNames } = expression;
  const { query } = place;
  const type = staticType(expression.object, place.scope);
  const object = compileExpression(expression.object, place);
  const sentence = { zh: `此处的值没有属性 ${name}`, en: `There is no property ${name} of this value` };
  if (type === 'path' || type === 'edges') throw query.error('InvalidArgumentType', sentence, position);
  if (isPlain(type) && type !== 'map' && type !== 'temporal') throw query.typeError('InvalidArgumentType', sentence, position);
  return query.at(position, row => propertyOf(object(row), name, storedNames));
}

/** The labels of a node, or the type of a relationship; null for null. */
function labelsOf(value: CypherValue): readonly string[] | null {
  if (value === null) return null;
  if (typeof value === 'object' && 'kind' in value) {
    if (value.kind === 'node') return value.labels;
    if (value.kind === 'edge') return [value.type];
  }
  const { zh, en } = typeNameOf(value);
  throw new ValueFault('TypeError', 'InvalidArgumentType', { zh: `${zh}没有标签`, en: `There are no labels of ${en}` });
}

function compileCase(expression: Expression & { kind: 'case' }, place: ExpressionPlace): Evaluate {
  const otherwise = expression.otherwise ? compileExpression(expression.otherwise, place) : () => null;
  const { query } = place;
  const subject = expression.subject && compileExpression(expression.subject, place);
  const branches = expression.branches.map(({ when, then }) => ({
    when: subject ? compileExpression(when, place) : compileCondition(when, place),
    then: compileExpression(then, place),
    position: when.position,
  }));
  return row => {
    const value = subject?.(row) ?? null;
    for (const { when, then, position } of branches) if (holds(when, position, value, row)) return then(row);
    return otherwise(row);
  };

  function holds(when: Evaluate, position: number, value: CypherValue, row: Row): boolean {
    const found = when(row);
    if (!subject) return found === true;
    query.work.spend(1);
    try {
      return areEqual(value, found) === true;
    } catch (fault) {
      throw query.placed(fault, position);
    }
  }
}
