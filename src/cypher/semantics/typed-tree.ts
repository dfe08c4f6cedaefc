import { type Bilingual } from '../../text/bilingual.js';
import { type ArithmeticOperator, type ComparisonOperator, type StringOperator } from '../syntax/cypher-ast.js';
import { type Constant } from '../values/constant.js';
import { type ValueType } from '../values/value-type.js';
import { type FunctionName } from './functions.js';

export type AggregateName = 'count' | 'sum' | 'avg' | 'min' | 'max' | 'collect';

/**
 * An expression with resolved names and types. Its meaning depends only on the values of its variables. `position` is the offset in
 * the query text, for errors at run time.
 */
export type TypedExpression = { type: ValueType; position: number } & (
  | { kind: 'constant'; value: Constant }
  /** `element`: the node or edge of the pattern behind the variable, also under another name; null for any other value. */
  | { kind: 'variable'; name: string; element: string | null }
  /** A property of a node or edge, under its stored name. */
  | { kind: 'property'; object: TypedExpression; name: string }
  /** The entry of a map, or a property of a node or edge with a computed name. */
  | { kind: 'entry'; object: TypedExpression; name: TypedExpression }
  /** The item of a list, counted from 0, or from the end if below zero. */
  | { kind: 'item'; list: TypedExpression; index: TypedExpression }
  | { kind: 'slice'; list: TypedExpression; from: TypedExpression | null; to: TypedExpression | null }
  | { kind: 'datePart'; date: TypedExpression; part: DatePart }
  | { kind: 'list'; items: TypedExpression[] }
  | { kind: 'map'; entries: { name: string; value: TypedExpression }[] }
  | { kind: 'logical'; operator: 'AND' | 'OR' | 'XOR'; operands: TypedExpression[] }
  | { kind: 'not'; operand: TypedExpression }
  | { kind: 'sign'; operator: '-' | '+'; operand: TypedExpression }
  | { kind: 'arithmetic'; operator: ArithmeticOperator; left: TypedExpression; right: TypedExpression }
  /** `+` of texts, with numbers and booleans as their text. */
  | { kind: 'join'; left: TypedExpression; right: TypedExpression }
  /** `+` of lists; anything else is a list of one. */
  | { kind: 'append'; left: TypedExpression; right: TypedExpression }
  /** `+` when only the values tell which of the three it is. */
  | { kind: 'plus'; left: TypedExpression; right: TypedExpression }
  | { kind: 'comparison'; operator: ComparisonOperator; left: TypedExpression; right: TypedExpression }
  | { kind: 'stringTest'; operator: StringOperator; left: TypedExpression; right: TypedExpression }
  | { kind: 'in'; item: TypedExpression; list: TypedExpression }
  | { kind: 'isNull'; negated: boolean; operand: TypedExpression }
  /** One label of every group must be the element's. */
  | { kind: 'hasLabels'; object: TypedExpression; labels: string[][] }
  | { kind: 'call'; function: FunctionName; args: TypedExpression[] }
  | {
      kind: 'case';
      subject: TypedExpression | null;
      branches: { when: TypedExpression; then: TypedExpression }[];
      otherwise: TypedExpression;
    }
  /** The subject of the innermost CASE around it. */
  | { kind: 'caseSubject' }
  /** `argument` is null for `count(*)`. Occurs only among the columns of an aggregation. */
  | { kind: 'aggregate'; function: AggregateName; distinct: boolean; argument: TypedExpression | null }
);

export type DatePart = 'year' | 'quarter' | 'month' | 'day';
export type TypedConstant = TypedExpression & { kind: 'constant' };
export type TypedAggregate = TypedExpression & { kind: 'aggregate' };

export interface QueryWarning {
  code: 'unknown_label' | 'unknown_type' | 'unknown_property' | 'unused_parameter' | 'type_mismatch';
  text: Bilingual;
  context: Record<string, unknown>;
}

/** The expressions directly under this one. */
export function operandsOf(expression: TypedExpression): TypedExpression[] {
  switch (expression.kind) {
    case 'constant':
    case 'variable':
    case 'caseSubject':
      return [];
    case 'property':
    case 'hasLabels':
      return [expression.object];
    case 'entry':
      return [expression.object, expression.name];
    case 'item':
      return [expression.list, expression.index];
    case 'slice':
      return [expression.list, expression.from, expression.to].filter(operand => operand !== null);
    case 'datePart':
      return [expression.date];
    case 'list':
      return expression.items;
    case 'map':
      return expression.entries.map(({ value }) => value);
    case 'logical':
      return expression.operands;
    case 'not':
    case 'sign':
    case 'isNull':
      return [expression.operand];
    case 'arithmetic':
    case 'join':
    case 'append':
    case 'plus':
    case 'comparison':
    case 'stringTest':
      return [expression.left, expression.right];
    case 'in':
      return [expression.item, expression.list];
    case 'call':
      return expression.args;
    case 'case': {
      const branches = expression.branches.flatMap(({ when, then }) => [when, then]);
      return [...(expression.subject ? [expression.subject] : []), ...branches, expression.otherwise];
    }
    case 'aggregate':
      return expression.argument ? [expression.argument] : [];
    default:
      return expression satisfies never;
  }
}
