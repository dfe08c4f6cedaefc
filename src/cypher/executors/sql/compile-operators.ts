import { bounded, textBytes, jsonBytes } from './bounded-value.js';
import { constantIn, equalConstants } from './constant-equality.js';
import { type ArithmeticOperator, type ComparisonOperator, type StringOperator } from '../../syntax/cypher-ast.js';
import {
  constant,
  ExactNumber,
  familyOf,
  isNull,
  jsonText,
  naming,
  numericType,
  type SqlForms,
  sqlValue,
  type SqlValue,
} from './sql-value.js';

const NULL = constant(null);
const INT8_TEXT = /^-?\d{1,18}$/;

/** `=` and `<>`: values of different types differ, null with anything is null. */
export function compileEquality(forms: SqlForms, operator: '=' | '<>', left: SqlValue, right: SqlValue): SqlValue {
  if (isNull(left) || isNull(right)) return NULL;
  if (isNested(left) && isNested(right)) {
    const equal = equalConstants(left.value, right.value);
    return constant(equal === null ? null : equal === (operator === '='));
  }
  const byId = compareIds(forms, operator, left, right);
  if (byId !== null) return sqlValue('boolean', 'boolean', byId);
  const [a, b] = [familyOf(left.type), familyOf(right.type)];
  if (left.kind === 'entity' && right.kind === 'entity') {
    return sqlValue(
      'boolean',
      'boolean',
      a === b ? `(${left.entity.id} ${operator} ${right.entity.id})` : unequal(forms, operator, left, right),
    );
  }
  if (a !== b && a !== 'any' && b !== 'any') return sqlValue('boolean', 'boolean', unequal(forms, operator, left, right));
  // A property is compared as the jsonb it is: equal exactly when type and value are, with no cast that could fail.
  const sides = isTyped(left, right) ? typedSides(forms, a, left, right) : null;
  const [x, y] = sides ?? [forms.json(left), forms.json(right)];
  return sqlValue('boolean', 'boolean', `(${x} ${operator} ${y})`);
}

/** `<` and its kin: null unless both are numbers, both strings or both booleans. Strings compare by code point. */
export function compileOrdering(
  forms: SqlForms,
  operator: Exclude<ComparisonOperator, '=' | '<>'>,
  left: SqlValue,
  right: SqlValue,
): SqlValue {
  const byId = compareIds(forms, operator, left, right);
  if (byId !== null) return sqlValue('boolean', 'boolean', byId);
  const [a, b] = [familyOf(left.type), familyOf(right.type)];
  if (isNull(left) || isNull(right)) return NULL;
  const family = a === 'any' ? b : b === 'any' || a === b ? a : null;
  const compare = (x: string, y: string) => `(${x} ${operator} ${y})`;
  if (family === 'number') return sqlValue('boolean', 'boolean', compare(forms.numeric(left), forms.numeric(right)));
  if (family === 'string') return sqlValue('boolean', 'boolean', compare(forms.text(left), `${forms.text(right)} COLLATE "C"`));
  if (family === 'boolean') return sqlValue('boolean', 'boolean', compare(forms.boolean(left), forms.boolean(right)));
  if (family !== 'any') return sqlValue('boolean', 'boolean', 'NULL::boolean');
  const sql = naming([forms.json(left), forms.json(right)], (x, y) =>
    [
      `CASE WHEN jsonb_typeof(${x}) <> jsonb_typeof(${y}) THEN NULL`,
      `WHEN jsonb_typeof(${x}) = 'string' THEN ${x} #>> '{}' ${operator} (${y} #>> '{}') COLLATE "C"`,
      `WHEN jsonb_typeof(${x}) IN ('number', 'boolean') THEN ${x} ${operator} ${y} END`,
    ].join(' '),
  );
  return sqlValue('boolean', 'boolean', sql);
}

/** `x IN list`: null when nothing is equal and something was null. */
export function compileIn(forms: SqlForms, item: SqlValue, list: SqlValue): SqlValue {
  const result = (sql: string) => sqlValue('boolean', 'boolean', sql);
  if (isNull(list)) return NULL;
  if (list.kind === 'constant' && Array.isArray(list.value)) {
    if (list.value.length === 0) return constant(false);
    if (isNested(item)) return constant(constantIn(item.value, list.value));
    const values = list.value.filter(value => value !== null);
    const found = anyOf(
      forms,
      item,
      values.map(value => constant(value)),
    );
    return result(values.length === list.value.length ? found : `(${found} OR NULL)`);
  }
  const sql = naming([forms.json(item), forms.json(list)], (x, y) => {
    const equal = `coalesce(bool_or(i.value = ${x}), false)`;
    const unsure = `bool_or(i.value = 'null'::jsonb) OR (count(*) > 0 AND ${x} IS NULL)`;
    return `CASE WHEN jsonb_typeof(${y}) = 'array' THEN (SELECT CASE WHEN ${equal} THEN true WHEN ${unsure} THEN NULL ELSE false END FROM jsonb_array_elements(${y}) AS i) END`;
  });
  return result(sql);
}

