import { type CypherValue } from './cypher-value.js';
import { kindOf } from './value-kind.js';
import { withoutLength } from '../../sql/without-length.js';

/**
 * The type of a value as far as it is certain before the query runs: at run time the value is null or of this type. `any` means that
 * nothing is certain. A `number` is an integer or a decimal.
 */
export type ValueType =
  | 'null'
  | 'boolean'
  | 'string'
  | 'integer'
  | 'float'
  | 'decimal'
  | 'number'
  | 'date'
  | 'datetime'
  | 'list'
  | 'map'
  | 'node'
  | 'edge'
  | 'any';

export function typeOfValue(value: CypherValue): ValueType {
  const kind = kindOf(value);
  switch (kind) {
    case 'path':
    case 'localtime':
    case 'time':
    case 'localdatetime':
    case 'duration':
      return 'any';
    default:
      return kind;
  }
}

/** The type of values for a type word of a mapping, such as `bigint` or `decimal(12,2)`. */
export function typeOfWord(type: string): ValueType {
  const word = wordOf(type);
  if (word.endsWith('[]')) return 'list';
  switch (word) {
    case 'bigint':
      return 'integer';
    case 'decimal':
      return 'decimal';
    case 'float':
      return 'float';
    case 'boolean':
      return 'boolean';
    case 'string':
      return 'string';
    case 'date':
      return 'date';
    case 'datetime':
      return 'datetime';
    default:
      return 'any';
  }
}

/** The mapping's word for a type, without the digits of a decimal, and with `bigint` for all integers. */
export function wordOf(type: string): string {
  return withoutLength(type)
    .trim()
    .toLowerCase()
    .replace(/^int(?=$|\[)/, 'bigint');
}
