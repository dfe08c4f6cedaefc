import { type TypedExpression } from '../../semantics/typed-tree.js';
import { bounded, jsonBytes } from './bounded-value.js';
import { compileFunction, itemAt } from './compile-functions.js';
import {
  compileAppend,
  compileArithmetic,
  compileEquality,
  compileIn,
  compileJoin,
  compileOrdering,
  compilePlus,
  compileStringTest,
} from './compile-operators.js';
import {
  boolean,
  carriesOne,
  type Entity,
  type Form,
  formOf,
  jsonb,
  naming,
  numeric,
  type Sql,
  type SqlForms,
  type SqlValue,
} from './sql-value.js';

/** No other element carries the type of an edge. */
const none: ReadonlyMap<string, string[]> = new Map();

/** The SQL of the variables that an expression may read. */
export interface ExpressionScope {
  forms: SqlForms;
  /** Those of the plan. */
  carriers: ReadonlyMap<string, string[]>;
  variable(name: string): SqlValue;
  /** The subject of the CASE around the expression. */
  subject?: SqlValue;
}

export function compileExpression(expression: TypedExpression, scope: ExpressionScope): SqlValue {
  const { type } = expression;
  if (expression.kind === 'constant') return { kind: 'constant', type, value: expression.value };
  if (expression.kind === 'variable') return scope.variable(expression.name);
  if (expression.kind === 'caseSubject') return scope.subject!;
  return { kind: 'sql', type, ...toSql(expression, scope) };
}

/** Compiles a condition to a boolean of SQL. */
export function compileCondition(expression: TypedExpression, scope: ExpressionScope): string {
  return scope.forms.boolean(compileExpression(expression, scope));
}

type Computed = Exclude<TypedExpression, { kind: 'constant' | 'variable' | 'caseSubject' }>;

function toSql(expression: Computed, scope: ExpressionScope): Sql {
  const { forms } = scope;
  const compile = (operand: TypedExpression) => compileExpression(operand, scope);
  const condition = (operand: TypedExpression) => compileCondition(operand, scope);
  switch (expression.kind) {
    case 'property':
      return jsonb(`(${propertiesOf(compile(expression.object))} -> ${forms.parameters.bind(expression.name, 'text')})`);
    case 'entry': {
      const [object, name] = [compile(expression.object), forms.text(compile(expression.name))];
      if (object.kind === 'entity') return jsonb(`(${object.entity.properties} -> ${name})`);
      // `->` with a text key is null for anything but an object.
      return jsonb(`nullif(${forms.json(object)} -> ${name}, 'null'::jsonb)`);
    }
    case 'item':
      return itemAt(forms, compile(expression.list), subscript(forms, compile(expression.index)));
    case 'slice':
      return compileSlice(expression, scope);
    case 'datePart':
      return numeric(datePart(forms.text(compile(expression.date)), expression.part));
    case 'list':
      return jsonb(
        boundedParts(expression.items.map(compile), expression.position, forms, parts => `jsonb_build_array(${parts.join(', ')})`),
      );
    case 'map': {
      const names = expression.entries.map(({ name }) => forms.parameters.bind(name, 'text'));
      const values = expression.entries.map(({ value }) => compile(value));
      const pairs = (parts: string[]) => parts.map((part, i) => `${names[i]}, ${part}`).join(', ');
      return jsonb(boundedParts(values, expression.position, forms, parts => `jsonb_build_object(${pairs(parts)})`));
    }
    case 'logical': {
      const operator = expression.operator === 'XOR' ? '<>' : expression.operator;
      return boolean(`(${expression.operands.map(condition).join(` ${operator} `)})`);
    }
    case 'not':
      return boolean(`(NOT ${condition(expression.operand)})`);
    case 'sign': {
      const sql = forms.numeric(compile(expression.operand));
      return numeric(expression.operator === '-' ? `(- ${sql})` : sql);
    }
    case 'arithmetic':
      return compileArithmetic(forms, expression.operator, expression.type, compile(expression.left), compile(expression.right));
    case 'join':
      return compileJoin(forms, compile(expression.left), compile(expression.right), expression.position);
    case 'append':
      return compileAppend(forms, compile(expression.left), compile(expression.right), expression.position);
    case 'plus':
      return compilePlus(forms, compile(expression.left), compile(expression.right), expression.position);
    case 'comparison': {
      const [left, right] = [compile(expression.left), compile(expression.right)];
      return expression.operator === '=' || expression.operator === '<>'
        ? compileEquality(forms, expression.operator, left, right)
        : compileOrdering(forms, expression.operator, left, right);
    }
    case 'stringTest':
      return compileStringTest(forms, expression.operator, compile(expression.left), compile(expression.right));
    case 'in':
      return compileIn(forms, compile(expression.item), compile(expression.list));
    case 'isNull':
      return boolean(`(${forms.any(compile(expression.operand))} IS ${expression.negated ? 'NOT ' : ''}NULL)`);
    case 'hasLabels': {
      const entity = entityOf(compile(expression.object));
      const carriers = expression.object.type === 'node' ? scope.carriers : none;
      const groups = expression.labels.map(group => carriesOne(forms.parameters, entity, group, carriers));
      return boolean(`(${groups.join(' AND ')})`);
    }
    case 'case':
      return compileCase(expression, scope);
    case 'call':
      return compileFunction(forms, expression.function, expression.args.map(compile), expression.position);
    case 'aggregate':
      throw new Error('An aggregate stands only among the columns of an aggregation');
    default:
      return expression satisfies never;
  }
}