function anyOf(forms: SqlForms, item: SqlValue, values: SqlValue[]): string {
  const { parameters } = forms;
  if (item.kind === 'sql' && item.int8 !== undefined) {
    const ids = values.map(int8Of).filter(id => id !== null);
    return `(${item.int8} = ANY(${parameters.bind(ids, 'int8[]')}))`;
  }
  const texts = values.map(value => (value.kind === 'constant' && typeof value.value === 'string' ? value.value : null));
  if (item.kind === 'sql' && item.form === 'text' && texts.every(text => text !== null))
    return `(${item.sql} = ANY(${parameters.bind(texts, 'text[]')}))`;
  const json = values.map(value => (value.kind === 'constant' ? jsonText(value.value) : ''));
  return `(${forms.json(item)} = ANY(${parameters.bind(json, 'jsonb[]')}))`;
}

/** AND, OR: SQL has the same three values. */
export function compileLogical(forms: SqlForms, operator: 'AND' | 'OR', operands: SqlValue[]): SqlValue {
  return sqlValue('boolean', 'boolean', `(${operands.map(operand => forms.boolean(operand)).join(` ${operator} `)})`);
}

export function compileStringTest(forms: SqlForms, operator: StringOperator, left: SqlValue, right: SqlValue): SqlValue {
  const [text, part] = [forms.text(left), forms.text(right)];
  switch (operator) {
    case 'STARTS WITH':
      return sqlValue('boolean', 'boolean', `starts_with(${text}, ${part})`);
    case 'ENDS WITH':
      return sqlValue(
        'boolean',
        'boolean',
        naming([text, part], (x, y) => `(right(${x}, length(${y})) = ${y})`),
      );
    case 'CONTAINS':
      return sqlValue('boolean', 'boolean', `(position(${part} IN ${text}) > 0)`);
    default:
      return operator satisfies never;
  }
}

/**
 * Arithmetic is exact decimal arithmetic. Integers divide to integers, towards zero. Division by zero, and powers without a real or
 * representable value, are null: one bad row must not fail a whole report.
 */
export function compileArithmetic(forms: SqlForms, operator: Exclude<ArithmeticOperator, '+'>, left: SqlValue, right: SqlValue): SqlValue {
  const type = numericType(left.type, right.type);
  const [x, y] = [forms.numeric(left), forms.numeric(right)];
  const number = (sql: string, of = type) => sqlValue(of, 'numeric', sql);
  switch (operator) {
    case '-':
    case '*':
      return number(`(${x} ${operator} ${y})`);
    case '%':
      return number(`(${x} % nullif(${y}, 0))`);
    case '/':
      if (type === 'integer') return number(`div(${x}, nullif(${y}, 0))`);
      if (type === 'float') return number(`(${x} / nullif(${y}, 0))`);
      return number(
        naming(
          [x, y],
          (a, b) => `CASE WHEN scale(${a}) = 0 AND scale(${b}) = 0 THEN div(${a}, nullif(${b}, 0)) ELSE ${a} / nullif(${b}, 0) END`,
        ),
      );
    case '^':
      return number(naming([x, y], power), 'float');
    default:
      return operator satisfies never;
  }
}

/** 700 is about ln of the largest double: larger results are null instead of an overflow error. */
function power(base: string, exponent: string): string {
  return [
    `CASE WHEN ${exponent} = 0 THEN 1.0 WHEN ${base} = 0 THEN CASE WHEN ${exponent} > 0 THEN 0.0 END`,
    `WHEN ${base} < 0 AND ${exponent} <> trunc(${exponent}) THEN NULL`,
    `WHEN abs(${exponent} * ln(abs(${base}))) < 700 THEN power(${base}, ${exponent}) END`,
  ].join(' ');
}

