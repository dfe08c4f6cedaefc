import { type Bilingual } from '../../text/bilingual.js';
import { type ComparisonOperator, type StringOperator } from '../syntax/cypher-ast.js';
import { type CypherValue } from '../values/cypher-value.js';
import { type ValueType } from '../values/value-type.js';

export type AggregateName = 'count' | 'sum' | 'avg' | 'min' | 'max';

/**
 * The type in which SQL holds values while it compares or calculates with them. A date-time is a `timestamp` when it is compared with a
 * text that names no zone. A property is `jsonb` when a condition only tests whether it equals a constant.
 */
export type Form = 'int8' | 'float8' | 'numeric' | 'text' | 'boolean' | 'date' | 'timestamp' | 'jsonb';

/**
 * An expression that SQL can evaluate exactly: its names are resolved, and the types of its values are certain. `canFail` is set if the
 * evaluation may end in an error, such as a division by zero.
 */
export type TypedExpression = { type: ValueType; position: number; canFail?: true } & (
  | { kind: 'constant'; value: CypherValue }
  /** `element`: the node or edge of the pattern that the variable stands for; null for a column of a group that is not a node or edge. */
  | { kind: 'variable'; name: string; element: string | null }
  /**
   * A property of a node or edge. `word` is the mapping's word for its type; '' if the schema does not know the property, null if its
   * labels disagree.
   */
  | { kind: 'property'; object: TypedExpression; name: string; word: string | null; mayBeTime: boolean }
  | { kind: 'logical'; operator: 'AND' | 'OR' | 'XOR'; operands: TypedExpression[] }
  | { kind: 'not'; operand: TypedExpression }
  | { kind: 'negate'; operand: TypedExpression }
  | { kind: 'arithmetic'; operator: '+' | '-' | '*' | '/' | '%'; left: TypedExpression; right: TypedExpression }
  /** Two nodes or edges are compared by id: `form` is null. */
  | { kind: 'comparison'; operator: ComparisonOperator; form: Form | null; left: TypedExpression; right: TypedExpression }
  | { kind: 'stringTest'; operator: StringOperator; left: TypedExpression; right: TypedExpression }
  | { kind: 'in'; form: Form; item: TypedExpression; list: readonly CypherValue[] }
  | { kind: 'isNull'; negated: boolean; operand: TypedExpression }
  /** The element must have at least one label of every group. */
  | { kind: 'hasLabels'; object: TypedExpression; labels: string[][] }
  | { kind: 'call'; function: 'id' | 'elementid' | 'type' | 'size' | 'coalesce'; args: TypedExpression[] }
  /** `argument` is null for `count(*)`. Occurs only among the columns of an aggregation. */
  | { kind: 'aggregate'; function: AggregateName; distinct: boolean; argument: TypedExpression | null }
);

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
      return [];
    case 'property':
    case 'hasLabels':
      return [expression.object];
    case 'logical':
      return expression.operands;
    case 'not':
    case 'negate':
    case 'isNull':
      return [expression.operand];
    case 'arithmetic':
    case 'comparison':
    case 'stringTest':
      return [expression.left, expression.right];
    case 'in':
      return [expression.item];
    case 'call':
      return expression.args;
    case 'aggregate':
      return expression.argument ? [expression.argument] : [];
    default:
      return expression satisfies never;
  }
}
