import { type ValueType } from '../../semantics/graph-schema.js';
import { type SqlParameters } from '../../../sql/sql-parameters.js';

/** A number as it was written, so that no digit is lost on the way to `numeric`. */
export class ExactNumber {
  constructor(
    readonly text: string,
    readonly integer: boolean,
  ) {}
}

export type Constant = null | boolean | string | ExactNumber | Constant[] | { [name: string]: Constant };

/**
 * A compiled expression. `type` is what openCypher says it is, `form` how the SQL holds it: a value of type integer may be `numeric`, or
 * `jsonb` when it was read from properties and may turn out to be something else. SQL NULL is null in every form; a JSON null occurs only
 * inside lists and maps.
 */
export type SqlValue =
  | { kind: 'constant'; type: ValueType; value: Constant }
  | {
      kind: 'sql';
      type: ValueType;
      form: Form;
      sql: string;
      /** The same number as int8, for the indexes on ids. */
      int8?: string;
      /** What a sum of texts or of lists joins, so that a longer sum is checked once. */
      parts?: string[];
    }
  | { kind: 'entity'; type: 'node' | 'edge'; entity: Entity };

export type Form = 'numeric' | 'text' | 'boolean' | 'jsonb';

/** A matched node or edge: SQL for each of its parts. `label` is the type of an edge. */
export interface Entity {
  id: string;
  label: string;
  properties: string;
  /** The whole element as jsonb, as rows show it. */
  object: string;
  /** Names of the variables at an edge's ends, where its direction is known. */
  ends: { source: string; target: string } | null;
  property(name: string): { name: string; type: ValueType };
}

export type Family = 'number' | 'string' | 'boolean' | 'list' | 'map' | 'node' | 'edge' | 'any';

export function familyOf(type: ValueType): Family {
  switch (type) {
    case 'integer':
    case 'float':
    case 'number':
      return 'number';
    case 'string':
    case 'date':
    case 'datetime':
      return 'string';
    case 'boolean':
    case 'list':
    case 'map':
    case 'node':
    case 'edge':
    case 'any':
      return type;
    default:
      return type satisfies never;
  }
}

/** The wider of two numeric types. */
export function numericType(left: ValueType, right: ValueType): ValueType {
  if (left === 'integer' && right === 'integer') return 'integer';
  return left === 'float' || right === 'float' ? 'float' : 'number';
}

export function constant(value: Constant): SqlValue {
  return { kind: 'constant', type: typeOfConstant(value), value };
}

function typeOfConstant(value: Constant): ValueType {
  if (value === null) return 'any';
  if (typeof value === 'boolean') return 'boolean';
  if (typeof value === 'string') return 'string';
  if (value instanceof ExactNumber) return value.integer ? 'integer' : 'float';
  return Array.isArray(value) ? 'list' : 'map';
}

export function isNull(value: SqlValue): boolean {
  return value.kind === 'constant' && value.value === null;
}

export function sqlValue(type: ValueType, form: Form, sql: string): SqlValue {
  return { kind: 'sql', type, form, sql };
}

/** Characters of a constant as JSON, near enough for a bound. */
export function sizeOfConstant(value: Constant): number {
  if (typeof value === 'string') return value.length + 2;
  if (value === null || typeof value === 'boolean') return 5;
  if (value instanceof ExactNumber) return value.text.length;
  const names = Array.isArray(value) ? [] : Object.keys(value);
  const inner = Object.values(value).reduce<number>((size, each) => size + 1 + sizeOfConstant(each), 2);
  return names.reduce((size, name) => size + 3 + name.length, inner);
}

export function jsonText(value: Constant): string {
  if (value instanceof ExactNumber) return value.text.replace(/^(-?)\./, '$10.');
  if (Array.isArray(value)) return `[${value.map(jsonText).join(',')}]`;
  if (value !== null && typeof value === 'object')
    return `{${Object.entries(value)
      .map(([name, inner]) => `${JSON.stringify(name)}:${jsonText(inner)}`)
      .join(',')}}`;
  return JSON.stringify(value);
}

/** The SQL in parentheses, unless it is a column, a parameter or in parentheses already. */
export function operand(sql: string): string {
  return /^(?:[\w.]+|\(?(?:[\w.]+ -> )?\$\d+::\w+\)?)$/.test(sql) ? sql : `(${sql})`;
}

/**
 * SQL that uses its operands more than once: long ones are named first, so that nesting never multiplies the text. Without OFFSET 0
 * PostgreSQL would paste them back, and a sum of forty properties of unknown type would take all its memory while planning.
 */
export function naming(operands: string[], body: (...names: string[]) => string): string {
  if (operands.every(operand => operand.length <= 80)) return body(...operands);
  const names = operands.map((_, i) => `v.x${i}`);
  const list = operands.map((operand, i) => `${operand} AS x${i}`).join(', ');
  return `(SELECT ${body(...names)} FROM (SELECT ${list} OFFSET 0) AS v)`;
}

/**
 * SqlValues in the SQL form an operator needs. A value that turns out to be of another type becomes NULL instead of raising a cast
 * error, whatever the properties of a graph hold.
 */
export class SqlForms {
  constructor(readonly parameters: SqlParameters) {}

  numeric(value: SqlValue): string {
    if (value.kind === 'constant')
      return value.value instanceof ExactNumber ? this.parameters.bind(value.value.text, 'numeric') : 'NULL::numeric';
    return value.kind === 'sql' && fits(value.type, 'number') ? this.guarded(value, 'numeric', 'number') : 'NULL::numeric';
  }

  text(value: SqlValue): string {
    if (value.kind === 'constant') return typeof value.value === 'string' ? this.parameters.bind(value.value, 'text') : 'NULL::text';
    return value.kind === 'sql' && fits(value.type, 'string') ? this.guarded(value, 'text', 'string') : 'NULL::text';
  }

  boolean(value: SqlValue): string {
    if (value.kind === 'constant') return typeof value.value === 'boolean' ? String(value.value) : 'NULL::boolean';
    return value.kind === 'sql' && fits(value.type, 'boolean') ? this.guarded(value, 'boolean', 'boolean') : 'NULL::boolean';
  }

  json(value: SqlValue): string {
    switch (value.kind) {
      case 'constant':
        return value.value === null ? 'NULL::jsonb' : this.parameters.bind(jsonText(value.value), 'jsonb');
      case 'sql':
        return value.form === 'jsonb' ? value.sql : `to_jsonb(${value.sql})`;
      case 'entity':
        return value.entity.object;
      default:
        return value satisfies never;
    }
  }

  /** Whatever form is shortest: for IS NULL, count and the like. */
  any(value: SqlValue): string {
    if (value.kind === 'entity') return value.entity.id;
    return value.kind === 'sql' ? value.sql : this.json(value);
  }

  private guarded(value: SqlValue & { kind: 'sql' }, form: Form, jsonType: 'number' | 'string' | 'boolean'): string {
    if (value.form === form) return value.sql;
    if (value.form !== 'jsonb') return `NULL::${form}`;
    return naming(
      [value.sql],
      json =>
        `CASE WHEN jsonb_typeof(${json}) = '${jsonType}' THEN ${form === 'text' ? `${json} #>> '{}'` : `${operand(json)}::${form}`} END`,
    );
  }
}

function fits(type: ValueType, family: Family): boolean {
  const actual = familyOf(type);
  return actual === family || actual === 'any';
}