/** Numbers add, strings join (with numbers and booleans too), lists append. */
export function compilePlus(forms: SqlForms, left: SqlValue, right: SqlValue, position: number): SqlValue {
  const [a, b] = [familyOf(left.type), familyOf(right.type)];
  if (isNull(left) || isNull(right)) return NULL;
  if (a === 'number' && b === 'number')
    return sqlValue(numericType(left.type, right.type), 'numeric', `(${forms.numeric(left)} + ${forms.numeric(right)})`);
  if (a === 'list' || b === 'list') {
    const parts = [left, right].flatMap(side => partsOf(side, 'list') ?? [listOf(forms, side)]);
    return { kind: 'sql', type: 'list', form: 'jsonb', sql: joined('jsonb', parts, position), parts };
  }
  if ((a === 'string' && b !== 'any') || (b === 'string' && a !== 'any')) {
    const parts = [left, right].flatMap(side => partsOf(side, 'string') ?? [written(forms, side)]);
    return { kind: 'sql', type: 'string', form: 'text', sql: joined('text', parts, position), parts };
  }
  const scalar = (value: string) => `jsonb_typeof(${value}) IN ('string', 'number', 'boolean')`;
  const sql = naming([forms.json(left), forms.json(right)], (x, y) =>
    [
      `CASE WHEN jsonb_typeof(${x}) = 'number' AND jsonb_typeof(${y}) = 'number' THEN to_jsonb((${x})::numeric + (${y})::numeric)`,
      `WHEN (jsonb_typeof(${x}) = 'string' AND ${scalar(y)}) OR (jsonb_typeof(${y}) = 'string' AND ${scalar(x)}) THEN to_jsonb(${joined('text', [`(${x} #>> '{}')`, `(${y} #>> '{}')`], position)})`,
      `WHEN jsonb_typeof(${x}) = 'array' OR jsonb_typeof(${y}) = 'array' THEN ${joined('jsonb', [x, y], position)} END`,
    ].join(' '),
  );
  return sqlValue('any', 'jsonb', sql);
}

function partsOf(value: SqlValue, type: 'string' | 'list'): string[] | undefined {
  return value.kind === 'sql' && value.type === type ? value.parts : undefined;
}

function joined(form: 'text' | 'jsonb', operands: string[], position: number): string {
  const bytes = form === 'text' ? textBytes : jsonBytes;
  return bounded({ form, position, operands, bytes, body: (...names) => names.join(' || ') });
}

/** A list as it is; anything else as a list of one. */
function listOf(forms: SqlForms, value: SqlValue): string {
  if (value.kind === 'constant' && value.type === 'list') return forms.json(value);
  if (value.type !== 'list' && value.type !== 'any') return `jsonb_build_array(${forms.json(value)})`;
  // A property declared as a list may hold something else.
  return naming(
    [forms.json(value)],
    x => `CASE WHEN jsonb_typeof(${x}) = 'array' THEN ${x} WHEN ${x} IS NOT NULL THEN jsonb_build_array(${x}) END`,
  );
}

/** The text of a string, number or boolean. */
export function written(forms: SqlForms, value: SqlValue): string {
  if (familyOf(value.type) === 'string') return forms.text(value);
  if (value.kind === 'sql' && value.form !== 'jsonb') return `(${value.sql})::text`;
  return naming([forms.json(value)], x => `CASE WHEN jsonb_typeof(${x}) IN ('string', 'number', 'boolean') THEN ${x} #>> '{}' END`);
}

/** Ids against whole numbers, as the int8 the indexes hold; null when this is no such comparison. */
function compareIds(forms: SqlForms, operator: ComparisonOperator, left: SqlValue, right: SqlValue): string | null {
  const isId = (value: SqlValue) => value.kind === 'sql' && value.int8 !== undefined;
  if (!isId(left) && !isId(right)) return null;
  const [x, y] = [int8Sql(forms, left), int8Sql(forms, right)];
  return x !== null && y !== null ? `(${x} ${operator} ${y})` : null;
}

function int8Sql(forms: SqlForms, value: SqlValue): string | null {
  if (value.kind === 'sql') return value.int8 ?? null;
  const id = int8Of(value);
  return id === null ? null : forms.parameters.bind(id, 'int8');
}

function int8Of(value: SqlValue): string | null {
  return value.kind === 'constant' && value.value instanceof ExactNumber && INT8_TEXT.test(value.value.text) ? value.value.text : null;
}

/** A constant list or map: the only values that can hold a null inside. */
function isNested(value: SqlValue): value is SqlValue & { kind: 'constant' } {
  return value.kind === 'constant' && value.value !== null && typeof value.value === 'object' && !(value.value instanceof ExactNumber);
}

function unequal(forms: SqlForms, operator: '=' | '<>', left: SqlValue, right: SqlValue): string {
  return `CASE WHEN ${forms.any(left)} IS NOT NULL AND ${forms.any(right)} IS NOT NULL THEN ${operator === '=' ? 'false' : 'true'} END`;
}

function isTyped(left: SqlValue, right: SqlValue): boolean {
  const typed = (value: SqlValue) => value.kind === 'sql' && value.form !== 'jsonb';
  return (typed(left) && (typed(right) || right.kind === 'constant')) || (typed(right) && left.kind === 'constant');
}

function typedSides(forms: SqlForms, family: string, left: SqlValue, right: SqlValue): [string, string] | null {
  if (family === 'number') return [forms.numeric(left), forms.numeric(right)];
  if (family === 'string') return [forms.text(left), forms.text(right)];
  return family === 'boolean' ? [forms.boolean(left), forms.boolean(right)] : null;
}
