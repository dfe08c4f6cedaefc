import { type ArithmeticOperator, type ComparisonOperator, type StringOperator } from '../../syntax/cypher-ast.js';
import { type Constant, ExactNumber, jsonText } from '../../values/constant.js';
import { familyOf, type ValueType } from '../../values/value-type.js';
import { bounded, jsonBytes, textBytes } from './bounded-value.js';
import { boolean, jsonb, naming, numeric, operand, type Sql, type SqlForms, type SqlValue } from './sql-value.js';

const int8Text = /^-?\d{1,18}$/;

/** `=` and `<>`: values of different types differ, and null with anything is null. */
export function compileEquality(forms: SqlForms, operator: '=' | '<>', left: SqlValue, right: SqlValue): Sql {
  const byId = compareIds(forms, operator, left, right);
  if (byId !== null) return boolean(byId);
  const [a, b] = [familyOf(left.type), familyOf(right.type)];
  if (a !== b && a !== 'any' && b !== 'any') return boolean(unequal(forms, operator, left, right));
  if (left.kind === 'entity' && right.kind === 'entity') return boolean(`(${left.entity.id} ${operator} ${right.entity.id})`);
  // A property is compared as jsonb: equal exactly when type and value are, without a cast that could fail.
  const form = isTyped(left, right) ? typedForm(a) : 'jsonb';
  return boolean(`(${forms.in(form, left)} ${operator} ${forms.in(form, right)})`);
}

/** `<` and the like: null unless both are numbers, both strings or both booleans. Strings compare by code point. */
export function compileOrdering(forms: SqlForms, operator: Exclude<ComparisonOperator, '=' | '<>'>, left: SqlValue, right: SqlValue): Sql {
  const byId = compareIds(forms, operator, left, right);
  if (byId !== null) return boolean(byId);
  const known = [left, right].map(({ type }) => familyOf(type)).find(family => family !== 'any');
  const compare = (x: string, y: string) => boolean(`(${x} ${operator} ${y})`);
  if (known === 'number') return compare(forms.numeric(left), forms.numeric(right));
  if (known === 'string') return compare(forms.text(left), `${forms.text(right)} COLLATE "C"`);
  if (known === 'boolean') return compare(forms.boolean(left), forms.boolean(right));
  const sql = naming([forms.json(left), forms.json(right)], (x, y) =>
    [
      `CASE WHEN jsonb_typeof(${x}) <> jsonb_typeof(${y}) THEN NULL`,
      `WHEN jsonb_typeof(${x}) = 'string' THEN ${x} #>> '{}' ${operator} (${y} #>> '{}') COLLATE "C"`,
      `WHEN jsonb_typeof(${x}) IN ('number', 'boolean') THEN ${x} ${operator} ${y} END`,
    ].join(' '),
  );
  return boolean(sql);
}

/** `x IN list`: null when nothing is equal and something was null. */
export function compileIn(forms: SqlForms, item: SqlValue, list: SqlValue): Sql {
  if (list.kind === 'constant' && Array.isArray(list.value)) {
    const values = list.value.filter(value => value !== null);
    const found = anyOf(forms, item, values);
    return boolean(values.length === list.value.length ? found : `(${found} OR NULL)`);
  }
  const sql = naming([forms.json(item), forms.json(list)], (x, y) => {
    const equal = `coalesce(bool_or(i.value = ${x}), false)`;
    const unsure = `bool_or(i.value = 'null'::jsonb) OR (count(*) > 0 AND ${x} IS NULL)`;
    return `CASE WHEN jsonb_typeof(${y}) = 'array' THEN (SELECT CASE WHEN ${equal} THEN true WHEN ${unsure} THEN NULL ELSE false END FROM jsonb_array_elements(${y}) AS i) END`;
  });
  return boolean(sql);
}

function anyOf(forms: SqlForms, item: SqlValue, values: Constant[]): string {
  const { parameters } = forms;
  if (item.kind === 'sql' && item.int8 !== undefined) {
    const ids = values.map(int8Of).filter(id => id !== null);
    return `(${item.int8} = ANY(${parameters.bind(ids, 'int8[]')}))`;
  }
  if (item.kind === 'sql' && item.form === 'text' && values.every(value => typeof value === 'string'))
    return `(${item.sql} = ANY(${parameters.bind(values, 'text[]')}))`;
  return `(${forms.json(item)} = ANY(${parameters.bind(values.map(jsonText), 'jsonb[]')}))`;
}

