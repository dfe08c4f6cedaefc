import { constantIn, formOf } from '../../semantics/forms.js';
import { type Form, type TypedExpression } from '../../semantics/typed-tree.js';
import { type CypherValue } from '../../values/cypher-value.js';
import { type ValueType } from '../../values/value-type.js';
import { type SqlParameters } from '../../../sql/sql-parameters.js';

/** SQL for the parts of a matched node or edge. The `label` of an edge is SQL for its type. Only edges have `ends`. */
export interface Entity {
  id: string;
  label: string;
  properties: string;
  ends?: { source: string; target: string };
}

/** The SQL of the variables that an expression may read. */
export interface ExpressionScope {
  parameters: SqlParameters;
  /** SQL of the matched node or edge with this name, or of the column of a group that holds a node or an edge. */
  entity(name: string): Entity;
  /** SQL of a column of a group that holds any other value. */
  column(name: string): string;
  /** Notes a text that the statement looks for in other texts. @throws NotInSqlError if all of them together may be long */
  seek(text: TypedExpression): void;
}

/**
 * SQL for the value of an expression, in the SQL type `form`. A value of another type than the declared one, an overflow and a division by
 * zero fail with an SQLSTATE of class 22. Every value that SQL returns is exactly the value that the executor in memory would return.
 */
export function compileExpression(expression: TypedExpression, form: Form, scope: ExpressionScope): string {
  if (expression.kind === 'constant') return bound(expression.value, form, scope);
  if (form === 'jsonb' && expression.kind === 'property') return compileRawProperty(expression, scope);
  if (form === 'timestamp' && expression.kind === 'property') return localTime(compileRawProperty(expression, scope));
  const own = formOf(expression.type);
  if (own === null) throw new Error(`A value of type ${expression.type} has no form in SQL`);
  const sql = compiled(expression, scope);
  return own === form ? sql : `(${sql})::${form}`;
}

/** SQL that is NULL exactly when the value of the expression is null, for IS NULL and count. */
export function compilePresence(expression: TypedExpression, scope: ExpressionScope): string {
  if (expression.kind === 'variable' && expression.element !== null) return scope.entity(expression.name).id;
  if (expression.kind === 'property')
    return `(${propertiesOf(expression.object, scope)} ->> ${scope.parameters.bind(expression.name, 'text')})`;
  const form = formOf(expression.type);
  if (form === null) return expression.type === 'null' ? 'NULL' : 'true';
  return compileExpression(expression, form, scope);
}

/** SQL for a property as jsonb, of any type. */
export function compileRawProperty(expression: TypedExpression & { kind: 'property' }, scope: ExpressionScope): string {
  return `(${propertiesOf(expression.object, scope)} -> ${scope.parameters.bind(expression.name, 'text')})`;
}

/** Compiles a condition to a boolean of SQL. */
export function compileCondition(expression: TypedExpression, scope: ExpressionScope): string {
  return compileExpression(expression, 'boolean', scope);
}

function compiled(expression: Exclude<TypedExpression, { kind: 'constant' }>, scope: ExpressionScope): string {
  const condition = (operand: TypedExpression) => compileCondition(operand, scope);
  const inForm = (operand: TypedExpression, form: Form) => compileExpression(operand, form, scope);
  switch (expression.kind) {
    case 'variable': {
      const column = scope.column(expression.name);
      return expression.type === 'number' ? `coalesce(${column}, 0)` : column;
    }
    case 'property':
      return typedProperty(compileRawProperty(expression, scope), expression.type);
    case 'logical':
      return `(${expression.operands.map(condition).join(expression.operator === 'XOR' ? ' <> ' : ` ${expression.operator} `)})`;
    case 'not':
      return `(NOT ${condition(expression.operand)})`;
    case 'negate':
      return `(- ${inForm(expression.operand, formOf(expression.type)!)})`;
    case 'arithmetic':
      return compileArithmetic(expression, scope);
    case 'comparison': {
      const { left, right, operator, form } = expression;
      if (form === null) return `(${compilePresence(left, scope)} ${operator} ${compilePresence(right, scope)})`;
      return `(${inForm(left, form)} ${operator} ${inForm(right, form)}${collation(form)})`;
    }
    case 'stringTest': {
      const { left, right } = expression;
      if (expression.operator === 'CONTAINS') scope.seek(right);
      const [text, part] = [inForm(left, 'text'), inForm(right, 'text')];
      if (expression.operator === 'CONTAINS') return `(position(${part} IN ${text}) > 0)`;
      return expression.operator === 'STARTS WITH' ? `starts_with(${text}, ${part})` : `(right(${text}, length(${part})) = ${part})`;
    }
    case 'in': {
      const { form, item, list } = expression;
      const values = scope.parameters.bind(
        list.map(value => constantIn(value, form)),
        `${form}[]`,
      );
      // PostgreSQL puts a list into a hash table in one go, slowly if many texts have one hash. A sub-select it can interrupt.
      return list.length > mostInOneGo
        ? `(${inForm(item, form)} IN (SELECT unnest(${values})))`
        : `(${inForm(item, form)} = ANY(${values}))`;
    }
    case 'isNull':
      return `(${compilePresence(expression.operand, scope)} IS ${expression.negated ? 'NOT ' : ''}NULL)`;
    case 'hasLabels': {
      const { label } = entityOf(expression.object, scope);
      return `(${expression.labels.map(group => `${label} = ANY(${scope.parameters.bind(group, 'text[]')})`).join(' AND ')})`;
    }
    case 'call':
      return compileCall(expression, scope);
    case 'aggregate':
      throw new Error('An aggregate stands only among the columns of an aggregation');
    default:
      return expression satisfies never;
  }
}

