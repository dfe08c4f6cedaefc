import { type Expression, type Quantifier } from '../../syntax/cypher-ast.js';
import { type CypherValue, isList } from '../../values/cypher-value.js';
import { typeNameOf } from '../../values/type-names.js';
import { ValueFault } from '../../values/value-fault.js';
import { GrowingList } from '../../values/growing-list.js';
import { compileCondition, compile, type ExpressionPlace } from './expression-place.js';
import { hasAggregateCall } from './aggregate-calls.js';
import { type Evaluate, type Row } from './scope.js';
import { isPlain, itemType, staticType } from './static-type.js';

type Iteration = Expression & { kind: 'listComprehension' | 'quantifier' | 'reduce' };

/** Compiles an expression that goes through a list with a variable of its own. */
export function compileIteration(expression: Iteration, place: ExpressionPlace): Evaluate {
  const { query } = place;
  const type = staticType(expression.list, place.scope);
  if (isPlain(type) && type !== 'list')
    throw query.error('InvalidArgumentType', { zh: '此处须为列表', en: 'A list is expected here' }, expression.list.position);
  const list = compile(expression.list, place);
  const { scope, slot } = place.scope.with(expression.variable, itemType(expression.list, place.scope));
  const inner = inside(place, scope, expression.variable);
  const body = bodyOf(expression, inner, list, slot);
  return query.at(expression.position, row => {
    try {
      return body(row);
    } finally {
      // Clear the slot of the variable: every value in the slots of a row counts as evidence of the row.
      row[slot] = null;
    }
  });
}

function bodyOf(expression: Iteration, inner: ExpressionPlace, list: Evaluate, slot: number): Evaluate {
  const { work } = inner.query;
  switch (expression.kind) {
    case 'listComprehension': {
      const where = expression.where && conditionOf(expression.where, inner);
      const projection = expression.projection && innerOf(expression.projection, inner);
      return row => {
        const items = itemsOf(list(row));
        if (items === null) return null;
        const found = new GrowingList();
        for (const item of items) {
          work.step();
          row[slot] = item;
          if (where && where(row) !== true) continue;
          found.push(projection ? projection(row) : item);
        }
        return found.whole();
      };
    }
    case 'quantifier': {
      const where = expression.where ? conditionOf(expression.where, inner) : (row: Row) => booleanItem(row[slot] ?? null);
      const { quantifier } = expression;
      return row => {
        const items = itemsOf(list(row));
        if (items === null) return null;
        let [held, unknown] = [0, 0];
        for (const item of items) {
          work.step();
          row[slot] = item;
          const value = where(row);
          if (value === true) held += 1;
          else if (value === null) unknown += 1;
        }
        return verdictOf(quantifier, items.length, held, unknown);
      };
    }
    case 'reduce': {
      const initial = compile(expression.initial, { ...inner, scope: inner.scope });
      const { scope, slot: accumulator } = inner.scope.with(expression.accumulator, 'any');
      const step = innerOf(expression.step, inside(inner, scope, expression.accumulator));
      return row => {
        const items = itemsOf(list(row));
        if (items === null) return null;
        let value = initial(row);
        for (const item of items) {
          work.step();
          row[slot] = item;
          row[accumulator] = value;
          value = step(row);
        }
        row[accumulator] = null;
        return value;
      };
    }
    default:
      return expression satisfies never;
  }
}

/** The place inside an iteration. The variable of the iteration hides a column of a group with the same name. */
function inside(place: ExpressionPlace, scope: ExpressionPlace['scope'], variable: string): ExpressionPlace {
  const { resolve } = place;
  if (!resolve) return { query: place.query, scope };
  return {
    query: place.query,
    scope,
    resolve: expression => {
      if (expression.kind === 'variable') {
        if (expression.name !== variable) return resolve(expression);
        const slot = scope.find(variable)?.slot ?? 0;
        return row => row[slot] ?? null;
      }
      return resolve(expression);
    },
  };
}

function innerOf(expression: Expression, place: ExpressionPlace): Evaluate {
  refuseAggregates(expression, place);
  return compile(expression, place);
}

function conditionOf(expression: Expression, place: ExpressionPlace): Evaluate {
  refuseAggregates(expression, place);
  return compileCondition(expression, place);
}

function refuseAggregates(expression: Expression, { query }: ExpressionPlace): void {
  if (hasAggregateCall(expression))
    throw query.error('InvalidAggregation', { zh: '此处不能使用聚合函数', en: 'An aggregate cannot stand here' }, expression.position);
}

function itemsOf(value: CypherValue): readonly CypherValue[] | null {
  if (value === null || isList(value)) return value;
  const { zh, en } = typeNameOf(value);
  throw new ValueFault('TypeError', 'InvalidArgumentType', { zh: `此处须为列表，而非${zh}`, en: `A list is expected here, not ${en}` });
}

function booleanItem(value: CypherValue): CypherValue {
  return typeof value === 'boolean' ? value : null;
}

/** The result of a quantifier over `count` items. Null if it depends on items for which the condition is null. */
function verdictOf(quantifier: Quantifier, count: number, held: number, unknown: number): boolean | null {
  const failed = count - held - unknown;
  switch (quantifier) {
    case 'all':
      return failed > 0 ? false : unknown > 0 ? null : true;
    case 'any':
      return held > 0 ? true : unknown > 0 ? null : false;
    case 'none':
      return held > 0 ? false : unknown > 0 ? null : true;
    case 'single':
      return held > 1 ? false : unknown > 0 ? null : held === 1;
    default:
      return quantifier satisfies never;
  }
}