export function compileStringTest(forms: SqlForms, operator: StringOperator, left: SqlValue, right: SqlValue): Sql {
  const [text, part] = [forms.text(left), forms.text(right)];
  switch (operator) {
    case 'STARTS WITH':
      return boolean(`starts_with(${text}, ${part})`);
    case 'ENDS WITH':
      return boolean(naming([text, part], (x, y) => `(right(${x}, length(${y})) = ${y})`));
    case 'CONTAINS':
      return boolean(`(position(${part} IN ${text}) > 0)`);
    default:
      return operator satisfies never;
  }
}

/**
 * Arithmetic is exact decimal arithmetic. Integers divide to integers, towards zero. Division by zero, and a power without a real
 * or representable value, is null: one bad row must not fail a whole report.
 * @param type of the result
 */
export function compileArithmetic(forms: SqlForms, operator: ArithmeticOperator, type: ValueType, left: SqlValue, right: SqlValue): Sql {
  const [x, y] = [forms.numeric(left), forms.numeric(right)];
  switch (operator) {
    case '+':
    case '-':
    case '*':
      return numeric(`(${x} ${operator} ${y})`);
    case '%':
      return numeric(`(${x} % nullif(${y}, 0))`);
    case '/':
      if (type === 'integer') return numeric(`div(${x}, nullif(${y}, 0))`);
      if (type === 'float') return numeric(quotient(x, y));
      return numeric(
        naming(
          [x, y],
          (a, b) => `CASE WHEN scale(${a}) = 0 AND scale(${b}) = 0 THEN div(${a}, nullif(${b}, 0)) ELSE ${quotient(a, b)} END`,
        ),
      );
    case '^':
      return numeric(naming([x, y], power));
    default:
      return operator satisfies never;
  }
}

/** A quotient without the zeros that PostgreSQL computes after the last digit: the text of 2.5 would be 2.5000000000000000. */
function quotient(x: string, y = ''): string {
  return `trim_scale(${x} / nullif(${y}, 0))`;
}

/** 700 is about ln of the largest double. A larger result is null instead of an overflow error. */
function power(base: string, exponent: string): string {
  return [
    `CASE WHEN ${exponent} = 0 THEN 1.0 WHEN ${base} = 0 THEN CASE WHEN ${exponent} > 0 THEN 0.0 END`,
    `WHEN ${base} < 0 AND ${exponent} <> trunc(${exponent}) THEN NULL`,
    `WHEN abs(${exponent} * ln(abs(${base}))) < 700 THEN power(${base}, ${exponent}) END`,
  ].join(' ');
}

/** Joins texts; numbers and booleans as toString writes them. */
export function compileJoin(forms: SqlForms, left: SqlValue, right: SqlValue, position: number): Sql {
  const parts = [left, right].flatMap(side => partsOf(side, 'string') ?? [written(forms, side)]);
  return { form: 'text', sql: joined('text', parts, position), parts };
}

/** Joins lists; anything else counts as a list of one. */
export function compileAppend(forms: SqlForms, left: SqlValue, right: SqlValue, position: number): Sql {
  const parts = [left, right].flatMap(side => partsOf(side, 'list') ?? [listOf(forms, side)]);
  return { form: 'jsonb', sql: joined('jsonb', parts, position), parts };
}

/** `+` when only the values decide: numbers add, texts join, lists append. */
export function compilePlus(forms: SqlForms, left: SqlValue, right: SqlValue, position: number): Sql {
  const sql = naming([forms.json(left), forms.json(right)], (x = '', y = '') =>
    [
      `CASE WHEN jsonb_typeof(${x}) = 'number' AND jsonb_typeof(${y}) = 'number' THEN to_jsonb((${x})::numeric + (${y})::numeric)`,
      `WHEN (jsonb_typeof(${x}) = 'string' AND ${isScalar(y)}) OR (jsonb_typeof(${y}) = 'string' AND ${isScalar(x)}) THEN to_jsonb(${joined('text', [jsonWritten(x), jsonWritten(y)], position)})`,
      `WHEN jsonb_typeof(${x}) = 'array' OR jsonb_typeof(${y}) = 'array' THEN ${joined('jsonb', [x, y], position)} END`,
    ].join(' '),
  );
  return jsonb(sql);
}

