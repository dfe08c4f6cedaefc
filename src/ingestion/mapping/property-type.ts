import { type PropertyType, type ScalarName } from './mapping.js';

export const scalarNames = [
  'string',
  'int',
  'bigint',
  'float',
  'boolean',
  'date',
  'time',
  'timetz',
  'datetime',
  'localdatetime',
  'duration',
] as const satisfies ScalarName[];

const plainTypes = [...scalarNames, 'json', 'map'] as const;

export const typeNames: readonly string[] = [...plainTypes, ...scalarNames.map(name => `${name}[]`), 'decimal(12,2)', 'decimal(12,2)[]'];

type Named = { name: string };
export type ListOf<T extends Named> = Extract<T, { name: `${string}[]` }>;

export function isList<T extends Named>(type: T): type is ListOf<T> {
  return type.name.endsWith('[]');
}

/** The type of the values in a list. */
export function itemOf<T extends Named, I extends Named>(type: T & { name: `${I['name']}[]` }): I {
  return { ...type, name: type.name.slice(0, -2) } as unknown as I;
}

/** The types of this mapping language, by the names that databases and other languages use for them. */
const foreignTypes: Record<string, string> = {
  integer: 'int',
  int4: 'int',
  smallint: 'int',
  int8: 'bigint',
  long: 'bigint',
  text: 'string',
  str: 'string',
  char: 'string',
  varchar: 'string',
  nvarchar: 'string',
  uuid: 'string',
  number: 'decimal(12,2)',
  numeric: 'decimal(12,2)',
  double: 'float',
  real: 'float',
  bool: 'boolean',
  timestamp: 'datetime',
  timestamptz: 'datetime',
  interval: 'duration',
  localtime: 'time',
  object: 'map',
  struct: 'map',
  jsonb: 'json',
};

/** The type that is meant by a type name of another system, such as `varchar(20)`; null if the name is not known. */
export function typeMeantBy(written: string): string | null {
  const name = /^[a-z0-9]+/.exec(written.toLowerCase())?.[0] ?? '';
  return Object.hasOwn(foreignTypes, name) ? foreignTypes[name]! : null;
}

/**
 * Reads a written type such as `decimal(12,2)` or `string`. Null for any other text, and for a scale or precision that PostgreSQL's numeric
 * does not support.
 */
export function parsePropertyType(written: string): PropertyType | null {
  const plain = plainTypes.find(name => name === written);
  if (plain) return { name: plain };
  const item = scalarNames.find(name => `${name}[]` === written);
  if (item) return { name: `${item}[]` };
  const decimal = /^decimal\(\s*(\d{1,4})\s*,\s*(\d{1,4})\s*\)(\[\])?$/.exec(written);
  if (!decimal) return null;
  const precision = Number(decimal[1]);
  const scale = Number(decimal[2]);
  return precision >= 1 && precision <= 1000 && scale <= precision
    ? { name: decimal[3] ? 'decimal[]' : 'decimal', precision, scale }
    : null;
}

export function typeText(type: PropertyType): string {
  if (type.name === 'decimal') return `decimal(${type.precision},${type.scale})`;
  return type.name === 'decimal[]' ? `decimal(${type.precision},${type.scale})[]` : type.name;
}

export function isNumeric({ name }: { name: string }): boolean {
  return name === 'int' || name === 'bigint' || name === 'decimal' || name === 'float';
}

/** Whether values of the type are ordered in time. Durations have no order, because the length of a month varies. */
export function isTemporal(type: PropertyType): boolean {
  return ['date', 'datetime', 'localdatetime', 'time', 'timetz'].includes(type.name);
}

/** Whether `text` can be read as `type`. Always true for json, maps and lists, which the database checks. */
export function fitsType(text: string, type: PropertyType): boolean {
  if (isList(type)) return true;
  switch (type.name) {
    case 'int':
      return isInteger(text, -(2n ** 31n), 2n ** 31n - 1n);
    case 'bigint':
      return isInteger(text, -(2n ** 63n), 2n ** 63n - 1n);
    case 'decimal':
    case 'float':
      return /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d{1,3})?$/.test(text.trim());
    case 'boolean':
      return /^(?:true|false|t|f|yes|no|y|n|on|off|1|0)$/i.test(text.trim());
    case 'date':
      return isDate(text);
    case 'datetime':
      return isDate(text.slice(0, 10)) && /^.{10}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,6})?)?(?:Z|[+-]\d{2}(?::?\d{2})?)?)?$/.test(text);
    case 'time':
      return /^(?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d{1,6})?)?$/.test(text);
    case 'timetz':
      return /^(?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d{1,6})?)?(?:Z|[+-]\d{2}(?::?\d{2})?)$/.test(text);
    case 'localdatetime':
      return isDate(text.slice(0, 10)) && /^.{10}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,6})?)?)?$/.test(text);
    case 'duration':
      return /^P(?=.)(?:-?\d+Y)?(?:-?\d+M)?(?:-?\d+W)?(?:-?\d+D)?(?:T(?=.)(?:-?\d+H)?(?:-?\d+M)?(?:-?\d+(?:\.\d{1,6})?S)?)?$/.test(text);
    case 'string':
    case 'json':
    case 'map':
      return true;
    default:
      return type satisfies never;
  }
}

function isInteger(text: string, low: bigint, high: bigint): boolean {
  if (!/^[+-]?\d{1,20}$/.test(text.trim())) return false;
  const value = BigInt(text.trim().replace(/^\+/, ''));
  return value >= low && value <= high;
}

function isDate(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const date = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
}

/** Reads `30s`, `5m`, `2h`, `7d`, `500ms`, `0` as milliseconds. Null for any other text. */
export function parseDuration(written: string): number | null {
  if (written === '0') return 0;
  const match = /^(\d{1,9})(ms|s|m|h|d)$/.exec(written.trim());
  if (!match) return null;
  const unit = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }[match[2] as 'ms' | 's' | 'm' | 'h' | 'd'];
  return Number(match[1]) * unit;
}