function propertiesOf(value: SqlValue): string {
  if (value.kind !== 'entity') throw new Error('Only nodes and edges have properties');
  return value.entity.properties;
}

function entityOf(value: SqlValue): Entity {
  if (value.kind !== 'entity') throw new Error('Only nodes and edges have labels');
  return value.entity;
}

/** A part of an ISO 8601 date, by its fixed place. */
function datePart(date: string, part: 'year' | 'quarter' | 'month' | 'day'): string {
  const [from, length] = { year: [1, 4], quarter: [6, 2], month: [6, 2], day: [9, 2] }[part];
  const digits = (x: string) => `substr(${x}, ${from}, ${length})::numeric`;
  const value = (x: string) => (part === 'quarter' ? `div(${digits(x)} + 2, 3)` : digits(x));
  return naming([date], x => `CASE WHEN ${x} ~ '^\\d{4}-\\d{2}-\\d{2}' THEN ${value(x)} END`);
}

function subscript(forms: SqlForms, index: SqlValue): string {
  return `least(greatest(trunc(${forms.numeric(index)}), -2000000000), 2000000000)::int`;
}

function compileSlice(expression: TypedExpression & { kind: 'slice' }, scope: ExpressionScope): Sql {
  const { forms } = scope;
  const list = forms.json(compileExpression(expression.list, scope));
  const bound = (end: TypedExpression | null, otherwise: string) =>
    end === null ? otherwise : subscript(forms, compileExpression(end, scope));
  const sql = naming([list, bound(expression.from, '0'), bound(expression.to, '2000000000')], (x, from, to) => {
    const counted = (end: string) => `(CASE WHEN ${end} < 0 THEN jsonb_array_length(${x}) + ${end} ELSE ${end} END)`;
    const elements = `SELECT coalesce(jsonb_agg(i.value ORDER BY i.at), '[]') FROM jsonb_array_elements(${x}) WITH ORDINALITY AS i (value, at)`;
    return `CASE WHEN jsonb_typeof(${x}) = 'array' AND ${from} IS NOT NULL AND ${to} IS NOT NULL THEN (${elements} WHERE i.at > ${counted(from ?? '')} AND i.at <= ${counted(to ?? '')}) END`;
  });
  return jsonb(sql);
}

/** A list or map of values with a check of its size. Numbers and booleans are small and need no check. */
function boundedParts(values: SqlValue[], position: number, forms: SqlForms, build: (parts: string[]) => string): string {
  const isSmall = (value: SqlValue) => value.kind === 'sql' && (value.form === 'numeric' || value.form === 'boolean');
  const large = values.filter(value => !isSmall(value));
  const assembled = (names: string[]) => build(values.map(value => (isSmall(value) ? forms.json(value) : names[large.indexOf(value)]!)));
  if (large.length === 0) return assembled([]);
  const operands = large.map(value => forms.json(value));
  return bounded({ form: 'jsonb', position, operands, bytes: jsonBytes, body: (...names) => assembled(names) });
}

function compileCase(expression: TypedExpression & { kind: 'case' }, scope: ExpressionScope): Sql {
  const form = formOf(expression.type);
  const { subject } = expression;
  if (subject === null) return { form, sql: branches(expression, form, scope) };
  // Every branch compares with the subject, so a long subject is named once.
  const value = compileExpression(subject, scope);
  if (value.kind !== 'sql') throw new Error('A subject that is no computed value is compared in the branches');
  const { type, form: subjectForm } = value;
  const sql = naming([value.sql], (named = '') =>
    branches(expression, form, { ...scope, subject: { kind: 'sql', type, form: subjectForm, sql: named } }),
  );
  return { form, sql };
}

function branches({ branches, otherwise }: TypedExpression & { kind: 'case' }, form: Form, scope: ExpressionScope): string {
  const result = (value: TypedExpression) => scope.forms.in(form, compileExpression(value, scope));
  const whens = branches.map(({ when, then }) => `WHEN ${compileCondition(when, scope)} THEN ${result(then)}`);
  return `CASE ${whens.join(' ')} ELSE ${result(otherwise)} END`;
}