/** Maximum values of a list that stands in a statement as one array. */
const mostInOneGo = 1_000;

/**
 * SQL for an arithmetic operation. Integers and floats that overflow or are divided by zero fail with an error of SQL. Decimals are kept
 * within the range of the decimals in memory.
 */
function compileArithmetic({ operator, type, left, right }: TypedExpression & { kind: 'arithmetic' }, scope: ExpressionScope): string {
  const form = formOf(type)!;
  const [a, b] = [compileExpression(left, form, scope), compileExpression(right, form, scope)];
  if (form !== 'numeric') return `(${a} ${operator} ${b})`;
  const isHeld = `scale(d.a) + scale(d.b) <= 2000 AND greatest(abs(d.a), abs(d.b)) < 1e900`;
  return `(SELECT CASE WHEN ${isHeld} THEN d.a ${operator} d.b WHEN ${isHeld} IS NOT NULL THEN ${failing('d.a::text')}::numeric END FROM (SELECT ${a} AS a, ${b} AS b OFFSET 0) AS d)`;
}

function compileCall({ function: name, args }: TypedExpression & { kind: 'call' }, scope: ExpressionScope): string {
  const [first] = args as [TypedExpression];
  switch (name) {
    case 'id':
      return entityOf(first, scope).id;
    case 'elementid':
      return `(${entityOf(first, scope).id})::text`;
    case 'type':
      return entityOf(first, scope).label;
    case 'size':
      return `length(${compileExpression(first, 'text', scope)})::int8`;
    case 'coalesce': {
      const form = formOf(first.type)!;
      return `coalesce(${args.map(arg => compileExpression(arg, form, scope)).join(', ')})`;
    }
    default:
      return name satisfies never;
  }
}

/** SQL for a property in the form of its declared type. A value of any other type fails. */
function typedProperty(json: string, type: ValueType): string {
  switch (type) {
    case 'integer':
      return `(${json})::text::int8`;
    case 'float':
      return `(${json})::text::float8`;
    case 'decimal':
      return `(${json})::text::numeric`;
    case 'boolean':
      return `(${json})::boolean`;
    case 'string':
      return `(CASE WHEN jsonb_typeof(${json}) = 'string' THEN ${json} #>> '{}' WHEN ${json} IS NOT NULL THEN ${failing(`jsonb_typeof(${json})`)}::text END)`;
    case 'date':
      return `(CASE WHEN (${json})::text ~ '^"\\d{4}-\\d{2}-\\d{2}"$' THEN (${json} #>> '{}')::date WHEN ${json} IS NOT NULL THEN ${failing(`jsonb_typeof(${json})`)}::text::date END)`;
    default:
      throw new Error(`A property of type ${type} has no form in SQL`);
  }
}

/** SQL for the local time of a date-time in its own zone. NULL for a missing value; any other text or value fails. */
function localTime(json: string): string {
  const text = `(${json} #>> '{}')`;
  return `(CASE WHEN (${json})::text ~ '^"\\d{4}-\\d{2}-\\d{2}T[\\d:.]+[+-]\\d{2}:\\d{2}(:\\d{2})?"$' THEN regexp_replace(${text}, '[+-][0-9:]+$', '')::timestamp WHEN ${json} IS NOT NULL THEN ${failing(`jsonb_typeof(${json})`)}::text::timestamp END)`;
}

/**
 * SQL of type int that always fails with SQLSTATE 22P02 when it is evaluated. `text` must depend on a row: PostgreSQL evaluates constants
 * early.
 */
export function failing(text: string): string {
  return `('not exact: ' || ${text})::int`;
}

export function collation(form: Form): string {
  return form === 'text' ? ' COLLATE "C"' : '';
}

function bound(value: CypherValue, form: Form, { parameters }: ExpressionScope): string {
  const held = constantIn(value, form);
  if (held === undefined) throw new Error(`A constant has no exact ${form}`);
  return parameters.bind(held, form);
}

function entityOf(expression: TypedExpression, scope: ExpressionScope): Entity {
  if (expression.kind !== 'variable') throw new Error('Only variables are elements');
  return scope.entity(expression.name);
}

function propertiesOf(object: TypedExpression, scope: ExpressionScope): string {
  return entityOf(object, scope).properties;
}
