import { childrenOf, type Expression, isConstant, type MapEntry, walk } from '../../syntax/cypher-ast.js';
import { freeVariables } from '../../syntax/free-variables.js';
import { propertyOf } from '../../functions/value-access.js';
import { type CypherValue, isList } from '../../values/cypher-value.js';
import { Decimal } from '../../values/decimal.js';
import { spend } from '../../syntax/effort.js';
import { isNumber } from '../../values/numbers.js';
import { hasAggregateCall } from './aggregate-calls.js';
import { type NumberTest } from './column-test.js';
import { areEqual } from './compile-operators.js';
import { compile, compileCondition, type ExpressionPlace } from './expression-place.js';
import { isNode } from './match-step.js';
import { type PatternEdge, type PatternGraph } from './pattern-graph.js';
import { labelTest } from './label-test.js';
import { type Row, type Scope } from './scope.js';

/** A condition of a match, with the slots that must be bound before it can be tested. */
export interface Check {
  slots: ReadonlySet<number>;
  holds: (row: Row) => boolean;
  /** Whether the condition tests only the labels of a node in the pattern. */
  ofLabels: boolean;
  /**
   * Whether the condition may throw an error. False for comparisons of properties with constants and other properties, although such a
   * comparison throws for a text that is compared with a time and cannot be read as a time.
   */
  mayFail: boolean;
  /** The name of the property that decides the condition, if only one property of one variable does; null otherwise. */
  property: string | null;
  /** The results of the condition if the value of `property` is a number; null if they are unknown. */
  numbers: NumberTest | null;
}

export function checksOfNodes({ nodes }: PatternGraph, place: ExpressionPlace): Check[] {
  return nodes.flatMap(node => {
    const checks: Check[] = [];
    const { slot, labels } = node;
    if (labels.length > 0) {
      const carries = labelTest(labels);
      const holds = (row: Row): boolean => {
        const value = row[slot] ?? null;
        // The value may be null: OPTIONAL MATCH may have left the bound node null.
        return isNode(value) && carries(value.labels);
      };
      checks.push({ ...nothingKnown, slots: new Set([slot]), holds, ofLabels: true });
    }
    // If no value of the properties can throw an error, each property becomes a condition of its own.
    const groups = node.properties.every(({ value }) => isHarmless(value)) ? node.properties.map(entry => [entry]) : [node.properties];
    for (const entries of groups) {
      if (entries.length === 0) continue;
      const holds = propertyCheck(entries, place);
      const [entry] = entries;
      const isDecided = entries.length === 1 && isConstant(entry!.value) && !entry!.storedNames;
      checks.push({
        ...nothingKnown,
        slots: new Set([slot, ...slotsIn(entries, place.scope)]),
        holds: row => holds(row[slot] ?? null, row),
        mayFail: !entries.every(({ value }) => isHarmless(value)),
        ...(isDecided && { property: entry!.name, numbers: numberTest('=', entry!.value, place) }),
      });
    }
    return checks;
  });
}

/**
 * Conditions on the properties of each edge, or of each edge of a list. A shortest path that is not bound has no such conditions: its
 * search tests the properties, since they decide which path is found.
 */
export function checksOfEdges(
  { edges }: PatternGraph,
  place: ExpressionPlace,
  fitsOf: ReadonlyMap<PatternEdge, PropertyCheck>,
): Map<PatternEdge, Check> {
  const checked = edges.filter(({ properties, shortest, bound }) => properties.length > 0 && (shortest === null || bound));
  return new Map(
    checked.map(edge => {
      const fits = fitsOf.get(edge)!;
      const holds = (row: Row): boolean => {
        const value = row[edge.slot] ?? null;
        if (isList(value)) spend(value.length);
        return isList(value) ? value.every(each => fits(each, row)) : fits(value, row);
      };
      return [edge, { ...nothingKnown, slots: new Set([edge.slot, ...slotsIn(edge.properties, place.scope)]), holds, mayFail: true }];
    }),
  );
}

/** Whether a node or edge has the properties of its pattern. */
export type PropertyCheck = (element: CypherValue, row: Row) => boolean;

export function propertyCheck(properties: MapEntry[], place: ExpressionPlace): PropertyCheck {
  const wanted = properties.map(({ value, ...entry }) => ({ ...entry, valueOf: compile(value, place) }));
  return (element, row) =>
    wanted.every(({ name, storedNames, valueOf, position }) => {
      try {
        return areEqual(propertyOf(element, name, storedNames), valueOf(row)) === true;
      } catch (fault) {
        throw place.query.placed(fault, position);
      }
    });
}

export function slotsIn(properties: readonly Pick<MapEntry, 'value'>[], scope: Scope): number[] {
  return properties.flatMap(({ value }) => slotsOf(value, scope));
}

