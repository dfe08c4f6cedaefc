import { type CypherValue, isList, isMap } from './cypher-value.js';
import { Decimal } from './decimal.js';

/** Kinds of values in a running query. */
export type ValueKind =
  | 'null'
  | 'boolean'
  | 'string'
  | 'integer'
  | 'float'
  | 'decimal'
  | 'list'
  | 'map'
  | 'node'
  | 'edge'
  | 'path'
  | 'date'
  | 'localtime'
  | 'time'
  | 'localdatetime'
  | 'datetime'
  | 'duration';

export function kindOf(value: CypherValue): ValueKind {
  if (value === null) return 'null';
  if (typeof value === 'string') return 'string';
  if (typeof value === 'boolean') return 'boolean';
  if (typeof value === 'bigint') return 'integer';
  if (typeof value === 'number') return 'float';
  if (value instanceof Decimal) return 'decimal';
  if (isList(value)) return 'list';
  return isMap(value) ? 'map' : value.kind;
}
