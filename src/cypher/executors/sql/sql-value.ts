import { type Constant, ExactNumber, jsonText } from '../../values/constant.js';
import { mayBe, type ValueType } from '../../values/value-type.js';
import { type SqlParameters } from '../../../sql/sql-parameters.js';

/** SQL for a value, and the form of the value in it. */
export interface Sql {
  form: Form;
  sql: string;
  /** The same number as int8, for the indexes on ids. */
  int8?: string;
  /** The operands of a sum of texts or of lists, so that a longer sum is checked once. */
  parts?: string[];
}

/**
 * A compiled expression. `type` is its openCypher type and `form` its form in SQL. A value of type integer may be `numeric`, or
 * `jsonb` when it was read from properties and may turn out to be something else. SQL NULL is null in every form; a JSON null
 * occurs only inside lists and maps.
 */
export type SqlValue =
  | { kind: 'constant'; type: ValueType; value: Constant }
  | ({ kind: 'sql'; type: ValueType } & Sql)
  | { kind: 'entity'; type: 'node' | 'edge'; entity: Entity };

export type Form = 'numeric' | 'text' | 'boolean' | 'jsonb';

/** A matched node or edge: SQL for each of its parts. `label` is the type of an edge. `labels` is a jsonb list, with the label of the key first. */
export interface Entity {
  id: string;
  label: string;
  labels: string;
  properties: string;
  /** The whole element as jsonb, as rows show it. */
  object: string;
}

/** SQL that is true for an element that carries one of the labels. The label of the key is tested first, because it has an index. */
export function carriesOne(
  parameters: SqlParameters,
  { label, labels }: Pick<Entity, 'label' | 'labels'>,
  names: string[],
  carriers: ReadonlyMap<string, string[]>,
): string {
  const further = names.flatMap(name => carriers.get(name) ?? []);
  if (further.length === 0) return isOneOf(parameters, label, names);
  const among = isOneOf(parameters, label, [...names, ...further]);
  return `(${among} AND ${labels} ?| ${parameters.bind(names, 'text[]')})`;
}

export function isOneOf(parameters: SqlParameters, column: string, names: string[]): string {
  const [first = '', ...others] = [...new Set(names)];
  return others.length === 0
    ? `${column} = ${parameters.bind(first, 'text')}`
    : `${column} = ANY(${parameters.bind([first, ...others], 'text[]')})`;
}

/** SQL for all labels of a node, as a jsonb list. */
export function labelsOf(alias: string): string {
  return `to_jsonb(${alias}.label || ${alias}.labels)`;
}

/** The SQL in parentheses, unless it is a column, a parameter or in parentheses already. */
export function operand(sql: string): string {
  return /^(?:[\w.]+|\(?(?:[\w.]+ -> )?\$\d+::\w+\)?)$/.test(sql) ? sql : `(${sql})`;
}

/**
 * SQL that uses its operands more than once. Long operands are named first, so that nesting never multiplies the text. Without
 * OFFSET 0 PostgreSQL would paste them back, and a sum of forty properties of unknown type would take all its memory while
 * planning.
 */
export function naming(operands: string[], body: (...names: string[]) => string): string {
  if (operands.every(operand => operand.length <= 80)) return body(...operands);
  const names = operands.map((_, i) => `v.x${i}`);
  const list = operands.map((operand, i) => `${operand} AS x${i}`).join(', ');
  return `(SELECT ${body(...names)} FROM (SELECT ${list} OFFSET 0) AS v)`;
}

/**
 * Converts SqlValues to the SQL form that an operator needs. A value of another type becomes NULL instead of raising a cast error,
 * whatever the properties of a graph hold.
 */
export class SqlForms {
  constructor(readonly parameters: SqlParameters) {}

  numeric(value: SqlValue): string {
    if (value.kind === 'constant')
      return value.value instanceof ExactNumber ? this.parameters.bind(value.value.text, 'numeric') : 'NULL::numeric';
    return value.kind === 'sql' && mayBe(value.type, 'number') ? this.guarded(value, 'numeric', 'number') : 'NULL::numeric';
  }

  text(value: SqlValue): string {
    if (value.kind === 'constant') return typeof value.value === 'string' ? this.parameters.bind(value.value, 'text') : 'NULL::text';
    return value.kind === 'sql' && mayBe(value.type, 'string') ? this.guarded(value, 'text', 'string') : 'NULL::text';
  }

  boolean(value: SqlValue): string {
    if (value.kind === 'constant') return typeof value.value === 'boolean' ? String(value.value) : 'NULL::boolean';
    return value.kind === 'sql' && mayBe(value.type, 'boolean') ? this.guarded(value, 'boolean', 'boolean') : 'NULL::boolean';
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

  /** Converts a value to one of the four forms. */
  in(form: Form, value: SqlValue): string {
    return form === 'jsonb' ? this.json(value) : this[form](value);
  }

  /** The shortest form, for IS NULL, count and the like. */
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

/** The SQL form of a type's values; jsonb when the type is unknown or has no form of its own. */
export function formOf(type: ValueType): Form {
  if (type === 'any') return 'jsonb';
  if (mayBe(type, 'number')) return 'numeric';
  if (mayBe(type, 'string')) return 'text';
  return type === 'boolean' ? 'boolean' : 'jsonb';
}

export function numeric(sql: string): Sql {
  return { form: 'numeric', sql };
}

export function text(sql: string): Sql {
  return { form: 'text', sql };
}

export function boolean(sql: string): Sql {
  return { form: 'boolean', sql };
}

export function jsonb(sql: string): Sql {
  return { form: 'jsonb', sql };
}