function slotsOf(expression: Expression, scope: Scope): number[] {
  const names: string[] = [];
  // A harmless condition declares no variables, so each variable in it is a variable of the scope.
  if (isHarmless(expression)) walk(expression, inner => inner.kind === 'variable' && names.push(inner.name));
  else names.push(...freeVariables(expression, scope.variables.keys()).map(({ name }) => name));
  return names.flatMap(name => scope.find(name)?.slot ?? []);
}

/** Splits WHERE at AND into conditions. A condition that may throw an error is tested only when all variables of the match are bound. */
export function checksOfWhere(where: Expression, place: ExpressionPlace): Check[] {
  if (hasAggregateCall(where))
    throw place.query.error(
      'InvalidAggregation',
      { zh: 'WHERE 中不能使用聚合函数', en: 'An aggregate cannot stand in WHERE' },
      where.position,
    );
  const all = allSlots(place.scope);
  return conjunctsOf(where).map(part => {
    const condition = compileCondition(part, place);
    const mayFail = !isHarmless(part);
    const slots = mayFail ? all : new Set(slotsOf(part, place.scope));
    const property = mayFail ? null : propertyAsked(part);
    return {
      slots,
      holds: row => condition(row) === true,
      ofLabels: false,
      mayFail,
      property,
      numbers: property === null ? null : numbersOf(part, place),
    };
  });
}

export function conjunctsOf(where: Expression): Expression[] {
  return where.kind === 'logical' && where.operator === 'AND' ? where.operands : [where];
}

function allSlots(scope: Scope): Set<number> {
  return new Set([...scope.variables.values()].map(({ slot }) => slot));
}

/** Whether the expression throws no error, except for a text that is compared with a time and cannot be read as a time. */
function isHarmless(expression: Expression): boolean {
  switch (expression.kind) {
    case 'literal':
    case 'number':
    case 'parameter':
    case 'variable':
      return true;
    case 'property':
      return expression.object.kind === 'variable';
    case 'hasLabels':
      return expression.object.kind === 'variable';
    case 'binary':
      return (
        ['=', '<>', '<', '<=', '>', '>=', 'STARTS WITH', 'ENDS WITH', 'CONTAINS'].includes(expression.operator) &&
        childrenOf(expression).every(child => child.kind !== 'binary' && isHarmless(child))
      );
    case 'isNull':
      return isHarmless(expression.operand);
    default:
      return false;
  }
}

const nothingKnown = { ofLabels: false, mayFail: false, property: null, numbers: null };

/** The property that a harmless condition reads. Null if it reads several properties, or a whole variable. */
function propertyAsked(condition: Expression): string | null {
  const asked = new Map<string, string>();
  let isDecided = true;
  visit(condition);
  const [name, ...others] = asked.values();
  return isDecided && name !== undefined && others.length === 0 ? name : null;

  function visit(expression: Expression): void {
    if (expression.kind === 'property' && expression.storedNames) isDecided = false;
    else if (expression.kind === 'property' && expression.object.kind === 'variable')
      asked.set(JSON.stringify([expression.object.name, expression.name]), expression.name);
    else if (expression.kind === 'variable') isDecided = false;
    else childrenOf(expression).forEach(visit);
  }
}

const mirrored: Partial<Record<string, string>> = { '<': '>', '<=': '>=', '>': '<', '>=': '<=', '=': '=', '<>': '<>' };

/**
 * The results of a condition for numbers in its property, if the condition is IS [NOT] NULL or compares the property with a constant. Null
 * for any other condition.
 */
function numbersOf(condition: Expression, place: ExpressionPlace): NumberTest | null {
  if (condition.kind === 'isNull' && condition.operand.kind === 'property') {
    const { negated } = condition;
    return { than: 0, below: negated, equal: negated, above: negated };
  }
  if (condition.kind !== 'binary') return null;
  const { left, right, operator } = condition;
  if (left.kind === 'property' && isConstant(right)) return numberTest(operator, right, place);
  return right.kind === 'property' && isConstant(left) ? numberTest(mirrored[operator], left, place) : null;
}

/**
 * The results of comparing numbers with a constant. Null unless the operator is a comparison and the constant is a number that a float
 * holds exactly. Decimals and NaN give null too.
 */
function numberTest(operator: string | undefined, constant: Expression, place: ExpressionPlace): NumberTest | null {
  const value = compile(constant, place)([]);
  if (operator === undefined || mirrored[operator] === undefined || !isNumber(value) || value instanceof Decimal) return null;
  const than = Number(value);
  if (Number.isNaN(than) || (typeof value === 'bigint' && BigInt(than) !== value)) return null;
  return {
    than,
    below: ['<', '<=', '<>'].includes(operator),
    equal: ['=', '<=', '>='].includes(operator),
    above: ['>', '>=', '<>'].includes(operator),
  };
}
