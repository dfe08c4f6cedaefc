import { type CypherValue } from '../values/cypher-value.js';
import { Decimal } from '../values/decimal.js';
import { decimalOfFloat } from '../values/numbers.js';
import { temporalFunctions } from '../values/temporal/temporal-functions.js';
import { ValueFault } from '../values/value-fault.js';
import { type ValueType } from '../values/value-type.js';
import { type Form, type TypedExpression } from './typed-tree.js';

/** Greatest integer up to which a float holds every integer exactly. */
const greatestExactFloat = 9_007_199_254_740_992n;

const forms: Partial<Record<ValueType, Form>> = {
  boolean: 'boolean',
  string: 'text',
  integer: 'int8',
  float: 'float8',
  decimal: 'numeric',
  number: 'numeric',
  date: 'date',
};

/** The form in which SQL holds the values of a type; null if SQL has no form for this type. */
export function formOf(type: ValueType): Form | null {
  return forms[type] ?? null;
}

/**
 * The form in which SQL compares two values exactly; null if there is none. Floats and integers have no common form: `float8` rounds large
 * integers, and `int8` cannot hold fractions.
 */
export function commonForm(left: TypedExpression, right: TypedExpression): Form | null {
  const candidates = [formOf(left.type), formOf(right.type), 'numeric' as const, 'timestamp' as const];
  return candidates.find(form => form !== null && fits(left, form) && fits(right, form)) ?? null;
}

/** The parameter that PostgreSQL gets for a constant in this form. Undefined if the form cannot hold the constant exactly. */
export function constantIn(value: CypherValue, form: Form): string | boolean | null | undefined {
  if (value === null) return null;
  switch (form) {
    case 'boolean':
      return typeof value === 'boolean' ? value : undefined;
    case 'text':
      return typeof value === 'string' ? value : undefined;
    case 'int8':
      return typeof value === 'bigint' ? value.toString() : undefined;
    case 'float8':
      if (typeof value === 'number') return Number.isFinite(value) ? String(value) : undefined;
      return typeof value === 'bigint' && value <= greatestExactFloat && -value <= greatestExactFloat ? value.toString() : undefined;
    case 'numeric':
      if (typeof value === 'number') return Number.isFinite(value) ? decimalOfFloat(value).toString() : undefined;
      return typeof value === 'bigint' || value instanceof Decimal ? value.toString() : undefined;
    case 'date':
      return dateText(value);
    case 'timestamp':
      return timestampText(value);
    case 'jsonb':
      if (typeof value === 'bigint') return value.toString();
      return typeof value === 'string' || typeof value === 'boolean' ? JSON.stringify(value) : undefined;
    default:
      return form satisfies never;
  }
}

/** Whether the form holds all values of the expression exactly. */
export function fits(expression: TypedExpression, form: Form): boolean {
  if (expression.kind === 'constant') return constantIn(expression.value, form) !== undefined;
  const { type } = expression;
  if (form === 'jsonb') return expression.kind === 'property' && (['string', 'integer', 'boolean'].includes(type) || isNoTime(expression));
  return formOf(type) === form || (type === 'integer' && form === 'numeric') || (type === 'datetime' && form === 'timestamp');
}

/**
 * Whether a property has unknown type and can be compared as jsonb. A property that may hold a temporal value cannot: one time has several
 * spellings, and jsonb compares spellings.
 */
function isNoTime({ type, mayBeTime }: TypedExpression & { kind: 'property' }): boolean {
  return type === 'any' && !mayBeTime;
}

/**
 * The form in which SQL tests whether two values are equal: jsonb for a property and a constant that both fit jsonb, otherwise their
 * common form.
 */
export function equalityForm(left: TypedExpression, right: TypedExpression): Form | null {
  const isConstant = left.kind === 'constant' || right.kind === 'constant';
  return isConstant && fits(left, 'jsonb') && fits(right, 'jsonb') ? 'jsonb' : commonForm(left, right);
}

/**
 * The date as a text for PostgreSQL, from a date or from a text that is compared with a date. Undefined outside the years 1 to 9999, the
 * only years that PostgreSQL reads as YYYY-MM-DD.
 */
function dateText(value: CypherValue): string | undefined {
  const date = typeof value === 'string' ? timeOf('date', value) : value;
  if (date === null || typeof date !== 'object' || !('kind' in date) || date.kind !== 'date') return undefined;
  return withPlainYear(date.date.toString());
}

/**
 * The timestamp as a text for PostgreSQL, from a text that is compared with a date-time property. Undefined for a text with a time zone,
 * and for digits beyond microseconds, which PostgreSQL would round.
 */
function timestampText(value: CypherValue): string | undefined {
  if (typeof value !== 'string' || /[Zz[]|[+-]\d\d(?::?\d\d)?$/.test(value.slice(10))) return undefined;
  const time = timeOf('localdatetime', value);
  if (time === null || typeof time !== 'object' || !('kind' in time) || time.kind !== 'localdatetime') return undefined;
  const text = time.dateTime.toString();
  return /\.\d{7}/.test(text) ? undefined : withPlainYear(text);
}

function withPlainYear(text: string): string | undefined {
  return /^(?!0000)\d{4}-/.test(text) ? text : undefined;
}

/** The temporal value that a text denotes; null if the text cannot be read as this kind of value. */
function timeOf(kind: 'date' | 'localdatetime', text: string): CypherValue {
  try {
    return temporalFunctions[kind]!.call([text], { epochNanoseconds: 0n, timeZone: 'UTC' });
  } catch (error) {
    if (error instanceof ValueFault) return null;
    throw error;
  }
}