function partsOf(value: SqlValue, type: 'string' | 'list'): string[] | undefined {
  return value.kind === 'sql' && value.type === type ? value.parts : undefined;
}

function joined(form: 'text' | 'jsonb', operands: string[], position: number): string {
  const bytes = form === 'text' ? textBytes : jsonBytes;
  return bounded({ form, position, operands, bytes, body: (...names) => names.join(' || ') });
}

/** Leaves a list as it is and makes a list of one from anything else. */
function listOf(forms: SqlForms, value: SqlValue): string {
  if (value.kind === 'constant' && value.type === 'list') return forms.json(value);
  if (value.type !== 'list' && value.type !== 'any') return `jsonb_build_array(${forms.json(value)})`;
  // A property declared as a list may hold something else.
  return naming(
    [forms.json(value)],
    x => `CASE WHEN jsonb_typeof(${x}) = 'array' THEN ${x} WHEN ${x} IS NOT NULL THEN jsonb_build_array(${x}) END`,
  );
}

/** The text of a string, number or boolean. A number has no zeros after its last decimal, as rows show it. */
export function written(forms: SqlForms, value: SqlValue): string {
  if (familyOf(value.type) === 'string') return forms.text(value);
  if (value.kind === 'sql' && value.form === 'numeric') return `trim_scale(${value.sql})::text`;
  if (value.kind === 'sql' && value.form === 'boolean') return `(${value.sql})::text`;
  return naming([forms.json(value)], (x = '') => `CASE WHEN ${isScalar(x)} THEN ${jsonWritten(x)} END`);
}

function isScalar(json: string): string {
  return `jsonb_typeof(${json}) IN ('string', 'number', 'boolean')`;
}

function jsonWritten(json: string): string {
  return `CASE jsonb_typeof(${json}) WHEN 'number' THEN trim_scale(${operand(json)}::numeric)::text ELSE ${json} #>> '{}' END`;
}

/** Compares ids with whole numbers as int8, which the indexes hold. Null when the comparison is not of this kind. */
function compareIds(forms: SqlForms, operator: ComparisonOperator, left: SqlValue, right: SqlValue): string | null {
  const isId = (value: SqlValue) => value.kind === 'sql' && value.int8 !== undefined;
  if (!isId(left) && !isId(right)) return null;
  const [x, y] = [int8Sql(forms, left), int8Sql(forms, right)];
  return x !== null && y !== null ? `(${x} ${operator} ${y})` : null;
}

function int8Sql(forms: SqlForms, value: SqlValue): string | null {
  if (value.kind === 'sql') return value.int8 ?? null;
  const id = value.kind === 'constant' ? int8Of(value.value) : null;
  return id === null ? null : forms.parameters.bind(id, 'int8');
}

function int8Of(value: Constant): string | null {
  return value instanceof ExactNumber && int8Text.test(value.text) ? value.text : null;
}

function unequal(forms: SqlForms, operator: '=' | '<>', left: SqlValue, right: SqlValue): string {
  return `CASE WHEN ${forms.any(left)} IS NOT NULL AND ${forms.any(right)} IS NOT NULL THEN ${operator === '=' ? 'false' : 'true'} END`;
}

function isTyped(left: SqlValue, right: SqlValue): boolean {
  const typed = (value: SqlValue) => value.kind === 'sql' && value.form !== 'jsonb';
  return (typed(left) && (typed(right) || right.kind === 'constant')) || (typed(right) && left.kind === 'constant');
}

function typedForm(family: string): 'numeric' | 'text' | 'boolean' | 'jsonb' {
  if (family === 'number') return 'numeric';
  if (family === 'string') return 'text';
  return family === 'boolean' ? 'boolean' : 'jsonb';
}
